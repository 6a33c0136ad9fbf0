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
    for (int server = 0; server < COLL_MTREE_BACKENDS; server++) {
        coll_mtree_rank_report_time_t *one = &times[count];

        if (record->by[server].timed == 0) {
            continue;
        }
        *one = (coll_mtree_rank_report_time_t){.identity = record->group->identity,
                                               .root = record->kind.root,
                                               .size_class = record->kind.size_class,
                                               .by_arrival = record->kind.by_arrival,
                                               .server = server,
                                               .rank = coll_mtree_world_rank(),
                                               .timed = record->by[server].timed,
                                               .seconds = record->by[server].seconds};
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
    coll_mtree_rank_report_path_t *ways;
    size_t room = heard->num_ways;

    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        room += g->ways == NULL ? 0 : (size_t)g->num_ranks;
    }
    ways = room == 0 ? NULL : realloc(heard->ways, room * sizeof(*ways));
    if (ways == NULL) {
        return;
    }
    heard->ways = ways;
    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        for (int rank = 0; g->ways != NULL && rank < g->num_ranks; rank++) {
            if (g->ways[rank].bytes > 0) {
                ways[heard->num_ways++] =
                    (coll_mtree_rank_report_path_t){.identity = g->identity,
                                                    .from = g->rank,
                                                    .to = rank,
                                                    .way = g->ways[rank]};
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
    hand_over(own.ways, own.num_ways * sizeof(*own.ways), first_tag + 1, deadline);
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
    void *times = NULL, *ways = NULL;

    *heard_p = (coll_mtree_rank_report_t){.ranks = 1};
    for (int rank = 1; rank < ompi_comm_size(world()); rank++) {
        heard_p->ranks += hear(rank, first_tag, deadline, sizeof(*heard_p->times), &times,
                               &heard_p->num_times) &&
                          hear(rank, first_tag + 1, deadline, sizeof(*heard_p->ways),
                               &ways, &heard_p->num_ways);
    }
    heard_p->times = times;
    heard_p->ways = ways;
}

void coll_mtree_rank_report_cleanup(coll_mtree_rank_report_t *heard)
{
    free(heard->times);
    free(heard->ways);
    *heard = (coll_mtree_rank_report_t){.ranks = heard->ranks};
}
