#include "coll_mtree_report.h"

#include "coll_mtree_finalize.h"
#include "coll_mtree_tags.h"
#include "coll_mtree_transport.h"

#include "report/report.h"
#include "topo/log.h"

#include "ompi/mca/pml/pml.h"
#include "opal/runtime/opal_progress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Calls that the timeline keeps, the newest. */
#define MOST_MOMENTS 4096

/* Seconds that rank 0 waits for the others' times, and they for rank 0 to take them. */
#define REPORT_PATIENCE 10.0

static coll_mtree_report_t report;
static mca_coll_mtree_module_t *world_module; /* NULL: mtree does not serve the world */
static coll_mtree_moment_t *moments;          /* [MOST_MOMENTS] on rank 0 */
static double began, written;                 /* seconds on the clock */
static bool is_running;

static ompi_communicator_t *world(void)
{
    return &ompi_mpi_comm_world.comm;
}

bool coll_mtree_report_is_wanted(void)
{
    const char *path = mca_coll_mtree_component.report;

    return path != NULL && path[0] != '\0';
}

static bool goes_to_stdout(void)
{
    return strcmp(mca_coll_mtree_component.report, "stdout") == 0;
}

/* Write @a text to @a path by way of a file beside it, so that a reader sees the old one
 * or the new one whole. */
static void write_file(const char *path, const char *text)
{
    size_t room = strlen(path) + sizeof(".new");
    char *beside = malloc(room);
    bool failed = beside == NULL;
    FILE *file;

    if (!failed) {
        snprintf(beside, room, "%s.new", path);
        file = fopen(beside, "we");
        failed = file == NULL;
        failed = failed || fputs(text, file) < 0;
        failed = (file != NULL && fclose(file) != 0) || failed;
        failed = failed || rename(beside, path) != 0;
    }
    if (failed) {
        mtree_error("coll_mtree_report: %s: cannot be written: %s; the report is lost",
                    path, strerror(errno));
    }
    free(beside);
}

static void write_report(void)
{
    char *text;

    report.seconds = coll_mtree_clock() - began;
    coll_mtree_statistics_totals(&report.totals);
    text = coll_mtree_report_json(&report, coll_mtree_statistics_lock());
    coll_mtree_statistics_unlock();
    if (text == NULL) {
        mtree_error("coll_mtree_report: no memory for the report; it is lost");
    } else if (goes_to_stdout()) {
        (void)mtree_report_print_text(text, "the report", stdout);
        fflush(stdout);
    } else {
        write_file(mca_coll_mtree_component.report, text);
    }
    free(text);
}

void coll_mtree_report_call(const coll_mtree_count_t *count, double seconds)
{
    double now = count->began + seconds;
    double live = mca_coll_mtree_component.report_live;

    if (!is_running || moments == NULL) {
        return;
    }
    (void)coll_mtree_statistics_lock();
    moments[report.calls % MOST_MOMENTS] =
        (coll_mtree_moment_t){.record = count->record,
                              .server = count->server,
                              .began = count->began - began,
                              .seconds = seconds,
                              .bytes = count->bytes};
    report.calls++;
    report.first_moment =
        report.calls < MOST_MOMENTS ? 0 : (size_t)(report.calls % MOST_MOMENTS);
    report.num_moments =
        report.calls < MOST_MOMENTS ? (size_t)report.calls : MOST_MOMENTS;
    coll_mtree_statistics_unlock();
    if (live > 0 && now - written >= live && !goes_to_stdout()) {
        written = now;
        write_report();
    }
}

/* What this rank's calls took, malloc'ed; NULL with *count_p 0: nothing, or no memory. */
static coll_mtree_heard_t *own_times(size_t *count_p)
{
    const coll_mtree_group_t *groups = coll_mtree_statistics_lock();
    coll_mtree_heard_t *times = NULL;
    size_t count = 0, room = 0;

    for (const coll_mtree_group_t *g = groups; g != NULL; g = g->next) {
        for (const coll_mtree_record_t *r = g->records; r != NULL; r = r->next) {
            room += COLL_MTREE_SERVERS;
        }
    }
    times = room == 0 ? NULL : calloc(room, sizeof(*times));
    for (const coll_mtree_group_t *g = times == NULL ? NULL : groups; g != NULL;
         g = g->next) {
        for (const coll_mtree_record_t *r = g->records; r != NULL; r = r->next) {
            for (int server = 0; server < COLL_MTREE_SERVERS; server++) {
                coll_mtree_heard_t *one = &times[count];

                if (r->by[server].timed == 0) {
                    continue;
                }
                *one = (coll_mtree_heard_t){.identity = g->identity,
                                            .root = r->kind.root,
                                            .size_class = r->kind.size_class,
                                            .server = server,
                                            .rank = coll_mtree_world_rank(),
                                            .timed = r->by[server].timed,
                                            .seconds = r->by[server].seconds};
                snprintf(one->function, sizeof(one->function), "%s", r->function);
                count++;
            }
        }
    }
    coll_mtree_statistics_unlock();
    *count_p = count;
    return times;
}

