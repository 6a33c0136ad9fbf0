/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/placement.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Ranks that share the work of a leader at least, even if fewer are next to the network.
 */
#define LEAST_LEADERS 4

static mtree_placement_t *placement_alloc(int num_ranks, int num_hosts)
{
    size_t ranks = (size_t)num_ranks, hosts = (size_t)num_hosts;
    mtree_placement_t *placement =
        mtree_calloc(1, sizeof(*placement) + (4 * ranks + 2 * hosts + 1) * sizeof(int) +
                            ranks * sizeof(mtree_locality_t));

    placement->num_ranks = num_ranks;
    placement->num_hosts = num_hosts;
    placement->host = (int *)(placement + 1);
    placement->ranks = placement->host + ranks;
    placement->position = placement->ranks + ranks;
    placement->leaders = placement->position + ranks;
    placement->num_leaders = placement->leaders + ranks;
    placement->first = placement->num_leaders + hosts;
    placement->localities = (mtree_locality_t *)(placement->first + hosts + 1);
    return placement;
}

/* Move the last of @a ranks forward to where it belongs. */
static void insert_last(const mtree_placement_t *placement, int *ranks, int num,
                        int (*compare)(const mtree_locality_t *a,
                                       const mtree_locality_t *b))
{
    int rank = ranks[num - 1], at = num - 1;

    for (; at > 0 && compare(&placement->localities[ranks[at - 1]],
                             &placement->localities[rank]) > 0;
         at--) {
        ranks[at] = ranks[at - 1];
    }
    ranks[at] = rank;
}

static int compare_near(const mtree_locality_t *a, const mtree_locality_t *b)
{
    return a->near - b->near;
}

/* The number of leaders of the host: the nearest ranks and, where these are too few, all
 * at the next distance. */
static int count_leaders(const mtree_placement_t *placement, const int *leaders, int num)
{
    int count = 1;

    while (count < num && (count < LEAST_LEADERS ||
                           compare_near(&placement->localities[leaders[count - 1]],
                                        &placement->localities[leaders[count]]) == 0)) {
        count++;
    }
    return count;
}

/* Where the ranks of each host begin; false: one has none. */
static bool placement_count(mtree_placement_t *placement)
{
    int *first = placement->first;

    for (int rank = 0; rank < placement->num_ranks; rank++) {
        first[placement->host[rank] + 1]++;
    }
    for (int host = 0; host < placement->num_hosts; host++) {
        if (first[host + 1] == 0) {
            return false;
        }
        first[host + 1] += first[host];
    }
    return true;
}

/* Gather the ranks of all hosts, in time that grows with both numbers. */
static void placement_fill(mtree_placement_t *placement)
{
    int *num = placement->num_leaders; /* ranks of each host so far */

    for (int rank = 0; rank < placement->num_ranks; rank++) {
        const int host = placement->host[rank], at = num[host]++;
        int *ranks = placement->ranks + placement->first[host];
        int *leaders = placement->leaders + placement->first[host];

        ranks[at] = leaders[at] = rank;
        insert_last(placement, ranks, at + 1, mtree_locality_compare);
        insert_last(placement, leaders, at + 1, compare_near);
    }
    for (int i = 0; i < placement->num_ranks; i++) {
        placement->position[placement->ranks[i]] = i;
    }
    for (int host = 0; host < placement->num_hosts; host++) {
        num[host] = count_leaders(placement, placement->leaders + placement->first[host],
                                  num[host]);
    }
}

mtree_status_t mtree_placement_create_relayed(int num_ranks, int num_hosts,
                                              int num_relays, const int *host,
                                              const mtree_locality_t *localities,
                                              mtree_placement_t **placement_p)
{
    const int all = num_ranks + num_relays;
    mtree_placement_t *placement;

    for (int rank = 0; rank < num_ranks; rank++) {
        if (host[rank] < 0 || host[rank] >= num_hosts) {
            return MTREE_ERR_INVALID;
        }
    }
    if (num_relays > num_hosts) {
        return MTREE_ERR_INVALID;
    }
    placement = placement_alloc(all, num_hosts);
    for (int i = 0; i < all; i++) {
        placement->host[i] = i < num_ranks ? host[i] : num_hosts - all + i;
        placement->localities[i] = i < num_ranks && localities != NULL
                                       ? localities[i]
                                       : mtree_locality_unknown();
    }
    if (!placement_count(placement)) {
        free(placement);
        return MTREE_ERR_INVALID;
    }
    placement_fill(placement);
    placement->num_ranks = num_ranks;
    placement->num_relays = num_relays;
    *placement_p = placement;
    return MTREE_OK;
}

