/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/gather.h"

#include "coll_mtree/transport/transport.h"

#include "ompi/mca/pml/pml.h"
#include "opal/runtime/opal_progress.h"

#include <stdio.h>
#include <stdlib.h>

/* Seconds that rank 0 waits for the others' words, and they for rank 0 to take them. */
#define PATIENCE 10.0

static ompi_communicator_t *world(void)
{
    return &ompi_mpi_comm_world.comm;
}

/* What the calls of @a record took here, to the end of @a times; their new number. */
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
                                            .by_arrival = record->call_class.by_arrival,
                                            .backend = backend,
                                            .rank = coll_mtree_world_rank(),
                                            .timed = record->by[backend].timed,
                                            .seconds = record->by[backend].seconds};
        snprintf(one->function, sizeof(one->function), "%s", record->function);
        count++;
    }
    return count;
}

static void add_own_times(coll_mtree_rank_report_t *heard)
{
    const coll_mtree_group_t *groups = coll_mtree_statistics_lock();
    size_t room = 0;

    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        for (const coll_mtree_record_t *r = g->records; r != NULL; r = r->next) {
            room += COLL_MTREE_BACKENDS;
        }
    }
    heard->times = room == 0 ? NULL : calloc(room, sizeof(*heard->times));
    for (const coll_mtree_group_t *g = heard->times == NULL ? NULL : groups; g != NULL;
         g = g->next) {
        for (const coll_mtree_record_t *r = g->records; r != NULL; r = r->next) {
            heard->num_times = add_times(r, heard->times, heard->num_times);
        }
    }
    coll_mtree_statistics_unlock();
}

void coll_mtree_rank_report_add_own_paths(const coll_mtree_group_t *groups,
                                          coll_mtree_rank_report_t *heard)
{
    coll_mtree_rank_report_path_t *paths;
    size_t room = heard->num_paths;

    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        room += g->paths == NULL ? 0 : (size_t)g->num_ranks;
    }
    paths = room == 0 ? NULL : realloc(heard->paths, room * sizeof(*paths));
    if (paths == NULL) {
        return;
    }
    heard->paths = paths;
    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        for (int rank = 0; g->paths != NULL && rank < g->num_ranks; rank++) {
            if (g->paths[rank].bytes > 0) {
                paths[heard->num_paths++] =
                    (coll_mtree_rank_report_path_t){.identity = g->identity,
                                                    .from = g->rank,
                                                    .to = rank,
                                                    .path = g->paths[rank]};
            }
        }
    }
}

/* Send @a bytes of @a what, which is taken over, and wait until @a deadline for rank 0 to
 * take it.  What nobody took keeps its memory. */
static void hand_over(void *what, size_t bytes, int tag, double deadline)
{
    ompi_request_t *request;
    int done = 0;

    if (MCA_PML_CALL(isend(what, bytes, MPI_BYTE, 0, tag, MCA_PML_BASE_SEND_STANDARD,
                           world(), &request)) != OMPI_SUCCESS) {
        free(what);
        return;
    }
    while (done == 0 && coll_mtree_clock() < deadline) {
        opal_progress();
        if (ompi_request_test(&request, &done, MPI_STATUS_IGNORE) != OMPI_SUCCESS) {
            return;
        }
    }
    if (done != 0) {
        free(what);
    }
}

void coll_mtree_rank_report_send(int first_tag)
{
    double deadline = coll_mtree_clock() + PATIENCE;
    coll_mtree_rank_report_t own = {.ranks = 1};

    add_own_times(&own);
    coll_mtree_rank_report_add_own_paths(coll_mtree_statistics_lock(), &own);
    coll_mtree_statistics_unlock();
    hand_over(own.times, own.num_times * sizeof(*own.times), first_tag, deadline);
    hand_over(own.paths, own.num_paths * sizeof(*own.paths), first_tag + 1, deadline);
}

/* Take the message of @a rank, if it comes before the deadline, to the end of the
 * *count_p elements of @a size bytes of *all_p. */
static bool hear(int rank, int tag, double deadline, size_t size, void **all_p,
                 size_t *count_p)
{
    ompi_status_public_t status;
    int there = 0;
    size_t more;
    char *all;

    do {
        if (MCA_PML_CALL(iprobe(rank, tag, world(), &there, &status)) != OMPI_SUCCESS) {
            return false;
        }
    } while (there == 0 && coll_mtree_clock() < deadline);
    if (there == 0) {
        return false;
    }
    more = status._ucount / size;
    all = realloc(*all_p, (*count_p + more + 1) * size);
    if (all == NULL) {
        return false;
    }
    *all_p = all;
    if (MCA_PML_CALL(recv(all + *count_p * size, more * size, MPI_BYTE, rank, tag,
                          world(), MPI_STATUS_IGNORE)) != OMPI_SUCCESS) {
        return false;
    }
    *count_p += more;
    return true;
}

void coll_mtree_rank_report_collect(int first_tag, coll_mtree_rank_report_t *heard_p)
{
    double deadline = coll_mtree_clock() + PATIENCE;
    void *times = NULL, *paths = NULL;

    *heard_p = (coll_mtree_rank_report_t){.ranks = 1};
    for (int rank = 1; rank < ompi_comm_size(world()); rank++) {
        heard_p->ranks += hear(rank, first_tag, deadline, sizeof(*heard_p->times), &times,
                               &heard_p->num_times) &&
                          hear(rank, first_tag + 1, deadline, sizeof(*heard_p->paths),
                               &paths, &heard_p->num_paths);
    }
    heard_p->times = times;
    heard_p->paths = paths;
}

void coll_mtree_rank_report_cleanup(coll_mtree_rank_report_t *heard)
{
    free(heard->times);
    free(heard->paths);
    *heard = (coll_mtree_rank_report_t){.ranks = heard->ranks};
}
