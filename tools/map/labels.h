/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the labels of a map's lines go.  Graphviz draws each label with its line, so that
 * later lines run through it, and lets labels overlap.  Here labels lie on their lines,
 * above all lines, and apart from each other where there is room.
 */
#ifndef MTREE_TOOLS_MAP_LABELS_H
#define MTREE_TOOLS_MAP_LABELS_H

#include <graphviz/gvc.h>

/* Remove the labels from the edges of @a graph, before it is laid out; returns how many
 * there were. */
int map_labels_take(Agraph_t *graph);

/*
 * Add them as nodes to @a graph, whose nodes and edges have places ("pos"); to be drawn
 * with the engine "nop2", which keeps these.
 */
void map_labels_place(Agraph_t *graph);

#endif
