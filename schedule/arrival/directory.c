/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/arrival/directory.h"

typedef enum { ABSENT, WAITING, TAKING, HOLDING, DISMISSED } state_t;

typedef struct {
    state_t state;
    int order;   /* of arrival, from 1; 0: the root */
    int source;  /* until it is known to have the whole result; -1: none */
    int inside;  /* ranks of its own host that it serves */
    int outside; /* and of others: one at a time */
} member_t;

struct mtree_directory {
    const mtree_plan_t *plan;
    const mtree_placement_t *placement;
    int root;
    int arrived;
    int assigned;
    int dismissed;
    int *serving;      /* [num_hosts] ranks of other hosts that the host's ranks serve */
    member_t *members; /* [num_ranks] */
};

/* The order of preference of pairs of source and receiver: the most important criterion
 * first, and less is better. */
typedef struct {
    bool apart;   /* not on the same host */
    bool partial; /* the source does not have the whole result */
    double seconds;
    int receiver, source; /* their order of arrival */
} merit_t;

mtree_directory_t *mtree_directory_create(mtree_arena_t *arena, const mtree_plan_t *plan,
                                          const mtree_placement_t *placement, int root)
{
    mtree_directory_t *directory = mtree_arena_alloc(
        arena, 1,
        sizeof(*directory) + (size_t)placement->num_ranks * sizeof(member_t) +
            (size_t)placement->num_hosts * sizeof(int));

    directory->plan = plan;
    directory->placement = placement;
    directory->root = root;
    directory->members = (member_t *)(directory + 1);
    directory->serving = (int *)(directory->members + placement->num_ranks);
    directory->members[root] = (member_t){.state = HOLDING, .source = -1};
    return directory;
}

void mtree_directory_arrive(mtree_directory_t *directory, int rank)
{
    directory->members[rank] =
        (member_t){.state = WAITING, .order = ++directory->arrived, .source = -1};
}

static bool are_together(const mtree_directory_t *directory, int a, int b)
{
    return directory->placement->host[a] == directory->placement->host[b];
}

/* Could it serve any rank at all? */
static bool is_free(const mtree_directory_t *directory, int source)
{
    const mtree_placement_t *placement = directory->placement;
    const member_t *member = &directory->members[source];
    int host = placement->host[source];
    bool alone = placement->first[host + 1] - placement->first[host] == 1;

    return (member->state == TAKING || member->state == HOLDING) &&
           (directory->serving[host] == 0 || (!alone && member->inside == 0));
}

static bool may_serve(const mtree_directory_t *directory, int source, int rank)
{
    return are_together(directory, source, rank)
               ? directory->members[source].inside == 0
               : directory->serving[directory->placement->host[source]] == 0;
}

static merit_t merit_of(const mtree_directory_t *directory, int source, int rank)
{
    const member_t *member = &directory->members[source];

    return (merit_t){.apart = !are_together(directory, source, rank),
                     .partial = member->state != HOLDING,
                     .seconds = mtree_plan_route_seconds(
                         directory->plan, directory->placement->host[source],
                         directory->placement->host[rank]),
                     .receiver = directory->members[rank].order,
                     .source = member->order};
}

static bool is_better(const merit_t *a, const merit_t *b)
{
    if (a->apart != b->apart) {
        return b->apart;
    }
    if (a->partial != b->partial) {
        return b->partial;
    }
    if (a->seconds < b->seconds || a->seconds > b->seconds) {
        return a->seconds < b->seconds;
    }
    return a->receiver != b->receiver ? a->receiver < b->receiver : a->source < b->source;
}

/* @a source serves @a rank from now on (@a change is 1), or no more (-1). */
static void count_served(mtree_directory_t *directory, int source, int rank, int change)
{
    member_t *member = &directory->members[source];

    if (are_together(directory, source, rank)) {
        member->inside += change;
    } else {
        member->outside += change;
        directory->serving[directory->placement->host[source]] += change;
    }
}

/* Set the source of @a rank; -1: it has the whole result. */
static void set_source(mtree_directory_t *directory, int rank, int source)
{
    member_t *member = &directory->members[rank];

    if (member->source >= 0) {
        count_served(directory, member->source, rank, -1);
    }
    member->source = source;
    if (source >= 0) {
        count_served(directory, source, rank, 1);
    }
}

bool mtree_directory_assign(mtree_directory_t *directory, int *source_p, int *rank_p)
{
    int num_ranks = directory->placement->num_ranks;
    int from = -1, to = -1;
    merit_t best = {0};

    if (directory->assigned == directory->arrived) {
        return false;
    }
    for (int source = 0; source < num_ranks; source++) {
        for (int rank = 0; rank < num_ranks && is_free(directory, source); rank++) {
            merit_t merit;

            if (directory->members[rank].state != WAITING ||
                !may_serve(directory, source, rank)) {
                continue;
            }
            merit = merit_of(directory, source, rank);
            if (from < 0 || is_better(&merit, &best)) {
                best = merit;
                from = source;
                to = rank;
            }
        }
    }
    directory->members[to].state = TAKING;
    directory->assigned++;
    set_source(directory, to, from);
    *source_p = from;
    *rank_p = to;
    return true;
}

void mtree_directory_hold(mtree_directory_t *directory, int rank)
{
    member_t *member = &directory->members[rank];

    if (member->state == TAKING) {
        member->state = HOLDING;
    }
    set_source(directory, rank, -1);
}

int mtree_directory_num_arrived(const mtree_directory_t *directory)
{
    return directory->arrived;
}

int mtree_directory_num_assigned(const mtree_directory_t *directory)
{
    return directory->assigned;
}

bool mtree_directory_is_done(const mtree_directory_t *directory)
{
    return directory->dismissed == directory->placement->num_ranks - 1;
}

bool mtree_directory_dismiss(mtree_directory_t *directory, int *rank_p)
{
    const int receivers = directory->placement->num_ranks - 1;

    for (int rank = 0; rank <= receivers; rank++) {
        member_t *member = &directory->members[rank];
        bool is_unused =
            member->state == HOLDING && member->inside + member->outside == 0;

        if (rank != directory->root && member->state != DISMISSED &&
            (is_unused || directory->assigned == receivers)) {
            member->state = DISMISSED;
            directory->dismissed++;
            *rank_p = rank;
            return true;
        }
    }
    return false;
}
