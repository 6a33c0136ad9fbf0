/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a map shows, as data: a network with the place of each vertex, the use of each
 * direction of its links, and trees.  A plan (here) or a report (tools/report/html.c)
 * becomes a scene, and a writer makes a file of one format of it: dot.h, multiples.h,
 * svg.h.
 */
#ifndef MTREE_TOOLS_MAP_SCENE_H
#define MTREE_TOOLS_MAP_SCENE_H

#include "base/arena.h"
#include "tools/planned_network.h"

#include "base/units.h"

#include <jansson.h>

#define MAP_NUM_COLOURS 12

/* A point on paper: inches, y upwards. */
typedef struct {
    double x, y;
} map_point_t;

typedef struct {
    double left, right, low, high;
} map_box_t;

typedef struct {
    int plan;              /* the number of its plan in a report, from 0 */
    int number;            /* its own in that plan, from 0 */
    int siblings;          /* the trees of that plan, itself included */
    int root;              /* its vertex, -1: the topology does not have it */
    const char *root_name; /* its host, the text is the creator's */
    const char *colour;
    double *crossed; /* [2 * num_links] more than 0: the tree sends over the arc */
    char rate[MTREE_UNITS_LENGTH], share[16],
        height[PLANNED_HEIGHT_LENGTH]; /* for legends */
} map_tree_t;

typedef struct {
    const mtree_topology_t *topology; /* the creator's */
    map_point_t *places;              /* [num_vertices] all 0 before map_layout_find() */
    double *use;       /* [2 * num_links] of an arc's capacity, 0 to 1; 0 without it */
    double *bytes;     /* [2 * num_links] that went over an arc; of a plan all 0 */
    bool *is_relay;    /* [num_vertices] the plan's trees pass through it alone */
    double largest;    /* capacity, bits/s */
    bool is_uniform;   /* all arcs have that capacity */
    bool has_plan;     /* else there are no trees, and `use` means nothing */
    char summary[128]; /* what the plan achieves, "": no plan */
    int num_trees, tree_room;
    map_tree_t *trees;
    mtree_arena_t arena; /* of the other arrays */
} map_scene_t;

/* The colour of tree number @a number of a plan, from 0; they recur after
 * MAP_NUM_COLOURS. */
const char *map_colour(size_t number);

/*
 * A scene of @a topology alone, which must outlive it.  Release it with
 * map_scene_cleanup(), after an error, too.  MTREE_ERR_NO_MEMORY, logged.
 */
mtree_status_t map_scene_init(map_scene_t *scene, const mtree_topology_t *topology);

/* The same of the topology of @a planned, with the trees of its plan, if any, and the use
 * that they make of the links. */
mtree_status_t map_scene_of_plan(map_scene_t *scene, const planned_network_t *planned);

/* One tree more, with number and colour, its arcs yet to be marked; it stays the scene's.
 * MTREE_ERR_NO_MEMORY, logged. */
mtree_status_t map_scene_add_tree(map_scene_t *scene, int number, map_tree_t **tree_p);

/* Free what @a scene holds. */
void map_scene_cleanup(map_scene_t *scene);

/* Does the tree cross @a link in either direction? */
bool map_tree_crosses(const map_tree_t *tree, int link);

/* How much of link number @a link is used, 0 to 1, in the direction with more. */
double map_scene_use(const map_scene_t *scene, int link);

/* The line's width for the part @a part of what is widest, from @a least to @a most. */
double map_width(double part, double least, double most);

/* The box around @a count points, of which there is one at least. */
map_box_t map_bounds(const map_point_t *points, int count);

/* {topology, links: [{from, to, capacity_bps: [], use: [there, back], trees: [numbers
 * from 1]}], relays: [names]}, the last one where there are any; NULL: no memory. */
json_t *map_scene_json(const map_scene_t *scene);

#endif
