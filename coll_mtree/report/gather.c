/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/gather.h"

#include "coll_mtree/base/memory.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TAG_TIMES, TAG_CLOCK, TAG_PATHS };

/* For all messages of the job together, on rank 0 and on each other rank; but a rank
 * whose times have come late is waited for until its paths have, too. */
#define TIMEOUT_SECONDS 10.0

/* Append what the calls of @a record took on this rank to @a times; the new count. */
static size_t add_times(const coll_mtree_record_t *record,
                        coll_mtree_rank_report_time_t *times, size_t count)
{
    for (int backend = 0; backend < COLL_MTREE_BACKENDS; backend++) {
        coll_mtree_rank_report_time_t *one = &times[count];

        if (record->by[backend].timed == 0) {
            continue;
        }
        *one =
            (coll_mtree_rank_report_time_t){.identity = record->group->identity,
                                            .root = record->call_class.root,
                                            .size_class = record->call_class.size_class,
                                            .relayed = record->call_class.relayed,
                                            .backend = backend,
                                            .rank = coll_mtree_world_rank(),
                                            .timed = record->by[backend].timed,
                                            .seconds = record->by[backend].seconds};
        snprintf(one->function, sizeof(one->function), "%s", record->function);
        count++;
    }
    return count;
}

static void add_own_times(coll_mtree_rank_report_t *gathered)
{
    const coll_mtree_group_t *groups = coll_mtree_statistics_lock();
    size_t capacity = 0;

    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        for (const coll_mtree_record_t *r = g->records; r != NULL; r = r->next) {
            capacity += COLL_MTREE_BACKENDS;
        }
    }
    gathered->times = coll_mtree_calloc(capacity, sizeof(*gathered->times));
    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        for (const coll_mtree_record_t *r = g->records; r != NULL; r = r->next) {
            gathered->num_times = add_times(r, gathered->times, gathered->num_times);
        }
    }
    coll_mtree_statistics_unlock();
}

static void add_own_clock(coll_mtree_rank_report_t *gathered)
{
    gathered->clocks = coll_mtree_realloc(
        gathered->clocks, (gathered->num_clocks + 1) * sizeof(*gathered->clocks));
    gathered->clocks[gathered->num_clocks++] = (coll_mtree_rank_report_clock_t){
        coll_mtree_world_rank(),
        coll_mtree_call_clock_times(&coll_mtree_call_clock, mtree_clock_seconds())};
}

void coll_mtree_rank_report_add_own(const coll_mtree_group_t *groups,
                                    coll_mtree_rank_report_t *gathered)
{
    size_t capacity = gathered->num_paths;

    add_own_clock(gathered);
    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        capacity += g->paths == NULL ? 0 : (size_t)g->num_ranks;
    }
    gathered->paths =
        coll_mtree_realloc(gathered->paths, capacity * sizeof(*gathered->paths));
    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        for (int rank = 0; g->paths != NULL && rank < g->num_ranks; rank++) {
            if (g->paths[rank].bytes > 0) {
                gathered->paths[gathered->num_paths++] =
                    (coll_mtree_rank_report_path_t){.identity = g->identity,
                                                    .from = g->rank,
                                                    .to = rank,
                                                    .path = g->paths[rank]};
            }
        }
    }
}

void coll_mtree_rank_report_send(const coll_mtree_channel_t *channel)
{
    double deadline = mtree_clock_seconds() + TIMEOUT_SECONDS;
    coll_mtree_rank_report_t own = {.ranks = 1};

    add_own_times(&own);
    coll_mtree_rank_report_add_own(coll_mtree_statistics_lock(), &own);
    coll_mtree_statistics_unlock();
    (void)coll_mtree_message_send_bulk(channel, 0, TAG_TIMES, own.times,
                                       own.num_times * sizeof(*own.times), deadline);
    (void)coll_mtree_message_send_bulk(channel, 0, TAG_CLOCK, own.clocks,
                                       own.num_clocks * sizeof(*own.clocks), deadline);
    (void)coll_mtree_message_send_bulk(channel, 0, TAG_PATHS, own.paths,
                                       own.num_paths * sizeof(*own.paths), deadline);
}

/* Receive the message of @a rank and append it to the *count_p elements of @a size bytes
 * of *all_p. */
static bool receive(const coll_mtree_channel_t *channel, int rank, int tag,
                    double deadline, size_t size, void **all_p, size_t *count_p)
{
    size_t length;
    void *more;

    if (!coll_mtree_message_recv_bulk(channel, rank, tag, &more, &length, deadline)) {
        return false;
    }
    *all_p = coll_mtree_realloc(*all_p, *count_p * size + length);
    memcpy((char *)*all_p + *count_p * size, more == NULL ? "" : more, length);
    *count_p += length / size;
    free(more);
    return true;
}

void coll_mtree_rank_report_collect(const coll_mtree_channel_t *channel,
                                    coll_mtree_rank_report_t *gathered_p)
{
    double deadline = mtree_clock_seconds() + TIMEOUT_SECONDS;
    void *times = NULL, *clocks = NULL, *paths = NULL;

    *gathered_p = (coll_mtree_rank_report_t){.ranks = 1};
    for (int rank = 1; rank < ompi_comm_size(channel->comm); rank++) {
        gathered_p->ranks +=
            receive(channel, rank, TAG_TIMES, deadline, sizeof(*gathered_p->times),
                    &times, &gathered_p->num_times) &&
            receive(channel, rank, TAG_CLOCK,
                    fmax(deadline, mtree_clock_seconds() + TIMEOUT_SECONDS),
                    sizeof(*gathered_p->clocks), &clocks, &gathered_p->num_clocks) &&
            receive(channel, rank, TAG_PATHS,
                    fmax(deadline, mtree_clock_seconds() + TIMEOUT_SECONDS),
                    sizeof(*gathered_p->paths), &paths, &gathered_p->num_paths);
    }
    gathered_p->times = times;
    gathered_p->clocks = clocks;
    gathered_p->paths = paths;
}

void coll_mtree_rank_report_cleanup(coll_mtree_rank_report_t *gathered)
{
    free(gathered->times);
    free(gathered->clocks);
    free(gathered->paths);
    *gathered = (coll_mtree_rank_report_t){.ranks = gathered->ranks};
}
