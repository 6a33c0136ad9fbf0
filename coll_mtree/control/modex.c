/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/modex.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/control/settings.h"
#include "coll_mtree/transport/transport.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/log.h"

#include "ompi/proc/proc.h"

#include <stdlib.h>
#include <time.h>

#define KEY "mtree.settings"

/* Under which a process publishes what it has found of MPI_COMM_WORLD. */
#define WITNESS_KEY "mtree.different"

/* Witnesses that are asked, one after the other, and seconds until one has published.
 * It does in MPI_Init, as the process that asks. */
#define WITNESSES       3
#define WITNESS_SECONDS 5

#define LINES_BYTES 512

/* What is known of another process. */
typedef struct {
    bool is_known;
    coll_mtree_likeness_t likeness; /* to this one */
    uint32_t longest;               /* message; where they are alike */
} process_t;

static char own_lines[LINES_BYTES]; /* "": published nothing */
static process_t *known;            /* by rank in MPI_COMM_WORLD */
static int num_known, known_capacity;
static bool is_logged; /* that processes differ */

static enum { NONE, NOT_ASKED, FOUND } witness_state;
static coll_mtree_witness_t witness; /* where it is FOUND */

/* What cannot be published is logged.  To the others this process is one without mtree.
 */
static void publish_failed(int code)
{
    mtree_error("PMIx does not take what mtree is set to (code %d), so the other "
                "processes do not know of it; the fallback serves; see whether this "
                "host is short of memory",
                code);
    own_lines[0] = '\0';
    is_logged = true;
}

void coll_mtree_modex_publish(void)
{
    char text[LINES_BYTES + 16];
    int rc = OPAL_SUCCESS;

    if (!coll_mtree_params_write(own_lines, sizeof(own_lines)) ||
        !coll_mtree_settings_write(own_lines, coll_mtree_transport_longest(), text,
                                   sizeof(text))) {
        mtree_error("the parameters that ranks compare do not fit into %d bytes",
                    LINES_BYTES);
    }
    if (coll_mtree_has_modex()) {
        OPAL_MODEX_SEND_STRING(rc, MTREE_MODEX_SCOPE, (char *)KEY, text,
                               (coll_mtree_modex_length_t)strlen(text) + 1);
    }
    if (rc != OPAL_SUCCESS) {
        publish_failed(rc);
    }
}

void coll_mtree_modex_close(void)
{
    free(known);
    known = NULL;
    num_known = known_capacity = 0;
    is_logged = false;
    witness_state = NONE;
}

/* What the process @a name published under @a key, malloc'ed (NULL: nothing), and PMIx's
 * code. */
static int text_get(const char *key, const opal_process_name_t *name, char **text_p)
{
    uint8_t *bytes;
    size_t length;
    int rc = coll_mtree_modex_get(key, name, &bytes, &length);

    if (bytes != NULL && (length == 0 || bytes[length - 1] != '\0')) {
        free(bytes);
        bytes = NULL;
    }
    *text_p = (char *)bytes;
    return rc;
}

/*
 * The settings of the process @a name, malloc'ed (NULL: it published none); false, which
 * is logged: PMIx does not say.  Where that process has no mtree the answer may be late,
 * so it is asked for again.
 */
static bool settings_get(const opal_process_name_t *name, char **text_p)
{
    int rc = text_get(KEY, name, text_p);

    if (rc == MTREE_MODEX_LATE) {
        rc = text_get(KEY, name, text_p);
    }
    if (rc != 0 && rc != MTREE_MODEX_NOTHING && rc != MTREE_MODEX_LATE) {
        mtree_error("PMIx does not say what process %u is set to (code %d), so another "
                    "process is asked; see whether this host is short of memory",
                    (unsigned)name->vpid, rc);
        return false;
    }
    return true;
}

/* Log, once and on one rank, what differs between this process and @a rank of @a comm,
 * which published @a theirs (NULL: nothing). */
