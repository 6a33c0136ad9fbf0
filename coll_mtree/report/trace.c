/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/trace.h"

#include "coll_mtree/base/free_hook.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/safe_file.h"
#include "coll_mtree/base/tuning.h"
#include "coll_mtree/control/message.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_PING, TAG_EVENTS, NUM_TAGS };

/* What one rank hands over, sent as it is. */
typedef struct {
    char host[128];
    mtree_trace_event_t events[];
} rank_trace_t;

static struct {
    mtree_trace_t *trace;
    mca_coll_mtree_module_t *world; /* the module of MPI_COMM_WORLD */
} job;

mtree_trace_t *coll_mtree_trace_get(void)
{
    return job.trace;
}

/* This rank's events and their number, malloc'ed; none where there was no memory for
 * them. */
static rank_trace_t *own_trace(size_t *count_p)
{
    size_t count = job.trace == NULL ? 0 : mtree_trace_count(job.trace);
    rank_trace_t *own = mtree_calloc(1, sizeof(*own) + count * sizeof(own->events[0]));

    snprintf(own->host, sizeof(own->host), "%s", opal_process_info.nodename);
    for (size_t i = 0; i < count; i++) {
        own->events[i] = *mtree_trace_get(job.trace, i);
    }
    *count_p = count;
    return own;
}

/* On another rank: answer the pings of rank 0 and hand the events over, when rank 0 has
 * come to this rank.  Nobody is given up: MPI_Finalize waits for the last rank, too. */
static void hand_over(const coll_mtree_channel_t *channel)
{
    size_t count = 0;
    rank_trace_t *own;

    for (int i = 0; i < COLL_MTREE_LEAST_SAMPLES; i++) {
        double now;

        if (!coll_mtree_message_recv_copy(channel, 0, TAG_PING, &now, sizeof(now),
                                          INFINITY)) {
            return;
        }
        now = mtree_clock_seconds();
        if (!coll_mtree_message_send_copy(channel, 0, TAG_PING, &now, sizeof(now),
                                          INFINITY)) {
            return;
        }
    }
    own = own_trace(&count);
    (void)coll_mtree_message_send_bulk(channel, 0, TAG_EVENTS, own,
                                       sizeof(*own) + count * sizeof(own->events[0]),
                                       INFINITY);
}

/* Seconds by which the clock of @a rank is ahead of this one; false: it is not known. */
static bool clock_offset(const coll_mtree_channel_t *channel, int rank, double *offset_p)
{
    double least = -1;

    for (int i = 0; i < COLL_MTREE_LEAST_SAMPLES; i++) {
        double before = mtree_clock_seconds(), after, theirs;

        if (!coll_mtree_message_send_copy(channel, rank, TAG_PING, &before,
                                          sizeof(before), INFINITY) ||
            !coll_mtree_message_recv_copy(channel, rank, TAG_PING, &theirs,
                                          sizeof(theirs), INFINITY)) {
            return false;
        }
        after = mtree_clock_seconds();
        if (least < 0 || after - before < least) {
            least = after - before;
            *offset_p = theirs - (before + after) / 2;
        }
    }
    return true;
}

/* What @a rank hands over, malloc'ed, and by how much its clock is ahead; NULL: it has
 * not come. */
static rank_trace_t *receive_trace(const coll_mtree_channel_t *channel, int rank,
                                   size_t *count_p, double *offset_p)
{
    void *bytes;
    size_t length;

    if (!clock_offset(channel, rank, offset_p) ||
        !coll_mtree_message_recv_bulk(channel, rank, TAG_EVENTS, &bytes, &length,
                                      INFINITY)) {
        return NULL;
    }
    if (length >= sizeof(rank_trace_t)) {
        *count_p = (length - sizeof(rank_trace_t)) / sizeof(mtree_trace_event_t);
    }
    return bytes;
}

