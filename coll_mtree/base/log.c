/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/log.h"

#include "coll_mtree/base/params.h"

#include "base/memory.h"

#include "opal/util/output.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

/* Topics that are remembered; a later one is new each time. */
#define MOST_TOPICS 64

typedef struct {
    mtree_list_t link;
    ompi_communicator_t *comm; /* that it is about; NULL: none */
    int to;                    /* of opal_output */
    char text[];
} line_t;

static int stream = -1;                  /* of opal_output, for what is no warning */
static _Thread_local mtree_list_t *kept; /* of line_t; NULL: lines are written */

/* What lines that are logged once were about. */
static struct {
    pthread_mutex_t lock;
    const char *list[MOST_TOPICS]; /* [count] */
    int count;
} topics = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void write_line(int to, ompi_communicator_t *comm, const char *text)
{
    if (comm == NULL) {
        opal_output(to, "coll:mtree: %s", text);
    } else {
        opal_output(to, "coll:mtree: communicator %u (%s): %s", coll_mtree_cid(comm),
                    comm->c_name, text);
    }
}

static void log_line(int to, ompi_communicator_t *comm, const char *text)
{
    size_t bytes = strlen(text) + 1;
    line_t *line;

    if (kept == NULL) {
        write_line(to, comm, text);
        return;
    }
    line = mtree_malloc(sizeof(*line) + bytes);
    line->to = to;
    line->comm = comm;
    memcpy(line->text, text, bytes);
    mtree_list_append(kept, &line->link);
}

void coll_mtree_log_keep(mtree_list_t *lines)
{
    kept = lines;
}

void coll_mtree_log_write(mtree_list_t *lines)
{
    mtree_list_t *link;

    while ((link = mtree_list_take(lines)) != NULL) {
        line_t *line = MTREE_CONTAINER_OF(link, line_t, link);

        write_line(line->to, line->comm, line->text);
        free(line);
    }
}

/* MPI_T may have written coll_mtree_verbose since the last line. */
static mtree_log_level_t log_level(void)
{
    const int verbose = coll_mtree_params.verbose;

    return verbose >= 20  ? MTREE_LOG_DEBUG
           : verbose >= 1 ? MTREE_LOG_INFO
                          : MTREE_LOG_WARN;
}

static void forward_log(mtree_log_level_t level, const char *message, void *arg)
{
    int to = level <= MTREE_LOG_WARN ? 0 : stream;

    (void)arg;
    if (level <= log_level()) {
        log_line(to, NULL, message);
    }
}

/* What the thread has kept is lost with the job. */
static void end_without_memory(const char *reason)
{
    kept = NULL;
    mtree_log_about(NULL, NULL);
    mtree_error(
        "%s on rank %d of MPI_COMM_WORLD; the other ranks wait for it, so the job "
        "ends; run fewer ranks per host, or lower coll_mtree_chunk",
        reason, coll_mtree_world_rank());
    coll_mtree_end_job();
}

void coll_mtree_log_open(void)
{
    mtree_memory_on_missing(end_without_memory);
    stream = opal_output_open(NULL);
    mtree_log_set(forward_log, NULL, MTREE_LOG_DEBUG);
}

void coll_mtree_log_close(void)
{
    mtree_log_set(NULL, NULL, MTREE_LOG_WARN);
    if (stream >= 0) {
        opal_output_close(stream);
        stream = -1;
    }
}

void coll_mtree_verbose(ompi_communicator_t *comm, int level, const char *format, ...)
{
    char line[MTREE_LOG_LINE];
    va_list args;

    if (coll_mtree_params.verbose < level || ompi_comm_rank(comm) != 0) {
        return;
    }
    va_start(args, format);
    mtree_log_format(line, format, args);
    va_end(args);
    log_line(stream, comm, line);
}

int coll_mtree_fallback_level(ompi_communicator_t *comm)
{
    return comm == &ompi_mpi_comm_world.comm && coll_mtree_params_named() ? 0 : 1;
}

bool coll_mtree_log_is_first(const char *topic)
{
    int i = 0;
    bool is_first;

    pthread_mutex_lock(&topics.lock);
    while (i < topics.count && strcmp(topics.list[i], topic) != 0) {
        i++;
    }
    is_first = i == topics.count;
    if (is_first && i < MOST_TOPICS) {
        topics.list[topics.count++] = topic;
    }
    pthread_mutex_unlock(&topics.lock);
    return is_first;
}

void coll_mtree_not_encrypted(ompi_communicator_t *comm, const char *what,
                              const char *reason)
{
    if (coll_mtree_params.encrypt && ompi_comm_rank(comm) == 0 &&
        coll_mtree_log_is_first(reason)) {
        coll_mtree_verbose(comm, 0,
                           "not encrypted: %s, since %s; what it sends between hosts "
                           "goes over Open MPI's connections",
                           what, reason);
    }
}

int coll_mtree_different_calls(ompi_communicator_t *comm, const char *function,
                               const char *root, const char *planned)
{
    if (coll_mtree_log_is_first("different calls")) {
        mtree_error(
            "rank %d calls %s%s on communicator %s, for which rank 0 has planned %s; "
            "all ranks must make the same calls in the same order, with the same "
            "root and size; the call ends with MPI_ERR_OTHER",
            ompi_comm_rank(comm), function, root, comm->c_name, planned);
    }
    return MPI_ERR_OTHER;
}
