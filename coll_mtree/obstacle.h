/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Why mtree does not serve a communicator.  The facts are the same on all its ranks.
 */
#ifndef COLL_MTREE_OBSTACLE_H
#define COLL_MTREE_OBSTACLE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum {
    COLL_MTREE_OBSTACLE_NONE,
    COLL_MTREE_OBSTACLE_INTERCOMM,
    COLL_MTREE_OBSTACLE_ONE_RANK,
    COLL_MTREE_OBSTACLE_PRIORITY,
    COLL_MTREE_OBSTACLE_SESSION,
    COLL_MTREE_OBSTACLE_DIFFERENT,
    COLL_MTREE_OBSTACLE_NO_TOPOLOGY,
    COLL_MTREE_OBSTACLE_ONE_HOST,
    COLL_MTREE_OBSTACLE_ARCHITECTURE,
    COLL_MTREE_OBSTACLE_CLEAR,
    COLL_MTREE_OBSTACLES
} coll_mtree_obstacle_t;

/* The obstacle as a clause for people; NULL for COLL_MTREE_OBSTACLE_NONE. */
const char *coll_mtree_obstacle_text(coll_mtree_obstacle_t obstacle);

/* May the communicator have messages between hosts all the same? */
bool coll_mtree_obstacle_leaves_hosts(coll_mtree_obstacle_t obstacle);

/* May a user who named mtree not expect it?  What differs between ranks is told in a line
 * of its own. */
bool coll_mtree_obstacle_is_news(coll_mtree_obstacle_t obstacle);

typedef struct {
    bool is_inter;
    int num_ranks;
    int priority;      /* coll_mtree_priority */
    bool from_session; /* made from a session's group, whose ranks Open MPI numbers
                          differently */
} coll_mtree_comm_facts_t;

/* The first obstacle that the communicator itself has. */
coll_mtree_obstacle_t coll_mtree_obstacle_of_comm(const coll_mtree_comm_facts_t *facts);

typedef struct {
    bool is_alike; /* the settings of all ranks are (coll_mtree/control/modex.h) */
    bool without_topology; /* coll_mtree_topology is none */
    bool on_one_host;      /* unless the user names the hosts */
    bool is_uniform;       /* one architecture: bytes are added as they arrive */
    bool is_clear; /* calls are to be encrypted, and these have no connections for it */
} coll_mtree_processes_facts_t;

/* The first obstacle that its processes have; the same for all communicators of these. */
coll_mtree_obstacle_t
coll_mtree_obstacle_of_processes(const coll_mtree_processes_facts_t *facts);

#endif
