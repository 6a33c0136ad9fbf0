/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/arrival/directory.h"

#include <stdlib.h>

/* A receiver that began within this part of its source's time after it is as good as done
 * when that one is. */
#define NEAR_PART 0.05

/* What one gains that is relieved is what its receiver, with less than that, loses. */
#define FARTHEST_ROOT 2

typedef enum { ABSENT, WAITING, TAKING, HOLDING, DISMISSED } state_t;

typedef struct {
    state_t state;
    int command;  /* of arrival, from 1; the root's is 0 */
    int source;   /* until it holds everything, as far as is known; -1: none */
    double began; /* to take */
    int inside;   /* ranks of its own host that it gives to */
    int outside;  /* and of others: one at a time, which is the receiver */
    int receiver;
    bool settled; /* it was told that it will have to give to nobody else */
} member_t;

struct mtree_directory {
    const mtree_plan_t *plan;
    const mtree_placement_t *placement;
    int root;
    double worth; /* seconds */
    int arrived;
    int waiting;
    int assigned;
    int dismissed;
    int *giving; /* [num_hosts] ranks of other hosts that the host's ranks give to */
    member_t *members; /* [num_ranks] */
};

/* What speaks for a pair of source and receiver, the most important first; less is
 * better. */
typedef struct {
    bool apart;   /* not on the same host */
    bool partial; /* the source does not hold everything */
    double seconds;
    int receiver, source; /* their order of arrival */
} merit_t;

mtree_status_t mtree_directory_create(const mtree_plan_t *plan,
                                      const mtree_placement_t *placement, int root,
                                      double worth, mtree_directory_t **directory_p)
{
    mtree_directory_t *directory =
        calloc(1, sizeof(*directory) + (size_t)placement->num_ranks * sizeof(member_t) +
                      (size_t)placement->num_hosts * sizeof(int));

    if (directory == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    directory->plan = plan;
    directory->placement = placement;
    directory->root = root;
    directory->worth = worth;
    directory->members = (member_t *)(directory + 1);
    directory->giving = (int *)(directory->members + placement->num_ranks);
    directory->members[root] = (member_t){.state = HOLDING, .source = -1};
    *directory_p = directory;
    return MTREE_OK;
}

void mtree_directory_destroy(mtree_directory_t *directory)
{
    free(directory);
}

void mtree_directory_arrive(mtree_directory_t *directory, int rank)
{
    directory->members[rank] =
        (member_t){.state = WAITING, .command = ++directory->arrived, .source = -1};
    directory->waiting++;
}

static bool are_together(const mtree_directory_t *directory, int a, int b)
{
    return directory->placement->host[a] == directory->placement->host[b];
}

/* Could it give to anybody at all? */
static bool is_free(const mtree_directory_t *directory, int source)
{
    const mtree_placement_t *placement = directory->placement;
    const member_t *member = &directory->members[source];
    int host = placement->host[source];
    bool alone = placement->first[host + 1] - placement->first[host] == 1;

    return (member->state == TAKING || member->state == HOLDING) &&
           (directory->giving[host] == 0 || (!alone && member->inside == 0));
}

static bool may_give_to(const mtree_directory_t *directory, int source, int rank)
{
    return are_together(directory, source, rank)
               ? directory->members[source].inside == 0
               : directory->giving[directory->placement->host[source]] == 0;
}

static merit_t merit_of(const mtree_directory_t *directory, int source, int rank)
{
    const member_t *member = &directory->members[source];

    return (merit_t){.apart = !are_together(directory, source, rank),
                     .partial = member->state != HOLDING,
                     .seconds = mtree_plan_route_seconds(
                         directory->plan, directory->placement->host[source],
                         directory->placement->host[rank]),
                     .receiver = directory->members[rank].command,
                     .source = member->command};
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

/* @a change is one rank more or less that @a source gives to: @a rank. */
static void count_giving(mtree_directory_t *directory, int source, int rank, int change)
{
    member_t *member = &directory->members[source];

    if (are_together(directory, source, rank)) {
        member->inside += change;
    } else {
        member->outside += change;
        member->receiver = rank;
        directory->giving[directory->placement->host[source]] += change;
    }
}

/* From now on @a rank takes from @a source; -1: it has it all. */
static void set_source(mtree_directory_t *directory, int rank, int source)
{
    member_t *member = &directory->members[rank];

    if (member->source >= 0) {
        count_giving(directory, member->source, rank, -1);
    }
    member->source = source;
    if (source >= 0) {
        count_giving(directory, source, rank, 1);
    }
}

bool mtree_directory_assign(mtree_directory_t *directory, double now, int *source_p,
                            int *rank_p)
{
    int num_ranks = directory->placement->num_ranks;
    int from = -1, to = -1;
    merit_t best = {0};

    if (directory->waiting == 0) {
        return false;
    }
    for (int source = 0; source < num_ranks; source++) {
        for (int rank = 0; rank < num_ranks && is_free(directory, source); rank++) {
            merit_t merit;

            if (directory->members[rank].state != WAITING ||
                !may_give_to(directory, source, rank)) {
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
    directory->members[to].began = now;
    directory->waiting--;
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

bool mtree_directory_is_settled(const mtree_directory_t *directory)
{
    return directory->assigned == directory->placement->num_ranks - 1;
}

bool mtree_directory_is_done(const mtree_directory_t *directory)
{
    return directory->dismissed == directory->placement->num_ranks - 1;
}

/* Does @a source give to a rank that is so far behind it that the root might as well? */
static bool may_be_relieved(const mtree_directory_t *directory, int source, double now)
{
    const member_t *member = &directory->members[source];
    const int *host = directory->placement->host;
    int to = host[member->receiver];
    double after = directory->members[member->receiver].began - member->began;

    return member->outside > 0 && after > directory->worth &&
           after > NEAR_PART * (now - member->began) &&
           mtree_plan_route_seconds(directory->plan, host[directory->root], to) <=
               FARTHEST_ROOT *
                   mtree_plan_route_seconds(directory->plan, host[source], to);
}

bool mtree_directory_dismiss(mtree_directory_t *directory, double now, bool free,
                             int *rank_p, int *relieved_p)
{
    for (int rank = 0; rank < directory->placement->num_ranks; rank++) {
        member_t *member = &directory->members[rank];
        bool far = may_be_relieved(directory, rank, now);
        bool holds = member->state == HOLDING;

        if (rank == directory->root || member->state == DISMISSED ||
            !((holds && member->inside + member->outside == 0) ||
              (holds && far && free) ||
              (mtree_directory_is_settled(directory) && !far))) {
            continue;
        }
        member->state = DISMISSED;
        directory->dismissed++;
        *rank_p = rank;
        *relieved_p = far ? member->receiver : -1;
        if (far) {
            set_source(directory, member->receiver, directory->root);
        }
        return true;
    }
    return false;
}

bool mtree_directory_settle(mtree_directory_t *directory, int *rank_p)
{
    for (int rank = 0; rank < directory->placement->num_ranks; rank++) {
        member_t *member = &directory->members[rank];

        if (rank != directory->root && member->state != DISMISSED && !member->settled &&
            mtree_directory_is_settled(directory)) {
            member->settled = true;
            *rank_p = rank;
            return true;
        }
    }
    return false;
}