/* Write one line of @a event, with the members @a more. */
static void write_line(FILE *file, int rank, const mtree_trace_event_t *event,
                       const char *phase, double time, const char *more)
{
    static const char *const names[] = {[MTREE_TRACE_RECEIVE] = "receive",
                                        [MTREE_TRACE_FOLD] = "fold",
                                        [MTREE_TRACE_SEND] = "send"};
    const char *name = names[event->act];

    fprintf(file,
            ",\n{\"name\":\"%s %s %d\",\"cat\":\"%s\",\"ph\":\"%s\",\"pid\":%d,"
            "\"tid\":%d,\"ts\":%.3f,%s\"args\":{\"tree\":%d,\"chunk\":%zu,"
            "\"bytes\":%zu,\"peer\":%d,\"way\":\"%s\",\"call\":%u}}",
            name, event->act == MTREE_TRACE_SEND ? "to" : "from", event->peer, name,
            phase, rank, event->stream, time * 1e6, more, event->stream, event->chunk,
            event->bytes, event->peer, event->up ? "up" : "down", event->call);
}

/* Sends overlap in time, so each is a pair of lines with a number in common. */
static void write_event(FILE *file, int rank, double offset, size_t number,
                        const mtree_trace_event_t *event)
{
    char more[64];

    switch (event->act) {
    case MTREE_TRACE_SEND:
        snprintf(more, sizeof(more), "\"id2\":{\"local\":\"%zu\"},", number);
        write_line(file, rank, event, "b", event->begin - offset, more);
        write_line(file, rank, event, "e", event->end - offset, more);
        break;
    case MTREE_TRACE_FOLD:
        snprintf(more, sizeof(more), "\"dur\":%.3f,", (event->end - event->begin) * 1e6);
        write_line(file, rank, event, "X", event->begin - offset, more);
        break;
    default:
        write_line(file, rank, event, "i", event->begin - offset, "\"s\":\"t\",");
        break;
    }
}

static void write_rank(FILE *file, const coll_mtree_channel_t *channel, int rank)
{
    double offset = 0;
    size_t count = 0;
    rank_trace_t *of_rank =
        rank == 0 ? own_trace(&count) : receive_trace(channel, rank, &count, &offset);

    if (of_rank == NULL) {
        mtree_error("coll_mtree_trace: no events came from rank %d; they are lost", rank);
    }
    fprintf(file,
            "%s\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":"
            "\"rank %d on %s\"}}",
            rank == 0 ? "" : ",", rank, rank, of_rank == NULL ? "?" : of_rank->host);
    for (size_t i = 0; i < count; i++) {
        write_event(file, rank, offset, i, &of_rank->events[i]);
    }
    free(of_rank);
}

static void trace_write(const char *path, const coll_mtree_channel_t *channel)
{
    FILE *file = coll_mtree_safe_file_open(path, false);

    if (file == NULL) {
        mtree_error("coll_mtree_trace: %s: cannot be written: %s; the trace is lost",
                    path, coll_mtree_safe_file_error());
        /* The others wait until they are pinged. */
        file = fopen("/dev/null", "w");
        mtree_require(file != NULL ? MTREE_OK : MTREE_ERR_IO);
    }
    fprintf(file, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    for (int rank = 0; rank < ompi_comm_size(channel->comm); rank++) {
        write_rank(file, channel, rank);
    }
    fprintf(file, "\n]}\n");
    if (ferror(file) != 0 || fclose(file) != 0) {
        mtree_error("coll_mtree_trace: %s: writing failed; is the disk full?", path);
    }
}

static void trace_end(void *unused)
{
    (void)unused;
    coll_mtree_channel_t channel = {
        .comm = &ompi_mpi_comm_world.comm,
        .first_tag = coll_mtree_tag_range_control(&job.world->tags, NUM_TAGS),
        .longest = job.world->longest_bytes};

    if (ompi_comm_rank(channel.comm) == 0) {
        trace_write(coll_mtree_params.trace, &channel);
    } else {
        hand_over(&channel);
    }
    mtree_trace_destroy(job.trace);
    job.trace = NULL;
}

void coll_mtree_trace_begin(mca_coll_mtree_module_t *module)
{
    const coll_mtree_params_t *c = &coll_mtree_params;

    if (c->trace == NULL || c->trace[0] == '\0') {
        return;
    }
    job.trace = mtree_trace_create(c->trace_events);
    if (job.trace == NULL) {
        mtree_error("coll_mtree_trace: no memory for %zu events per rank; lower "
                    "coll_mtree_trace_events",
                    c->trace_events);
    }
    /* Without events of its own, too: others may have some, and wait for this rank. */
    job.world = module;
    coll_mtree_free_hook_add(&ompi_mpi_comm_self.comm, trace_end, NULL);
}
