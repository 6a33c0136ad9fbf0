/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/modex.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/topology/source.h"
#include "coll_mtree/transport/transport.h"

#include "base/log.h"

#include "ompi/proc/proc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define KEY "mtree.settings"

#define LONGEST_TEXT 512

typedef struct {
    coll_mtree_modex_t settings;
    uint32_t longest; /* message; where they are the same */
} process_t;

static char mine[LONGEST_TEXT];
static process_t *known; /* by rank in MPI_COMM_WORLD */
static size_t num_known;
static bool rank_sample;

void coll_mtree_modex_publish(void)
{
    char all[LONGEST_TEXT + 16];
    int rc = OPAL_SUCCESS;

    /* One per line, so that the first line that differs can be named. */
    if (!coll_mtree_params_write(mine, sizeof(mine))) {
        mtree_error("the parameters that ranks compare do not fit into %d bytes",
                    LONGEST_TEXT);
    }
    /* What need not be the same comes behind what must. */
    snprintf(all, sizeof(all), "%s\n%" PRIu32, mine, coll_mtree_transport_longest());
    if (coll_mtree_has_modex()) {
        OPAL_MODEX_SEND_STRING(rc, MTREE_MODEX_SCOPE, (char *)KEY, all,
                               (coll_mtree_modex_length_t)strlen(all) + 1);
    }
    if (rc != OPAL_SUCCESS) {
        mtree_error("PMIx does not take what mtree is set to (code %d), so the other "
                    "processes do not know of it; the fallback serves; see whether this "
                    "host is short of memory",
                    rc);
        /* To the others this process is one without mtree; what that is about is said. */
        mine[0] = '\0';
        rank_sample = true;
    }
}

void coll_mtree_modex_close(void)
{
    free(known);
    known = NULL;
    num_known = 0;
    rank_sample = false;
}

static size_t line_length(const char *line)
{
    return strcspn(line, "\n");
}

/* What the process @a name has told, malloc'ed (NULL: nothing); false: no memory. */
static bool settings_get(const opal_process_name_t *name, char **text_p)
{
    uint8_t *bytes;
    size_t length;

    if (!coll_mtree_modex_get(KEY, name, &bytes, &length)) {
        return false;
    }
    if (bytes != NULL && (length == 0 || bytes[length - 1] != '\0')) {
        free(bytes);
        bytes = NULL;
    }
    *text_p = (char *)bytes;
    return true;
}

/* Say what differs between this process and rank @a rank of @a comm, which said @a theirs
 * (NULL: nothing). */
static void settings_tell(ompi_communicator_t *comm, int rank, const char *theirs)
{
    const char *own = mine;

    /* A rank 0 that has no mtree cannot speak. */
    if (rank_sample || ompi_comm_rank(comm) != (theirs == NULL && rank == 0)) {
        return;
    }
    rank_sample = true;
    while (theirs != NULL && line_length(own) > 0 &&
           line_length(own) == line_length(theirs) &&
           strncmp(own, theirs, line_length(own)) == 0) {
        own += line_length(own) + 1;
        theirs += line_length(theirs) + 1;
    }
    if (theirs == NULL || line_length(own) == 0 || line_length(theirs) == 0) {
        mtree_error("rank %d of communicator %u (%s) has no mtree, or another version of "
                    "it; install the same one on all hosts; the fallback serves",
                    rank, coll_mtree_cid(comm), comm->c_name);
        return;
    }
    mtree_error("coll_mtree_%.*s on rank 0, but %.*s on rank %d of communicator %u (%s); "
                "it must be the same on all ranks; the fallback serves",
                (int)line_length(own), own, (int)line_length(theirs), theirs, rank,
                coll_mtree_cid(comm), comm->c_name);
}

static process_t settings_ask(ompi_communicator_t *comm, int rank,
                              const opal_process_name_t *name)
{
    process_t process = {COLL_MTREE_MODEX_UNKNOWN, COLL_MTREE_ANY_LENGTH};
    size_t length = strlen(mine);
    char *theirs;

    if (!settings_get(name, &theirs)) {
        return process;
    }
    if (theirs != NULL && length > 0 && strncmp(theirs, mine, length) == 0 &&
        theirs[length] == '\n') {
        process.settings = COLL_MTREE_MODEX_SAME;
        process.longest = (uint32_t)strtoul(theirs + length + 1, NULL, 10);
    } else {
        process.settings = COLL_MTREE_MODEX_DIFFERENT;
        settings_tell(comm, rank, theirs);
    }
    free(theirs);
    return process;
}

/* Where what is known of a process is kept; NULL: nowhere. */
static process_t *settings_known(const opal_process_name_t *name)
{
    const opal_process_name_t *me = &ompi_proc_local()->super.proc_name;

    if (name->jobid != me->jobid) {
        return NULL;
    }
    if (name->vpid >= num_known) {
        size_t wanted = 2 * (size_t)name->vpid + 64;
        process_t *grown = realloc(known, wanted * sizeof(*grown));

        if (grown == NULL) {
            return NULL;
        }
        memset(grown + num_known, 0, (wanted - num_known) * sizeof(*grown));
        known = grown;
        num_known = wanted;
    }
    return &known[name->vpid];
}

/* What the process of rank @a rank of @a comm has told, if it is known or can be. */
static process_t settings_of(ompi_communicator_t *comm, int rank)
{
    const opal_process_name_t *name = &ompi_comm_peer_lookup(comm, rank)->super.proc_name;
    process_t *at = settings_known(name);
    process_t process;

    if (at != NULL && at->settings != COLL_MTREE_MODEX_UNKNOWN) {
        return *at;
    }
    process = settings_ask(comm, rank, name);
    if (at != NULL) {
        *at = process;
    }
    return process;
}

coll_mtree_modex_t coll_mtree_modex_compare(ompi_communicator_t *comm,
                                            uint32_t *longest_p)
{
    coll_mtree_modex_t all = COLL_MTREE_MODEX_SAME;
    uint32_t longest = coll_mtree_transport_longest();

    for (int rank = 0; rank < ompi_comm_size(comm); rank++) {
        process_t process;

        if (rank == ompi_comm_rank(comm)) {
            continue;
        }
        process = settings_of(comm, rank);
        /* What one rank does not know, the others may: all see that two differ. */
        if (process.settings == COLL_MTREE_MODEX_DIFFERENT) {
            return process.settings;
        }
        if (process.settings == COLL_MTREE_MODEX_UNKNOWN) {
            all = process.settings;
        }
        longest = process.longest < longest ? process.longest : longest;
    }
    if (all == COLL_MTREE_MODEX_SAME) {
        *longest_p = longest;
    }
    return all;
}
