/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/obstacle.h"

#include <stddef.h>

// clang-format off
static const char *const texts[COLL_MTREE_OBSTACLES] = {
    [COLL_MTREE_OBSTACLE_INTERCOMM] = "it is an intercommunicator",
    [COLL_MTREE_OBSTACLE_ONE_RANK] = "it has one rank",
    [COLL_MTREE_OBSTACLE_PRIORITY] = "coll_mtree_priority is below 0",
    [COLL_MTREE_OBSTACLE_SESSION] =
        "it was made from a session's group (a copy of it is served)",
    [COLL_MTREE_OBSTACLE_DIFFERENT] = "its ranks differ in what they must agree on",
    [COLL_MTREE_OBSTACLE_NO_TOPOLOGY] = "coll_mtree_topology is none",
    [COLL_MTREE_OBSTACLE_ONE_HOST] = "all its ranks run on one host",
    [COLL_MTREE_OBSTACLE_ARCHITECTURE] = "its processes differ in architecture",
    [COLL_MTREE_OBSTACLE_CLEAR] =
        "mtree has no TCP connections of its own to encrypt with ULFM, between several "
        "jobs, or where Open MPI does not send over TCP",
};
// clang-format on

const char *coll_mtree_obstacle_text(coll_mtree_obstacle_t obstacle)
{
    return texts[obstacle];
}

bool coll_mtree_obstacle_leaves_hosts(coll_mtree_obstacle_t obstacle)
{
    return obstacle != COLL_MTREE_OBSTACLE_NONE &&
           obstacle != COLL_MTREE_OBSTACLE_ONE_RANK &&
           obstacle != COLL_MTREE_OBSTACLE_ONE_HOST;
}

bool coll_mtree_obstacle_is_news(coll_mtree_obstacle_t obstacle)
{
    return obstacle != COLL_MTREE_OBSTACLE_NONE &&
           obstacle != COLL_MTREE_OBSTACLE_ONE_RANK &&
           obstacle != COLL_MTREE_OBSTACLE_NO_TOPOLOGY &&
           obstacle != COLL_MTREE_OBSTACLE_DIFFERENT;
}

coll_mtree_obstacle_t coll_mtree_obstacle_of_comm(const coll_mtree_comm_facts_t *facts)
{
    if (facts->is_inter) {
        return COLL_MTREE_OBSTACLE_INTERCOMM;
    }
    if (facts->num_ranks < 2) {
        return COLL_MTREE_OBSTACLE_ONE_RANK;
    }
    if (facts->priority < 0) {
        return COLL_MTREE_OBSTACLE_PRIORITY;
    }
    return facts->from_session ? COLL_MTREE_OBSTACLE_SESSION : COLL_MTREE_OBSTACLE_NONE;
}

coll_mtree_obstacle_t
coll_mtree_obstacle_of_processes(const coll_mtree_processes_facts_t *facts)
{
    if (!facts->is_alike) {
        return COLL_MTREE_OBSTACLE_DIFFERENT;
    }
    if (facts->without_topology) {
        return COLL_MTREE_OBSTACLE_NO_TOPOLOGY;
    }
    if (facts->on_one_host) {
        return COLL_MTREE_OBSTACLE_ONE_HOST;
    }
    if (!facts->is_uniform) {
        return COLL_MTREE_OBSTACLE_ARCHITECTURE;
    }
    return facts->is_clear ? COLL_MTREE_OBSTACLE_CLEAR : COLL_MTREE_OBSTACLE_NONE;
}
