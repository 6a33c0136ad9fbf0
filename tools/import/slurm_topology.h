/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A topology as Slurm's plugins have it, switch by switch or block by block, whichever of
 * its files says so.
 *
 * A tree has a switch above nodes and above other switches.  Blocks are of nodes that are
 * close to each other; each becomes a switch.  The sizes of blocks say how many nodes a
 * larger block has, which is made of blocks that follow each other: it becomes a switch
 * above theirs.  The nodes of a ring or torus are joined to each other.  A last switch,
 * called as what it joins, is above the parts that the file does not join.
 */
#ifndef MTREE_TOOLS_IMPORT_SLURM_TOPOLOGY_H
#define MTREE_TOOLS_IMPORT_SLURM_TOPOLOGY_H

#include "tools/import/network.h"

/* What Slurm says of a switch, a block, a ring or a torus; lists as host_list.h reads
 * them. */
typedef struct {
    const char *name;
    const char *nodes;    /* NULL: none */
    const char *switches; /* below a switch; NULL: none */
    const char *speed;    /* of the links to what it lists; NULL: not given */
} slurm_group_t;

typedef struct {
    import_t *import;
    const char *kind; /* "switches", "blocks", "rings" or "toruses"; NULL: none yet */
    int line;         /* of what is being added */
    int num_blocks, block_room;
    int *blocks; /* nodes of the network, in the file's order; those of a ring or torus */
    int num_sizes, size_room;
    int *sizes; /* of blocks, in nodes, growing */
} slurm_topology_t;

/* A topology without switches and blocks, which will be in @a import. */
void slurm_topology_init(slurm_topology_t *topology, import_t *import);

/* Free what @a topology holds. */
void slurm_topology_cleanup(slurm_topology_t *topology);

/* Add a switch with a name and the links to what it lists.  Errors of these functions are
 * logged with the number of the line. */
mtree_status_t slurm_topology_add_switch(slurm_topology_t *topology,
                                         const slurm_group_t *group, int line);

/* Add a block with a name and nodes.  Names of blocks differ. */
mtree_status_t slurm_topology_add_block(slurm_topology_t *topology,
                                        const slurm_group_t *group, int line);

/* Add a torus of so many nodes along each dimension, of which the first changes fastest
 * in their list; @a sizes NULL: a ring of them all. */
mtree_status_t slurm_topology_add_torus(slurm_topology_t *topology,
                                        const slurm_group_t *group, const int sizes[3],
                                        int line);

/* Add the next size of blocks, a number: the first one times a power of two. */
mtree_status_t slurm_topology_add_size(slurm_topology_t *topology, const char *size,
                                       int line);

/* Join what is apart.  After all else. */
mtree_status_t slurm_topology_finish(slurm_topology_t *topology);

#endif