static void log_difference(ompi_communicator_t *comm, int rank, const char *theirs)
{
    coll_mtree_settings_difference_t difference;

    /* A rank 0 that has no mtree cannot log. */
    if (is_logged || ompi_comm_rank(comm) != (theirs == NULL && rank == 0)) {
        return;
    }
    is_logged = true;
    if (!coll_mtree_settings_find_difference(own_lines, theirs, &difference)) {
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
    process_t process = {true, COLL_MTREE_ALIKE, coll_mtree_transport_longest()};
    char *theirs;

    if (!settings_get(name, &theirs)) {
        process.likeness = COLL_MTREE_UNKNOWN;
        return process;
    }
    if (!coll_mtree_settings_equal(own_lines, theirs, &process.longest)) {
        process.likeness = COLL_MTREE_DIFFERENT;
        log_difference(comm, rank, theirs);
    }
    free(theirs);
    return process;
}

/* Where what is known of the process @a name is kept; NULL: nowhere. */
static process_t *settings_known(const opal_process_name_t *name)
{
    const opal_process_name_t *me = &ompi_proc_local()->super.proc_name;

    if (name->jobid != me->jobid) {
        return NULL;
    }
    if (name->vpid >= (unsigned)num_known) {
        int wanted = (int)name->vpid + 1;

        if (mtree_array_reserve(&known, &known_capacity, wanted, sizeof(*known)) !=
            MTREE_OK) {
            return NULL;
        }
        memset(known + num_known, 0, (size_t)(wanted - num_known) * sizeof(*known));
        num_known = wanted;
    }
    return &known[name->vpid];
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

/* Publish what this process has found of all of @a comm, MPI_COMM_WORLD, for those that
 * know less. */
static void witness_publish(ompi_communicator_t *comm, coll_mtree_likeness_t likeness,
                            int different)
{
    char text[16];
    int rc = OPAL_SUCCESS;

    if (!coll_mtree_witness_write(likeness, different, ompi_comm_size(comm), text,
                                  sizeof(text))) {
        return;
    }
    OPAL_MODEX_SEND_STRING(rc, MTREE_MODEX_SCOPE, (char *)WITNESS_KEY, text,
                           (coll_mtree_modex_length_t)strlen(text) + 1);
    if (rc == OPAL_SUCCESS) {
        coll_mtree_modex_commit();
    }
}

/* Is rank @a rank of MPI_COMM_WORLD a witness?  Then it is kept.  It may
 * not have published yet. */
static bool witness_ask(int rank)
{
    const opal_process_name_t name =
        coll_mtree_process_name(&ompi_mpi_comm_world.comm, rank);
    const double deadline = mtree_clock_seconds() + WITNESS_SECONDS;
    char *text;

    while (text_get(WITNESS_KEY, &name, &text) != 0 || text == NULL) {
        const struct timespec pause = {.tv_nsec = 1000000};

        free(text);
        if (mtree_clock_seconds() > deadline) {
            return false;
        }
        (void)nanosleep(&pause, NULL);
    }
    witness.rank = rank;
    witness_state = coll_mtree_witness_read(text, &witness.different) ? FOUND : NONE;
    free(text);
    return witness_state == FOUND;
}

/* Ask some ranks of MPI_COMM_WORLD, first those whose settings are this process's, until
 * one is a witness. */
static void witness_find(void)
{
    ompi_communicator_t *world = &ompi_mpi_comm_world.comm;
    static const coll_mtree_likeness_t order[] = {COLL_MTREE_ALIKE, COLL_MTREE_UNKNOWN};
    int asked = 0;

    for (int i = 0; i < 2; i++) {
        for (int rank = 0; rank < ompi_comm_size(world) && asked < WITNESSES; rank++) {
            if (rank != ompi_comm_rank(world) &&
                settings_of(world, rank).likeness == order[i]) {
                asked++;
                if (witness_ask(rank)) {
                    return;
                }
            }
        }
    }
    witness_state = NONE;
}

/* Are the ranks of @a comm, of whom this process does not know all, alike? */
static coll_mtree_likeness_t witness_judge(ompi_communicator_t *comm)
{
    ompi_communicator_t *world = &ompi_mpi_comm_world.comm;
    coll_mtree_likeness_t likeness = COLL_MTREE_UNKNOWN;
    int count = 0, *ranks;

    if (witness_state == NOT_ASKED) {
        witness_find();
    }
    ranks = witness_state == FOUND ? malloc((size_t)ompi_comm_size(comm) * sizeof(*ranks))
                                   : NULL;
    if (ranks == NULL) {
        return COLL_MTREE_UNKNOWN;
    }
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        const opal_process_name_t name = coll_mtree_process_name(comm, rank);

        if (rank == ompi_comm_rank(comm)) {
            /* This one is as the witness, where both are known to be alike. */
            ranks[count++] = settings_of(world, witness.rank).likeness == COLL_MTREE_ALIKE
                                 ? witness.rank
                                 : ompi_comm_rank(world);
        } else if (settings_of(comm, rank).likeness == COLL_MTREE_UNKNOWN) {
            ranks[count++] = name.jobid == ompi_proc_local()->super.proc_name.jobid
                                 ? (int)name.vpid
                                 : -1;
        }
    }
    likeness = coll_mtree_witness_judge(&witness, ranks, count);
    free(ranks);
    return likeness;
}

static void log_witness(ompi_communicator_t *comm, coll_mtree_likeness_t likeness)
{
    if (is_logged || likeness == COLL_MTREE_ALIKE) {
        return;
    }
    is_logged = true;
    if (likeness == COLL_MTREE_DIFFERENT) {
        mtree_error("process %d says that process %d has no mtree, or is set otherwise; "
                    "what ranks compare must be the same on all of them; the fallback "
                    "serves",
                    witness.rank, witness.different);
        return;
    }
    mtree_error("PMIx does not say whether all ranks of communicator %u (%s) are set "
                "alike, so that this rank's calls end with MPI_ERR_NO_MEM; see whether "
                "this host is short of memory",
                coll_mtree_cid(comm), comm->c_name);
}

/* What this process knows by itself of @a comm.  *different_p is the first rank that is
 * set otherwise, *is_whole_p whether those before it are known. */
static coll_mtree_likeness_t comm_view(ompi_communicator_t *comm, int *different_p,
                                       bool *is_whole_p, uint32_t *longest_p)
{
    *longest_p = coll_mtree_transport_longest();
    *is_whole_p = true;
    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        if (rank != ompi_comm_rank(comm)) {
            process_t process = settings_of(comm, rank);

            if (process.likeness == COLL_MTREE_DIFFERENT) {
                *different_p = rank;
                return COLL_MTREE_DIFFERENT;
            }
            *is_whole_p = *is_whole_p && process.likeness == COLL_MTREE_ALIKE;
            *longest_p = process.longest < *longest_p ? process.longest : *longest_p;
        }
    }
    return *is_whole_p ? COLL_MTREE_ALIKE : COLL_MTREE_UNKNOWN;
}

coll_mtree_likeness_t coll_mtree_modex_compare(ompi_communicator_t *comm,
                                               uint32_t *longest_p)
{
    int different = 0;
    bool is_whole;
    coll_mtree_likeness_t likeness = comm_view(comm, &different, &is_whole, longest_p);

    if (comm == &ompi_mpi_comm_world.comm) {
        /* Before it asks: two that ask each other must not wait. */
        witness_publish(comm, is_whole ? likeness : COLL_MTREE_UNKNOWN, different);
        witness_state = NOT_ASKED;
    }
    if (likeness == COLL_MTREE_UNKNOWN) {
        likeness = witness_judge(comm);
        log_witness(comm, likeness);
    }
    return likeness;
}
