/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/encryption.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/control/host.h"

#include "tcp/crypto.h"
#include "tcp/record.h"

#include <pthread.h>
#include <unistd.h>

/* Reasons that are remembered; later ones would be said each time. */
#define REASONS 32

/* Seconds that each rank leaves to those before it, and the most of them. */
#define TURN       0.2
#define MOST_TURNS 10

void coll_mtree_encryption_open(void)
{
    if (coll_mtree_params.encrypt && !mtree_crypto_is_supported()) {
        coll_mtree_encryption_take_turn();
        mtree_error("coll_mtree_encrypt is not supported: mtree was built without "
                    "OpenSSL's libcrypto; the job ends");
        coll_mtree_end_job();
    }
}

void coll_mtree_encryption_confirm(ompi_communicator_t *comm, int connections)
{
    if (coll_mtree_params_encrypt() && comm == &ompi_mpi_comm_world.comm) {
        coll_mtree_verbose(comm, 1,
                           "calls are encrypted between hosts: " MTREE_RECORD_CIPHER
                           ", TCP connections to each process: %d",
                           connections);
    }
}

void coll_mtree_encryption_take_turn(void)
{
    int rank = coll_mtree_world_rank();

    (void)usleep((useconds_t)(1e6 * TURN * (rank < MOST_TURNS ? rank : MOST_TURNS)));
}

/* Is @a reason said for the first time? */
static bool is_new(const char *reason)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const char *said[REASONS];
    static int num_said;
    bool is_known = false;

    pthread_mutex_lock(&lock);
    for (int i = 0; i < num_said; i++) {
        is_known = is_known || said[i] == reason;
    }
    if (!is_known && num_said < REASONS) {
        said[num_said++] = reason;
    }
    pthread_mutex_unlock(&lock);
    return !is_known;
}

void coll_mtree_encryption_missed(ompi_communicator_t *comm, const char *what,
                                  const char *reason)
{
    if (coll_mtree_params_encrypt() && ompi_comm_rank(comm) == 0 && is_new(reason)) {
        coll_mtree_verbose(
            comm, 0,
            "not encrypted: %s, since %s; what it sends between hosts goes "
            "over Open MPI's connections",
            what, reason);
    }
}
