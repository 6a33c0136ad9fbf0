/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/relayed.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void coll_mtree_relayed_destroy(coll_mtree_relayed_t *relayed)
{
    if (relayed != NULL) {
        mtree_relay_plan_destroy(relayed->plan);
        explicit_bzero(&relayed->pass, sizeof(relayed->pass));
        free(relayed);
    }
}

bool coll_mtree_relayed_write(const mtree_plan_t *plan, ompi_communicator_t *comm,
                              const int *host, char **bytes_p, size_t *length_p)
{
    const int ranks = ompi_comm_size(comm);
    uint32_t *world = mtree_malloc((size_t)ranks * sizeof(*world));
    coll_mtree_relay_pass_t pass;
    char *text;
    bool is_sent;

    for (int r = 0; r < ranks; r++) {
        world[r] = (uint32_t)coll_mtree_process_name(comm, r).vpid;
    }
    is_sent = coll_mtree_relays_send_plan(plan, ranks, host, world, &pass, &text);
    if (is_sent) {
        *length_p = sizeof(pass) + strlen(text);
        *bytes_p = mtree_malloc(*length_p);
        memcpy(*bytes_p, &pass, sizeof(pass));
        memcpy(*bytes_p + sizeof(pass), text, strlen(text));
    }
    free(text);
    free(world);
    return is_sent;
}

coll_mtree_relayed_t *coll_mtree_relayed_read(const char *bytes, size_t length)
{
    coll_mtree_relayed_t *relayed = mtree_calloc(1, sizeof(*relayed));
    const size_t before = sizeof(relayed->pass);

    mtree_require(length > before ? MTREE_OK : MTREE_ERR_INVALID);
    memcpy(&relayed->pass, bytes, before);
    mtree_require(mtree_relay_plan_read(bytes + before, length - before,
                                        (uint32_t)coll_mtree_world_rank(),
                                        &relayed->plan));
    return relayed;
}
