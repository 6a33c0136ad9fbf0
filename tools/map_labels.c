#include "tools/map_labels.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the text waits between the two functions. */
#define TEXT "maplabel"

/* A label's letters, points: half the width of one, half the height of a line. */
#define HALF_LETTER 2.4
#define HALF_LINE   5.5

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

/* The point at @a part of the way along the curve of @a edge, taken as the polygon of its
 * points; false when it has none. */
static bool along(Agedge_t *edge, double part, point_t *point_p)
{
    const char *text = agget(edge, "pos");
    point_t points[64];
    int length = 0, used;
    double at;

    while (text != NULL && length < 64 &&
           sscanf(text, " %lf,%lf%n", &points[length].x, &points[length].y, &used) == 2) {
        text += used;
        length++;
    }
    if (length < 2) {
        return false;
    }
    at = part * (length - 1);
    used = (int)fmin(floor(at), length - 2);
    at -= used;
    point_p->x = points[used].x + at * (points[used + 1].x - points[used].x);
    point_p->y = points[used].y + at * (points[used + 1].y - points[used].y);
    return true;
}

/* The place nearest the middle of the line that keeps the label apart from all others;
 * else the middle. */
static bool find_place(Agedge_t *edge, const box_t *taken, int num_taken, box_t *box)
{
    static const double parts[] = {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.2, 0.8};
    size_t p;
    int i;

    for (p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
        if (!along(edge, parts[p], &box->middle)) {
            return false;
        }
        for (i = 0; i < num_taken && is_apart(box, &taken[i]); i++) {}
        if (i == num_taken) {
            return true;
        }
    }
    return along(edge, 0.5, &box->middle);
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

/* Hosts and switches take their place before any label does. */
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
