/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/mtree_config.h"

#ifdef HAVE_GRAPHVIZ

#include "tools/map/labels.h"

#include "tools/map/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The attribute of an edge that keeps its label between the two functions. */
#define TEXT "maplabel"

/* A label's letters, points: half the width of one, half the height of a line. */
#define HALF_LETTER 2.4
#define HALF_LINE   5.5

/* Points between a label and a line that it stands beside: the least, and how much more
 * is tried how often. */
#define LEAST_ASIDE 2.0
#define STEP_ASIDE  5.0
#define NUM_ASIDE   7

/* A label may hide this part of its line, not more. */
#define MOST_HIDDEN 0.5

/* Of a line's polygon, and points of it that a label is compared with. */
#define MOST_POINTS 64
#define NUM_SAMPLES 40

typedef struct {
    map_point_t middle, half; /* half: width and height */
} box_t;

/* The curve of an edge, taken as a polygon. */
typedef struct {
    map_point_t points[MOST_POINTS];
    int length; /* 0: it has none */
    const char *text;
} line_t;

typedef struct {
    line_t *lines; /* [num_lines] of all edges */
    box_t *taken;  /* [num_taken] what no label may cover */
    int num_lines, num_taken;
} labels_t;

int map_labels_take(Agraph_t *graph)
{
    const char *text;
    int count = 0;

    agattr(graph, AGEDGE, TEXT, "");
    for (Agnode_t *node = agfstnode(graph); node != NULL; node = agnxtnode(graph, node)) {
        for (Agedge_t *edge = agfstout(graph, node); edge != NULL;
             edge = agnxtout(graph, edge)) {
            text = agget(edge, "label");
            if (text != NULL && text[0] != '\0') {
                agset(edge, TEXT, (char *)text);
                agset(edge, "label", "");
                count++;
            }
        }
    }
    return count;
}

/* The box that @a text needs, lines apart by <br/>. */
static box_t measure(const char *text)
{
    size_t longest = 0;
    int lines = 0;

    for (const char *end; text != NULL; lines++) {
        size_t length;

        end = strstr(text, "<br/>");
        length = end != NULL ? (size_t)(end - text) : strlen(text);
        longest = length > longest ? length : longest;
        text = end != NULL ? end + strlen("<br/>") : NULL;
    }
    return (box_t){.half = {HALF_LETTER * (double)longest, HALF_LINE * lines}};
}

static bool is_apart(const box_t *a, const box_t *b)
{
    return fabs(a->middle.x - b->middle.x) > a->half.x + b->half.x ||
           fabs(a->middle.y - b->middle.y) > a->half.y + b->half.y;
}

static void read_line(Agedge_t *edge, line_t *line)
{
    const char *text = agget(edge, "pos");
    int length = 0, used;

    while (text != NULL && length < MOST_POINTS &&
           sscanf(text, " %lf,%lf%n", &line->points[length].x, &line->points[length].y,
                  &used) == 2) {
        text += used;
        length++;
    }
    line->length = length > 1 ? length : 0;
    line->text = agget(edge, TEXT);
}

/* The point at @a part of the length of a line, 0 to 1. */
static map_point_t along(const line_t *line, double part)
{
    const int first = (int)fmin(floor(part * (line->length - 1)), line->length - 2);
    const double rest = part * (line->length - 1) - first;
    const map_point_t *a = &line->points[first], *b = a + 1;

    return (map_point_t){a->x + rest * (b->x - a->x), a->y + rest * (b->y - a->y)};
}

/* Where the middle of a label can be on its line, the best first. */
static const double parts[] = {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8};

#define NUM_PARTS (sizeof(parts) / sizeof(parts[0]))

static bool is_free(const labels_t *labels, const box_t *box)
{
    int i = 0;

    while (i < labels->num_taken && is_apart(box, &labels->taken[i])) {
        i++;
    }
    return i == labels->num_taken;
}

/* Is there no line through the box? */
static bool is_off_lines(const labels_t *labels, const box_t *box)
{
    for (int l = 0; l < labels->num_lines; l++) {
        const line_t *line = &labels->lines[l];

        for (int i = 0; line->length > 0 && i <= NUM_SAMPLES; i++) {
            const box_t point = {.middle = along(line, (double)i / NUM_SAMPLES)};

            if (!is_apart(box, &point)) {
                return false;
            }
        }
    }
    return true;
}

/* A free place on the line, the nearest to its middle, where the label hides at most @a
 * most of it. */
