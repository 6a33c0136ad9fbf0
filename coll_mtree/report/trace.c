/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/trace.h"

#include "coll_mtree/base/finalize_hooks.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/safe_file.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/transport/transport.h"

#include "base/log.h"
#include "planner/plan/plan.h"

#include "ompi/mca/pml/pml.h"

#include <stdio.h>
#include <string.h>

/* Round trips from which the quickest tells how far two clocks are apart. */
#define PINGS 8

/* The parts of the talk between rank 0 and another, each a tag. */
enum { TAG_PING, TAG_HEADER, TAG_EVENTS, NUM_TAGS };

typedef struct {
    size_t count;
    char host[128];
} header_t;

static mtree_trace_t *trace;
static mca_coll_mtree_module_t *world_module;

mtree_trace_t *coll_mtree_trace_get(void)
{
    return trace;
}

static ompi_communicator_t *world(void)
{
    return &ompi_mpi_comm_world.comm;
}

/* Kept by this rank: none where there was no memory for them. */
static size_t num_events(void)
{
    return trace == NULL ? 0 : mtree_trace_count(trace);
}

static int send_bytes(const void *bytes, size_t length, int rank, int tag)
{
    return MCA_PML_CALL(send((void *)bytes, length, MPI_BYTE, rank, tag,
                             MCA_PML_BASE_SEND_STANDARD, world()));
}

static int recv_bytes(void *bytes, size_t length, int rank, int tag)
{
    return MCA_PML_CALL(
        recv(bytes, length, MPI_BYTE, rank, tag, world(), MPI_STATUS_IGNORE));
}

/* Seconds by which the clock of @a rank is ahead of this one. */
static double clock_offset(int rank, int tag)
{
    double least = -1, offset = 0;

    for (int i = 0; i < PINGS; i++) {
        double before = coll_mtree_clock(), after, theirs;

        if (send_bytes(&before, sizeof(before), rank, tag) != OMPI_SUCCESS ||
            recv_bytes(&theirs, sizeof(theirs), rank, tag) != OMPI_SUCCESS) {
            return 0;
        }
        after = coll_mtree_clock();
        if (least < 0 || after - before < least) {
            least = after - before;
            offset = theirs - (before + after) / 2;
        }
    }
    return offset;
}

/* What rank 0 asks of this one. */
static void trace_hand_over(int first_tag)
{
    header_t header = {.count = num_events()};

    snprintf(header.host, sizeof(header.host), "%s", coll_mtree_nodename());
    for (int i = 0; i < PINGS; i++) {
        double now;

        (void)recv_bytes(&now, sizeof(now), 0, first_tag - TAG_PING);
        now = coll_mtree_clock();
        (void)send_bytes(&now, sizeof(now), 0, first_tag - TAG_PING);
    }
    (void)send_bytes(&header, sizeof(header), 0, first_tag - TAG_HEADER);
    for (size_t i = 0; i < header.count; i++) {
        (void)send_bytes(mtree_trace_get(trace, i), sizeof(mtree_trace_event_t), 0,
                         first_tag - TAG_EVENTS);
    }
}

/* What all lines of an event have in common, up to its time, and what follows it. */
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

/* Sends are under way at the same time, so each is a pair of lines with a number in
 * common. */
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

/* All that @a rank has, over the network when it is another one. */
static void write_rank(FILE *file, int rank, int first_tag)
{
    header_t header = {.count = num_events()};
    double offset = 0;

    snprintf(header.host, sizeof(header.host), "%s", coll_mtree_nodename());
    if (rank > 0) {
        offset = clock_offset(rank, first_tag - TAG_PING);
        if (recv_bytes(&header, sizeof(header), rank, first_tag - TAG_HEADER) !=
            OMPI_SUCCESS) {
            header.count = 0;
        }
    }
    fprintf(file,
            "%s\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":"
            "\"rank %d on %s\"}}",
            rank == 0 ? "" : ",", rank, rank, header.host);
    for (size_t i = 0; i < header.count; i++) {
        mtree_trace_event_t event;

        if (rank == 0) {
            event = *mtree_trace_get(trace, i);
        } else if (recv_bytes(&event, sizeof(event), rank, first_tag - TAG_EVENTS) !=
                   OMPI_SUCCESS) {
            return;
        }
        write_event(file, rank, offset, i, &event);
    }
}

static void trace_write(const char *path, int first_tag)
{
    FILE *file = coll_mtree_safe_file_open(path, false);

    if (file == NULL) {
        mtree_error("coll_mtree_trace: %s: cannot be written: %s; the trace is lost",
                    path, coll_mtree_safe_file_error());
        /* The others wait to be asked. */
        file = fopen("/dev/null", "w");
    }
    if (file == NULL) {
        return;
    }
    fprintf(file, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
    for (int rank = 0; rank < ompi_comm_size(world()); rank++) {
        write_rank(file, rank, first_tag);
    }
    fprintf(file, "\n]}\n");
    if (ferror(file) != 0 || fclose(file) != 0) {
        mtree_error("coll_mtree_trace: %s: writing failed; is the disk full?", path);
    }
}

static void trace_end(void)
{
    int first_tag = coll_mtree_tags_reserve(world_module, NUM_TAGS, false);

    if (ompi_comm_rank(world()) == 0) {
        trace_write(coll_mtree_params.trace, first_tag);
    } else {
        trace_hand_over(first_tag);
    }
    mtree_trace_destroy(trace);
    trace = NULL;
}

void coll_mtree_trace_begin(mca_coll_mtree_module_t *module)
{
    const coll_mtree_params_t *c = &coll_mtree_params;

    if (c->trace == NULL || c->trace[0] == '\0' || c->trace_events == 0) {
        return;
    }
    if (mtree_trace_create(c->trace_events, &trace) != MTREE_OK) {
        mtree_error("coll_mtree_trace: no memory for %zu events a rank; lower "
                    "coll_mtree_trace_events",
                    c->trace_events);
        trace = NULL;
    }
    /* Without events of its own, too: others may have some, and wait for this rank. */
    world_module = module;
    if (!coll_mtree_finalize_hook_add(trace_end)) {
        mtree_trace_destroy(trace);
        trace = NULL;
    }
}
