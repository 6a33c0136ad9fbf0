/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/tcp/encryption.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"
#include "coll_mtree/control/host.h"

#include "tcp/crypto.h"

#include <pthread.h>

/* Reasons that are remembered; later ones would be said each time. */
#define REASONS 32

void coll_mtree_encryption_open(void)
{
    if (coll_mtree_params.encrypt && !mtree_crypto_is_supported() &&
        coll_mtree_world_rank() == 0) {
        mtree_error("coll_mtree_encrypt is not supported: mtree was built without "
                    "OpenSSL's libcrypto; nothing is encrypted");
    }
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
