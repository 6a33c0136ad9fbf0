/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/map/labels.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
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
    double x, y;
} point_t;

typedef struct {
    point_t middle, half; /* half: width and height */
} box_t;

int map_labels_take(Agraph_t *graph)
{
    Agnode_t *node;
    Agedge_t *edge;
    const char *text;
    int count = 0;

    agattr(graph, AGEDGE, TEXT, "");
    for (node = agfstnode(graph); node != NULL; node = agnxtnode(graph, node)) {
        for (edge = agfstout(graph, node); edge != NULL; edge = agnxtout(graph, edge)) {
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
    const char *line = text, *end;
    size_t length, longest = 0;
    int lines = 0;

    do {
        end = strstr(line, "<br/>");
        length = end != NULL ? (size_t)(end - line) : strlen(line);
        longest = length > longest ? length : longest;
        line = end != NULL ? end + strlen("<br/>") : NULL;
        lines++;
    } while (line != NULL);
    return (box_t){.half = {HALF_LETTER * (double)longest, HALF_LINE * lines}};
}

static bool is_apart(const box_t *a, const box_t *b)
{
    return fabs(a->middle.x - b->middle.x) > a->half.x + b->half.x ||
           fabs(a->middle.y - b->middle.y) > a->half.y + b->half.y;
}

/* The points of the curve of @a edge, taken as a polygon; returns how many, 0 for none.
 */
static int read_line(Agedge_t *edge, point_t points[MOST_POINTS])
{
    const char *text = agget(edge, "pos");
    int length = 0, used;

    while (text != NULL && length < MOST_POINTS &&
           sscanf(text, " %lf,%lf%n", &points[length].x, &points[length].y, &used) == 2) {
        text += used;
        length++;
    }
    return length > 1 ? length : 0;
}

/* The point at @a part of the length of a line, 0 to 1. */
static point_t along(const point_t *points, int length, double part)
{
    const int first = (int)fmin(floor(part * (length - 1)), length - 2);
    const double rest = part * (length - 1) - first;

    return (point_t){points[first].x + rest * (points[first + 1].x - points[first].x),
                     points[first].y + rest * (points[first + 1].y - points[first].y)};
}

/* Where the middle of a label can be on its line, the best first. */
static const double parts[] = {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8};

#define NUM_PARTS (sizeof(parts) / sizeof(parts[0]))

static bool is_free(const box_t *box, const box_t *taken, int num_taken)
{
    int i = 0;

    while (i < num_taken && is_apart(box, &taken[i])) {
        i++;
    }
    return i == num_taken;
}

/* Is there no line through the box? */
static bool is_off_lines(Agraph_t *graph, const box_t *box)
{
    point_t line[MOST_POINTS];
    box_t point = {.half = {0, 0}};

    for (Agnode_t *node = agfstnode(graph); node != NULL; node = agnxtnode(graph, node)) {
        for (Agedge_t *edge = agfstout(graph, node); edge != NULL;
             edge = agnxtout(graph, edge)) {
            const int length = read_line(edge, line);

            for (int i = 0; length > 0 && i <= NUM_SAMPLES; i++) {
                point.middle = along(line, length, (double)i / NUM_SAMPLES);
                if (!is_apart(box, &point)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* A free place on the line, the nearest to its middle, where the label hides at most @a
 * most of it. */
static bool find_on_line(const point_t *line, int length, double most, const box_t *taken,
                         int num_taken, box_t *box)
{
    const double x = fabs(line[length - 1].x - line[0].x);
    const double y = fabs(line[length - 1].y - line[0].y);

    if (2 * box->half.x > most * x && 2 * box->half.y > most * y) {
        return false;
    }
    for (size_t p = 0; p < NUM_PARTS; p++) {
        box->middle = along(line, length, parts[p]);
        if (is_free(box, taken, num_taken)) {
            return true;
        }
    }
    return false;
}

/* A free place on one of the line's sides, @a aside points from it and off all lines. */
static bool find_beside(Agraph_t *graph, const point_t *line, int length, double aside,
                        const box_t *taken, int num_taken, box_t *box)
{
    const double x = line[length - 1].x - line[0].x, y = line[length - 1].y - line[0].y;
    const double distance = fmax(hypot(x, y), 1e-9);
    const point_t across = {-y / distance, x / distance};
    const double far =
        box->half.x * fabs(across.x) + box->half.y * fabs(across.y) + aside;

    for (size_t p = 0; p < NUM_PARTS; p++) {
        const point_t middle = along(line, length, parts[p]);

        for (int side = -1; side <= 1; side += 2) {
            box->middle.x = middle.x + side * far * across.x;
            box->middle.y = middle.y + side * far * across.y;
            if (is_free(box, taken, num_taken) && is_off_lines(graph, box)) {
                return true;
            }
        }
    }
    return false;
}

/* On the line where enough of it stays to be seen, else as near to it as there is room,
 * else anywhere on it; false for an edge without a line. */
static bool find_place(Agedge_t *edge, const box_t *taken, int num_taken, box_t *box)
{
    point_t line[MOST_POINTS];
    const int length = read_line(edge, line);

    if (length == 0) {
        return false;
    }
    if (find_on_line(line, length, MOST_HIDDEN, taken, num_taken, box)) {
        return true;
    }
    for (int step = 0; step < NUM_ASIDE; step++) {
        if (find_beside(agraphof(edge), line, length, LEAST_ASIDE + step * STEP_ASIDE,
                        taken, num_taken, box)) {
            return true;
        }
    }
    if (!find_on_line(line, length, INFINITY, taken, num_taken, box)) {
        box->middle = along(line, length, 0.5);
    }
    return true;
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

/* The boxes of hosts and switches, which no label may cover; returns how many. */
static int take_nodes(Agraph_t *graph, box_t *taken)
{
    Agnode_t *node;
    box_t *box = taken;

    for (node = agfstnode(graph); node != NULL; node = agnxtnode(graph, node)) {
        box->half.x = 36.0 * strtod(agget(node, "width"), NULL);
        box->half.y = 36.0 * strtod(agget(node, "height"), NULL);
        if (sscanf(agget(node, "pos"), "%lf,%lf", &box->middle.x, &box->middle.y) == 2) {
            box++;
        }
    }
    return (int)(box - taken);
}

void map_labels_place(Agraph_t *graph)
{
    const size_t most = (size_t)agnnodes(graph) + (size_t)agnedges(graph);
    box_t *taken = calloc(most + 1, sizeof(*taken));
    const int num_nodes = agnnodes(graph);
    Agnode_t *node = agfstnode(graph);
    int num_taken, number = 0, i;
    const char *text;
    Agedge_t *edge;

    if (taken == NULL) {
        return;
    }
    num_taken = take_nodes(graph, taken);
    for (i = 0; i < num_nodes; i++, node = agnxtnode(graph, node)) {
        for (edge = agfstout(graph, node); edge != NULL; edge = agnxtout(graph, edge)) {
            text = agget(edge, TEXT);
            taken[num_taken] = measure(text);
            if (text[0] != '\0' &&
                find_place(edge, taken, num_taken, &taken[num_taken])) {
                add_label(graph, text, &taken[num_taken], number++);
                num_taken++;
            }
        }
    }
    free(taken);
}
