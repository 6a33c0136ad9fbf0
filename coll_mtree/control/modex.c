/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/modex.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/memory.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/control/settings.h"
#include "coll_mtree/transport/transport.h"

#include "base/array.h"

#include "ompi/proc/proc.h"
#include "ompi/runtime/mpiruntime.h"

#include <stdlib.h>

#define KEY "mtree.settings"

#define LINES_BYTES 512

/* What is known of another process. */
typedef struct {
    bool is_known;
    bool is_alike;                    /* this one */
    coll_mtree_abilities_t abilities; /* where they are alike */
} process_t;

static struct {
    char own_lines[LINES_BYTES];
    coll_mtree_abilities_t own_abilities; /* as they were published */
    process_t *known;                     /* [num_known] by rank in MPI_COMM_WORLD */
    int num_known, capacity;
} modex;

void coll_mtree_modex_publish(void)
{
    char text[LINES_BYTES + 16];
    int rc = OPAL_SUCCESS;

    modex.own_abilities =
        (coll_mtree_abilities_t){.longest = coll_mtree_transport_longest(),
                                 .is_threaded = ompi_mpi_thread_multiple};
    if (!coll_mtree_params_write(modex.own_lines, sizeof(modex.own_lines)) ||
        !coll_mtree_settings_write(modex.own_lines, modex.own_abilities, text,
                                   sizeof(text))) {
        mtree_error("the parameters that ranks compare do not fit into %d bytes",
                    LINES_BYTES);
    }
    if (coll_mtree_has_modex()) {
        rc = coll_mtree_modex_put(KEY, text, strlen(text) + 1);
    }
    if (rc != OPAL_SUCCESS) {
        mtree_error("PMIx does not take what mtree is set to (code %d), so the others "
                    "would not know of it; the job ends; see whether this host is short "
                    "of memory",
                    rc);
        coll_mtree_end_job();
    }
}

void coll_mtree_modex_close(void)
{
    free(modex.known);
    modex.known = NULL;
    modex.num_known = modex.capacity = 0;
}

/* What the process @a name published, malloc'ed (NULL: nothing), and PMIx's code. */
static int text_get(const opal_process_name_t *name, char **text_p)
{
    uint8_t *bytes;
    size_t length;
    int rc = coll_mtree_modex_get(KEY, name, &bytes, &length);

    if (bytes != NULL && (length == 0 || bytes[length - 1] != '\0')) {
        free(bytes);
        bytes = NULL;
    }
    *text_p = (char *)bytes;
    return rc;
}

/*
 * The settings of the process @a name, malloc'ed; NULL: it published none.  Where that
 * process has no mtree the answer may be late, so it is asked for again.  Where PMIx does
 * not say, the job ends: the others know who serves, and wait.
 */
static char *settings_get(const opal_process_name_t *name)
{
    char *text;
    int rc = text_get(name, &text);

    if (rc == MTREE_MODEX_LATE) {
        rc = text_get(name, &text);
    }
    if (rc != 0 && rc != MTREE_MODEX_NOTHING && rc != MTREE_MODEX_LATE) {
        mtree_error("PMIx does not say what process %u is set to (code %d), so the job "
                    "ends; see whether this host is short of memory",
                    (unsigned)name->vpid, rc);
        coll_mtree_end_job();
    }
    return text;
}

/* Log, once and on one rank, what differs between this process and @a rank of @a comm,
 * which published @a theirs (NULL: nothing). */
static void log_difference(ompi_communicator_t *comm, int rank, const char *theirs)
{
    coll_mtree_settings_difference_t difference;

    /* A rank 0 that has no mtree cannot log. */
    if (ompi_comm_rank(comm) != (theirs == NULL && rank == 0) ||
        !coll_mtree_log_is_first("settings that differ")) {
        return;
    }
    if (!coll_mtree_settings_find_difference(modex.own_lines, theirs, &difference)) {
        mtree_error("rank %d of communicator %u (%s) has no mtree, or another version of "
                    "it, or did not ask for it; install the same one on all hosts, and "
                    "set coll, or coll_mtree_topology, for all ranks; the fallback "
                    "serves",
                    rank, coll_mtree_cid(comm), comm->c_name);
        return;
    }
    mtree_error("coll_mtree_%.*s on rank 0, but %.*s on rank %d of communicator %u (%s); "
                "it must be the same on all ranks; the fallback serves",
                difference.own_length, difference.own, difference.their_length,
                difference.theirs, rank, coll_mtree_cid(comm), comm->c_name);
}

static process_t settings_ask(ompi_communicator_t *comm, int rank,
                              const opal_process_name_t *name)
{
    process_t process = {.is_known = true};
    char *theirs = settings_get(name);

    process.is_alike =
        coll_mtree_settings_equal(modex.own_lines, theirs, &process.abilities);
    if (!process.is_alike) {
        log_difference(comm, rank, theirs);
    }
    free(theirs);
    return process;
}

/* Where what is known of the process @a name is kept; NULL: nowhere, it is another
 * job's. */
static process_t *settings_known(const opal_process_name_t *name)
{
    const opal_process_name_t *me = &ompi_proc_local()->super.proc_name;

    if (name->jobid != me->jobid) {
        return NULL;
    }
    if (name->vpid >= (unsigned)modex.num_known) {
        int wanted = (int)name->vpid + 1;

        coll_mtree_require(mtree_array_reserve(&modex.known, &modex.capacity, wanted,
                                               sizeof(*modex.known)));
        memset(modex.known + modex.num_known, 0,
               (size_t)(wanted - modex.num_known) * sizeof(*modex.known));
        modex.num_known = wanted;
    }
    return &modex.known[name->vpid];
}

/* What the process of rank @a rank of @a comm published. */
static process_t settings_of(ompi_communicator_t *comm, int rank)
{
    const opal_process_name_t name = coll_mtree_process_name(comm, rank);
    process_t *at = settings_known(&name);
    process_t process;

    if (at != NULL && at->is_known) {
        return *at;
    }
    process = settings_ask(comm, rank, &name);
    if (at != NULL) {
        *at = process;
    }
    return process;
}

bool coll_mtree_modex_equal(ompi_communicator_t *comm,
                            coll_mtree_abilities_t *abilities_p)
{
    *abilities_p = modex.own_abilities;
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        if (rank != ompi_comm_rank(comm)) {
            process_t process = settings_of(comm, rank);

            if (!process.is_alike) {
                return false;
            }
            if (process.abilities.longest < abilities_p->longest) {
                abilities_p->longest = process.abilities.longest;
            }
            abilities_p->is_threaded |= process.abilities.is_threaded;
        }
    }
    return true;
}