static bool find_on_line(const labels_t *labels, const line_t *line, double most,
                         box_t *box)
{
    const map_point_t *first = line->points, *last = first + line->length - 1;

    if (2 * box->half.x > most * fabs(last->x - first->x) &&
        2 * box->half.y > most * fabs(last->y - first->y)) {
        return false;
    }
    for (size_t p = 0; p < NUM_PARTS; p++) {
        box->middle = along(line, parts[p]);
        if (is_free(labels, box)) {
            return true;
        }
    }
    return false;
}

/* A free place on one of the line's sides, @a aside points from it and off all lines. */
static bool find_beside(const labels_t *labels, const line_t *line, double aside,
                        box_t *box)
{
    const map_point_t *first = line->points, *last = first + line->length - 1;
    const double x = last->x - first->x, y = last->y - first->y;
    const double distance = fmax(hypot(x, y), 1e-9);
    const map_point_t across = {-y / distance, x / distance};
    const double far =
        box->half.x * fabs(across.x) + box->half.y * fabs(across.y) + aside;

    for (size_t p = 0; p < NUM_PARTS; p++) {
        const map_point_t middle = along(line, parts[p]);

        for (int side = -1; side <= 1; side += 2) {
            box->middle.x = middle.x + side * far * across.x;
            box->middle.y = middle.y + side * far * across.y;
            if (is_free(labels, box) && is_off_lines(labels, box)) {
                return true;
            }
        }
    }
    return false;
}

/* On the line where enough of it stays to be seen, else as near to it as there is room,
 * else anywhere on it. */
static void find_place(const labels_t *labels, const line_t *line, box_t *box)
{
    if (find_on_line(labels, line, MOST_HIDDEN, box)) {
        return;
    }
    for (int step = 0; step < NUM_ASIDE; step++) {
        if (find_beside(labels, line, LEAST_ASIDE + step * STEP_ASIDE, box)) {
            return;
        }
    }
    if (!find_on_line(labels, line, INFINITY, box)) {
        box->middle = along(line, 0.5);
    }
}

static void add_label(Agraph_t *graph, const char *text, const box_t *box, int number)
{
    char name[32], place[64];
    Agnode_t *node;
    char *html;

    snprintf(name, sizeof(name), "label%d", number);
    snprintf(place, sizeof(place), "%.2f,%.2f", box->middle.x, box->middle.y);
    node = agnode(graph, name, 1);
    html = agstrdup_html(graph, (char *)text);
    agset(node, "label", html);
    agstrfree(graph, html);
    agsafeset(node, "pos", place, "");
    agsafeset(node, "shape", "plain", "ellipse");
    agsafeset(node, "fontsize", "8", "11");
    agsafeset(node, "fontcolor", "#333333", "black");
}

/* The lines of all edges, and the boxes of hosts and switches. */
static void read_graph(Agraph_t *graph, labels_t *labels)
{
    for (Agnode_t *node = agfstnode(graph); node != NULL; node = agnxtnode(graph, node)) {
        box_t *box = &labels->taken[labels->num_taken];

        box->half.x = 36.0 * strtod(agget(node, "width"), NULL);
        box->half.y = 36.0 * strtod(agget(node, "height"), NULL);
        labels->num_taken +=
            sscanf(agget(node, "pos"), "%lf,%lf", &box->middle.x, &box->middle.y) == 2;
        for (Agedge_t *edge = agfstout(graph, node); edge != NULL;
             edge = agnxtout(graph, edge)) {
            read_line(edge, &labels->lines[labels->num_lines++]);
        }
    }
}

void map_labels_place(Agraph_t *graph)
{
    const size_t num_edges = (size_t)agnedges(graph);
    const size_t num_boxes = (size_t)agnnodes(graph) + num_edges;
    labels_t labels = {.lines = calloc(num_edges + 1, sizeof(line_t)),
                       .taken = calloc(num_boxes + 1, sizeof(box_t))};
    int number = 0;

    if (labels.lines != NULL && labels.taken != NULL) {
        read_graph(graph, &labels);
    }
    for (int l = 0; l < labels.num_lines; l++) {
        const line_t *line = &labels.lines[l];

        if (line->text[0] != '\0' && line->length > 0) {
            box_t box = measure(line->text);

            find_place(&labels, line, &box);
            add_label(graph, line->text, &box, number++);
            labels.taken[labels.num_taken++] = box;
        }
    }
    free(labels.lines);
    free(labels.taken);
}

#endif