mtree_status_t mtree_placement_create(int num_ranks, int num_hosts, const int *host,
                                      const mtree_locality_t *localities,
                                      mtree_placement_t **placement_p)
{
    return mtree_placement_create_relayed(num_ranks, num_hosts, 0, host, localities,
                                          placement_p);
}

void mtree_placement_destroy(mtree_placement_t *placement)
{
    free(placement);
}

int mtree_placement_leader(const mtree_placement_t *placement, int host, int tree)
{
    return placement
        ->leaders[placement->first[host] + tree % placement->num_leaders[host]];
}

/* True when the ranks at two positions are in the same part at @a level. */
static bool share_part(const mtree_placement_t *placement, int a, int b, int level)
{
    const mtree_locality_t *of_a = &placement->localities[placement->ranks[a]];
    const mtree_locality_t *of_b = &placement->localities[placement->ranks[b]];

    while (level >= 0 &&
           mtree_locality_part(of_a, level) == mtree_locality_part(of_b, level)) {
        level--;
    }
    return level < 0;
}

/* The end of the part at @a level that begins at position @a begin, at most @a end. */
static int part_end(const mtree_placement_t *placement, int begin, int end, int level)
{
    int at = begin + 1;

    while (at < end && share_part(placement, begin, at, level)) {
        at++;
    }
    return at;
}

/* Part of the host's ranks and its head, on the way down to one of them. */
typedef struct {
    int begin, end; /* positions */
    int head;       /* rank */
} part_t;

static bool part_holds(const part_t *part, int position)
{
    return position >= part->begin && position < part->end;
}

void mtree_placement_neighbours(const mtree_placement_t *placement, int rank, int leader,
                                int tree, int *parent_p, int *children,
                                int *num_children_p)
{
    int host = placement->host[rank], parent = -1, num_children = 0;
    part_t whole = {placement->first[host], placement->first[host + 1], leader};

    /* Below the last level each rank is a part of its own. */
    for (int level = 0; level <= MTREE_LOCALITY_LEVELS; level++) {
        part_t next = whole;

        for (part_t part = whole; part.begin < whole.end; part.begin = part.end) {
            part.end = level == MTREE_LOCALITY_LEVELS
                           ? part.begin + 1
                           : part_end(placement, part.begin, whole.end, level);
            part.head =
                part_holds(&part, placement->position[whole.head])
                    ? whole.head
                    : placement->ranks[part.begin + tree % (part.end - part.begin)];
            if (rank == whole.head && part.head != rank) {
                children[num_children++] = part.head;
            }
            if (part_holds(&part, placement->position[rank])) {
                next = part;
            }
        }
        if (next.head == rank && whole.head != rank) {
            parent = whole.head;
        }
        whole = next;
    }
    *parent_p = parent;
    *num_children_p = num_children;
}

int mtree_placement_walk(const mtree_placement_t *placement, int rank, int leader,
                         int tree, int *ranks)
{
    int host = placement->host[rank], count = 0, num_waiting = 1;
    int *waiting = ranks + placement->first[host + 1] - placement->first[host];

    /* The last one that waits is the next to be listed. */
    waiting[0] = rank;
    while (num_waiting > 0) {
        int *children = &waiting[--num_waiting], parent, num_children;

        ranks[count] = children[0];
        mtree_placement_neighbours(placement, ranks[count++], leader, tree, &parent,
                                   children, &num_children);
        for (int i = 0; i < num_children / 2; i++) {
            int other = children[num_children - 1 - i];

            children[num_children - 1 - i] = children[i];
            children[i] = other;
        }
        num_waiting += num_children;
    }
    return count;
}

int mtree_placement_most_ranks(const mtree_placement_t *placement)
{
    int most = 0;

    for (int host = 0; host < placement->num_hosts; host++) {
        int num = placement->first[host + 1] - placement->first[host];

        most = num > most ? num : most;
    }
    return most;
}

int mtree_placement_num_parts(const mtree_placement_t *placement, int host, int level)
{
    int end = placement->first[host + 1], count = 0;

    for (int begin = placement->first[host]; begin < end; count++) {
        begin = part_end(placement, begin, end, level);
    }
    return count;
}
