/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the labels of a map's lines go.  Graphviz draws each label with its line, so that
 * later lines run through it, and lets labels overlap.  Here they lie on their lines,
 * above all of these, and apart from each other where there is room.
 */
#ifndef MTREE_TOOLS_MAP_LABELS_H
#define MTREE_TOOLS_MAP_LABELS_H

#include <graphviz/gvc.h>

/* Take the labels off the edges of @a graph, before it is laid out; how many there are.
 */
int map_labels_take(Agraph_t *graph);

/*
 * Add them as nodes to @a graph, whose nodes and edges have places ("pos"); to be drawn
 * with the engine "nop2", which keeps these.
 */
void map_labels_place(Agraph_t *graph);

#endif
