/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/encryption.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/base/tags.h"
#include "coll_mtree/control/host.h"
#include "coll_mtree/tcp/turn.h"

#include "base/clock.h"
#include "ompi/mca/pml/pml.h"
#include "opal/runtime/opal_progress.h"
#include "tcp/tls.h"

#include <time.h>
#include <unistd.h>

/* Seconds in which a job ends when one of its processes has spoken. */
#define END_SECONDS 10

void coll_mtree_encryption_confirm(ompi_communicator_t *comm, int connections)
{
    if (coll_mtree_params.encrypt && comm == &ompi_mpi_comm_world.comm) {
        coll_mtree_verbose(comm, 1,
                           "calls are encrypted between hosts: " MTREE_TLS_CIPHER
                           ", TCP connections to each process: %d",
                           connections);
    }
}

static int says_tag(void)
{
    return coll_mtree_tags_tcp() - (COLL_MTREE_TCP_TAGS - 1);
}

static bool another_says(void)
{
    int says = 0;

    return coll_mtree_has_world() &&
           MCA_PML_CALL(iprobe(OMPI_ANY_SOURCE, says_tag(), MPI_COMM_WORLD, &says,
                               MPI_STATUS_IGNORE)) == OMPI_SUCCESS &&
           says;
}

/* Let messages pass for @a seconds; false: another process has said that it speaks. */
static bool pass_time(double seconds)
{
    double end = mtree_clock_seconds() + seconds;

    do {
        opal_progress();
        if (another_says()) {
            return false;
        }
        mtree_clock_sleep(0.001);
    } while (mtree_clock_seconds() < end);
    return true;
}

/* To all, since who else fails is not known.  The messages are never waited for. */
static void say_so(void)
{
    for (int rank = 0; coll_mtree_has_world() && rank < ompi_comm_size(MPI_COMM_WORLD);
         rank++) {
        ompi_request_t *request;

        if (rank != coll_mtree_world_rank()) {
            (void)MCA_PML_CALL(isend(NULL, 0, MPI_BYTE, rank, says_tag(),
                                     MCA_PML_BASE_SEND_STANDARD, MPI_COMM_WORLD,
                                     &request));
        }
    }
}

bool coll_mtree_encryption_take_turn(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_REALTIME, &time);
    if (!pass_time(coll_mtree_turn_wait((double)time.tv_sec + 1e-9 * (double)time.tv_nsec,
                                        coll_mtree_world_rank()))) {
        (void)sleep(END_SECONDS);
        return false;
    }
    say_so();
    (void)pass_time(COLL_MTREE_TURN_SECONDS);
    return true;
}

void coll_mtree_encryption_missed(ompi_communicator_t *comm, const char *what,
                                  const char *reason)
{
    if (coll_mtree_params.encrypt && ompi_comm_rank(comm) == 0 &&
        coll_mtree_log_is_first(reason)) {
        coll_mtree_verbose(
            comm, 0,
            "not encrypted: %s, since %s; what it sends between hosts goes "
            "over Open MPI's connections",
            what, reason);
    }
}