/* A message to rank 0 that is not waited for for ever.  One that nobody took keeps its
 * memory. */
static void hand_over(int tag)
{
    double deadline = coll_mtree_clock() + REPORT_PATIENCE;
    ompi_request_t *request;
    size_t count;
    coll_mtree_heard_t *times = own_times(&count);
    int done = 0;

    if (MCA_PML_CALL(isend(times, count * sizeof(*times), MPI_BYTE, 0, tag,
                           MCA_PML_BASE_SEND_STANDARD, world(), &request)) !=
        OMPI_SUCCESS) {
        free(times);
        return;
    }
    while (done == 0 && coll_mtree_clock() < deadline) {
        opal_progress();
        if (ompi_request_test(&request, &done, MPI_STATUS_IGNORE) != OMPI_SUCCESS) {
            return;
        }
    }
    if (done != 0) {
        free(times);
    }
}

/* Take the message of @a rank, if it comes before the deadline, to the end of *times_p.
 */
static bool hear(int rank, int tag, double deadline, coll_mtree_heard_t **times_p,
                 size_t *count_p)
{
    coll_mtree_heard_t *times;
    ompi_status_public_t status;
    int there = 0;
    size_t more;

    do {
        if (MCA_PML_CALL(iprobe(rank, tag, world(), &there, &status)) != OMPI_SUCCESS) {
            return false;
        }
    } while (there == 0 && coll_mtree_clock() < deadline);
    if (there == 0) {
        return false;
    }
    more = status._ucount / sizeof(*times);
    times = realloc(*times_p, (*count_p + more + 1) * sizeof(*times));
    if (times == NULL) {
        return false;
    }
    *times_p = times;
    if (MCA_PML_CALL(recv(times + *count_p, more * sizeof(*times), MPI_BYTE, rank, tag,
                          world(), MPI_STATUS_IGNORE)) != OMPI_SUCCESS) {
        return false;
    }
    *count_p += more;
    return true;
}

/* All ranks hand over what their calls took; the last report is written. */
static void report_end(void)
{
    int tag = world_module == NULL ? 0 : coll_mtree_tags_reserve(world_module, 1, false);
    double deadline = coll_mtree_clock() + REPORT_PATIENCE;
    coll_mtree_heard_t *times = NULL;
    size_t count = 0;

    is_running = false;
    if (ompi_comm_rank(world()) != 0) {
        hand_over(tag);
        return;
    }
    report.heard = 1;
    for (int rank = 1; world_module != NULL && rank < ompi_comm_size(world()); rank++) {
        report.heard += hear(rank, tag, deadline, &times, &count);
    }
    report.times = times;
    report.num_times = count;
    report.is_complete = true;
    write_report();
    report.times = NULL;
    free(times);
    free(moments);
    moments = NULL;
}

void coll_mtree_report_begin(mca_coll_mtree_module_t *module, const char *obstacle)
{
    bool writes = ompi_comm_rank(world()) == 0;

    if (!coll_mtree_report_is_wanted() || (module == NULL && !writes)) {
        return;
    }
    began = written = coll_mtree_clock();
    world_module = module;
    report = (coll_mtree_report_t){.started = (int64_t)time(NULL),
                                   .ranks = ompi_comm_size(world()),
                                   .heard = 1,
                                   .obstacle = obstacle};
    moments = writes ? calloc(MOST_MOMENTS, sizeof(*moments)) : NULL;
    report.moments = moments;
    is_running = coll_mtree_finalize_call(report_end);
    if (!is_running) {
        mtree_error("coll_mtree_report: no memory for the report; there will be none");
    }
}
