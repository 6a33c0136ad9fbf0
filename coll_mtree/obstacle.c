/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/obstacle.h"

// clang-format off
static const struct {
    const char *text;
    bool leaves_hosts, is_news;
} obstacles[COLL_MTREE_OBSTACLES] = {
    [COLL_MTREE_OBSTACLE_INTERCOMM] = {"it is an intercommunicator", true, true},
    [COLL_MTREE_OBSTACLE_ONE_RANK] = {"it has one rank", false, false},
    [COLL_MTREE_OBSTACLE_PRIORITY] = {"coll_mtree_priority is below 0", true, true},
    [COLL_MTREE_OBSTACLE_SESSION] = {
        "it was made from a session's group (a copy of it is served)", true, true},
    [COLL_MTREE_OBSTACLE_DIFFERENT] = {
        "its ranks differ in what they must agree on", true, false},
    [COLL_MTREE_OBSTACLE_NO_TOPOLOGY] = {"coll_mtree_topology is none", true, false},
    [COLL_MTREE_OBSTACLE_ONE_HOST] = {"all its ranks run on one host", false, true},
    [COLL_MTREE_OBSTACLE_ARCHITECTURE] = {
        "its processes differ in architecture", true, true},
    [COLL_MTREE_OBSTACLE_CLEAR] = {
        "mtree has no TCP connections of its own to encrypt with ULFM, between several "
        "jobs, or where Open MPI does not send over TCP", true, true},
};
// clang-format on

const char *coll_mtree_obstacle_text(coll_mtree_obstacle_t obstacle)
{
    return obstacles[obstacle].text;
}

bool coll_mtree_obstacle_leaves_hosts(coll_mtree_obstacle_t obstacle)
{
    return obstacles[obstacle].leaves_hosts;
}

bool coll_mtree_obstacle_is_news(coll_mtree_obstacle_t obstacle)
{
    return obstacles[obstacle].is_news;
}
