/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/modex.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/transport/transport.h"

#include "base/array.h"
#include "base/memory.h"

#include "ompi/runtime/mpiruntime.h"

#include <stdlib.h>

#define KEY "mtree.settings"

_Static_assert(offsetof(coll_mtree_published_t, lines) == 0,
               "older versions find the lines");

/* What is known of another process. */
typedef struct {
    bool is_known;
    bool is_alike;                    /* this one */
    coll_mtree_abilities_t abilities; /* of both, where they are alike */
    coll_mtree_host_t host;           /* kept for all groups, as PMIx 5 keeps a copy each
                                         time that it is asked */
} process_t;

static struct {
    coll_mtree_published_t own;
    opal_mutex_t lock; /* of what follows: several threads may make communicators */
    process_t *known;  /* [num_known] by rank in MPI_COMM_WORLD */
    int num_known, capacity;
} modex = {.lock = OPAL_MUTEX_STATIC_INIT};

coll_mtree_published_t *coll_mtree_modex_own(void)
{
    return &modex.own;
}

/* Each host keeps what all processes have published, and most have no networks. */
static size_t published_length(const coll_mtree_published_t *own)
{
    return offsetof(coll_mtree_published_t, networks.addresses) +
           (size_t)own->networks.count * sizeof(own->networks.addresses[0]);
}

void coll_mtree_modex_publish(void)
{
    coll_mtree_published_t *own = &modex.own;
    int rc;

    own->abilities.longest = coll_mtree_transport_longest();
    own->abilities.is_threaded = ompi_mpi_thread_multiple;
    coll_mtree_host_describe(&own->host);
    if (!coll_mtree_params_write(own->lines, sizeof(own->lines))) {
        mtree_error("the parameters that ranks compare do not fit into %zu bytes",
                    sizeof(own->lines));
    }
    rc = coll_mtree_modex_put(KEY, own, published_length(own));
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
    explicit_bzero(&modex.own, sizeof(modex.own));
}

/* What the process @a name published, and PMIx's code. */
static int settings_read(const opal_process_name_t *name, coll_mtree_published_t *theirs)
{
    uint8_t *bytes;
    size_t length;
    int rc = coll_mtree_modex_get(KEY, name, &bytes, &length);

    memset(theirs, 0, sizeof(*theirs));
    if (bytes != NULL && length <= sizeof(*theirs)) {
        memcpy(theirs, bytes, length);
        theirs->lines[sizeof(theirs->lines) - 1] = '\0';
    }
    free(bytes);
    return rc;
}

/*
 * The settings of the process @a name.  Where that process has no mtree the answer may be
 * late, so it is asked for again.  Where PMIx does not say, the job ends: the others know
 * who serves, and wait.
 */
static void settings_get(const opal_process_name_t *name, coll_mtree_published_t *theirs)
{
    int rc = settings_read(name, theirs);

    if (rc == MTREE_MODEX_LATE) {
        rc = settings_read(name, theirs);
    }
    if (rc != 0 && rc != MTREE_MODEX_NOTHING && rc != MTREE_MODEX_LATE) {
        mtree_error("PMIx does not say what process %u is set to (code %d), so the job "
                    "ends; see whether this host is short of memory",
                    (unsigned)name->vpid, rc);
        coll_mtree_end_job();
    }
}

/* What is known of the process @a name; nothing of another job's is kept. */
static process_t known_get(const opal_process_name_t *name)
{
    process_t process = {.is_known = false};

    opal_mutex_lock(&modex.lock);
    if (name->jobid == OPAL_PROC_MY_NAME.jobid &&
        name->vpid < (unsigned)modex.num_known) {
        process = modex.known[name->vpid];
    }
    opal_mutex_unlock(&modex.lock);
    return process;
}

static void known_put(const opal_process_name_t *name, process_t process)
{
    const int wanted = (int)name->vpid + 1;

    if (name->jobid != OPAL_PROC_MY_NAME.jobid) {
        return;
    }
    opal_mutex_lock(&modex.lock);
    if (wanted > modex.num_known) {
        mtree_array_reserve(&modex.known, &modex.capacity, wanted, sizeof(*modex.known));
        memset(modex.known + modex.num_known, 0,
               (size_t)(wanted - modex.num_known) * sizeof(*modex.known));
        modex.num_known = wanted;
    }
    modex.known[name->vpid] = process;
    opal_mutex_unlock(&modex.lock);
}

