/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why mtree does not serve a communicator.  What it goes by is the same on all its ranks.
 */
#ifndef COLL_MTREE_OBSTACLE_H
#define COLL_MTREE_OBSTACLE_H

#include <stdbool.h>

/* The first that a communicator has is the one that is told. */
typedef enum {
    COLL_MTREE_OBSTACLE_NONE,
    /* Of the communicator itself. */
    COLL_MTREE_OBSTACLE_INTERCOMM,
    COLL_MTREE_OBSTACLE_ONE_RANK,
    COLL_MTREE_OBSTACLE_PRIORITY, /* coll_mtree_priority is negative */
    COLL_MTREE_OBSTACLE_SESSION,  /* Open MPI numbers it differently on its ranks */
    /* Of its processes, the same for all communicators of these. */
    COLL_MTREE_OBSTACLE_DIFFERENT,    /* in their settings (control/modex.h) */
    COLL_MTREE_OBSTACLE_NO_TOPOLOGY,  /* coll_mtree_topology is none */
    COLL_MTREE_OBSTACLE_ONE_HOST,     /* unless the user names the hosts */
    COLL_MTREE_OBSTACLE_ARCHITECTURE, /* bytes are added as they arrive */
    COLL_MTREE_OBSTACLE_CLEAR, /* they have no connections for calls to be encrypted */
    COLL_MTREE_OBSTACLES
} coll_mtree_obstacle_t;

/* The obstacle as a clause for people; NULL for COLL_MTREE_OBSTACLE_NONE. */
const char *coll_mtree_obstacle_text(coll_mtree_obstacle_t obstacle);

/* May the communicator have messages between hosts all the same? */
bool coll_mtree_obstacle_leaves_hosts(coll_mtree_obstacle_t obstacle);

/* May a user who named mtree not expect it?  What differs between ranks is told in a line
 * of its own. */
bool coll_mtree_obstacle_is_news(coll_mtree_obstacle_t obstacle);

#endif