bool coll_mtree_modex_find(const opal_process_name_t *name,
                           coll_mtree_published_t *published)
{
    const process_t known = known_get(name);

    /* It may have no mtree: then the answer would be late again. */
    if (known.is_known && !known.is_alike) {
        return false;
    }
    if (opal_compare_proc(*name, OPAL_PROC_MY_NAME) == 0) {
        *published = modex.own;
    } else {
        settings_get(name, published);
    }
    return strcmp(published->lines, modex.own.lines) == 0;
}

/* Log, once and on one rank, what differs between this process and @a rank of @a comm,
 * which published the lines @a theirs ("": nothing). */
static void log_difference(ompi_communicator_t *comm, int rank, const char *theirs)
{
    const char *own = modex.own.lines;

    /* A rank 0 that has no mtree cannot log. */
    if (ompi_comm_rank(comm) != (theirs[0] == '\0' && rank == 0) ||
        !coll_mtree_log_is_first("settings that differ")) {
        return;
    }
    if (!coll_mtree_params_find_difference(&own, &theirs)) {
        mtree_error("rank %d of communicator %u (%s) has no mtree, or another version of "
                    "it, or did not ask for it; install the same one on all hosts, and "
                    "set coll, or coll_mtree_topology, for all ranks; the fallback "
                    "serves",
                    rank, coll_mtree_cid(comm), comm->c_name);
        return;
    }
    mtree_error("coll_mtree_%.*s on rank 0, but %.*s on rank %d of communicator %u (%s); "
                "it must be the same on all ranks; the fallback serves",
                (int)strcspn(own, "\n"), own, (int)strcspn(theirs, "\n"), theirs, rank,
                coll_mtree_cid(comm), comm->c_name);
}

static process_t settings_ask(ompi_communicator_t *comm, int rank,
                              const opal_process_name_t *name)
{
    process_t process = {.is_known = true};
    coll_mtree_published_t theirs;

    process.is_alike = coll_mtree_modex_find(name, &theirs);
    process.abilities = theirs.abilities;
    process.abilities.spans_hosts = strcmp(theirs.host.name, modex.own.host.name) != 0;
    process.host = theirs.host;
    if (!process.is_alike) {
        log_difference(comm, rank, theirs.lines);
    }
    return process;
}

/* What the process of rank @a rank of @a comm published. */
static process_t settings_of(ompi_communicator_t *comm, int rank)
{
    const opal_process_name_t name = coll_mtree_process_name(comm, rank);
    process_t process = known_get(&name);

    if (!process.is_known) {
        process = settings_ask(comm, rank, &name);
        known_put(&name, process);
    }
    return process;
}

bool coll_mtree_modex_equal(ompi_communicator_t *comm,
                            coll_mtree_abilities_t *abilities_p)
{
    *abilities_p = modex.own.abilities;
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
            abilities_p->spans_hosts |= process.abilities.spans_hosts;
        }
    }
    return true;
}

void coll_mtree_modex_hosts(ompi_communicator_t *comm, coll_mtree_hosts_t *hosts_p,
                            mtree_locality_t **localities_p)
{
    const int ranks = ompi_comm_size(comm);
    coll_mtree_host_t *of_rank = mtree_calloc((size_t)ranks, sizeof(*of_rank));
    const char **names = mtree_calloc((size_t)ranks, sizeof(*names));

    *localities_p = mtree_calloc((size_t)ranks, sizeof(**localities_p));
    for (int rank = 0; rank < ranks; rank++) {
        of_rank[rank] = settings_of(comm, rank).host;
        names[rank] = of_rank[rank].name;
        (*localities_p)[rank] = coll_mtree_host_locality(&of_rank[rank]);
    }
    coll_mtree_host_numbers_create(names, ranks, &hosts_p->numbers);
    hosts_p->list =
        mtree_calloc((size_t)hosts_p->numbers.num_hosts, sizeof(*hosts_p->list));
    for (int host = 0; host < hosts_p->numbers.num_hosts; host++) {
        hosts_p->list[host] = of_rank[hosts_p->numbers.first[host]];
    }
    free(names);
    free(of_rank);
}
