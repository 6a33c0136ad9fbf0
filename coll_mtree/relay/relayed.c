/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/relayed.h"

#include "base/memory.h"
#include "planner/plan/json.h"

#include <stdlib.h>
#include <string.h>

void coll_mtree_relayed_destroy(coll_mtree_relayed_t *relayed)
{
    if (relayed != NULL) {
        mtree_plan_destroy(relayed->plan);
        mtree_plan_part_destroy(relayed->part);
        mtree_placement_destroy(relayed->placement);
        explicit_bzero(&relayed->contact, sizeof(relayed->contact));
        free(relayed);
    }
}

/* Send the relays @a plan, which is what all ranks read. */
static bool send_to_relays(const mtree_plan_t *plan, ompi_communicator_t *comm,
                           const int *host, coll_mtree_relay_contact_t *contact)
{
    int ranks = ompi_comm_size(comm);
    uint32_t *world = mtree_malloc((size_t)ranks * sizeof(*world));
    mtree_placement_t *placement;
    bool is_sent;

    for (int r = 0; r < ranks; r++) {
        world[r] = (uint32_t)coll_mtree_process_name(comm, r).vpid;
    }
    mtree_require(mtree_placement_create_relayed(ranks, plan->num_hosts, plan->num_relays,
                                                 host, NULL, &placement));
    is_sent = coll_mtree_relays_send_plan(plan, placement, world, contact);
    mtree_placement_destroy(placement);
    free(world);
    return is_sent;
}

bool coll_mtree_relayed_write(const mtree_plan_t *plan, ompi_communicator_t *comm,
                              const int *host, char **bytes_p, size_t *length_p)
{
    coll_mtree_relay_contact_t contact;
    mtree_plan_t *read = NULL;
    char *text = NULL, *bytes = NULL;
    size_t addresses;

    /* Numbers are rounded in the text, and all must use the same plan. */
    if (mtree_plan_to_json(plan, &text) == MTREE_OK &&
        mtree_plan_from_json(text, strlen(text), "plan with relays", &read) == MTREE_OK &&
        mtree_plan_add_relays(read, plan->num_relays,
                              (const char *const *)plan->relays) == MTREE_OK &&
        send_to_relays(read, comm, host, &contact)) {
        addresses = (size_t)plan->num_relays * MTREE_RELAY_ADDRESS;
        *length_p = sizeof(contact) + addresses + strlen(text);
        bytes = mtree_calloc(1, *length_p);
        memcpy(bytes, &contact, sizeof(contact));
        for (int i = 0; i < plan->num_relays; i++) {
            memcpy(bytes + sizeof(contact) + (size_t)i * MTREE_RELAY_ADDRESS,
                   plan->relays[i], strlen(plan->relays[i]));
        }
        memcpy(bytes + sizeof(contact) + addresses, text, strlen(text));
    }
    mtree_plan_destroy(read);
    free(text);
    *bytes_p = bytes;
    return bytes != NULL;
}

/* The plan behind the addresses of its relays. */
static mtree_plan_t *read_plan(const char *bytes, size_t length, int num_relays)
{
    size_t before = (size_t)num_relays * MTREE_RELAY_ADDRESS;
    const char *addresses[COLL_MTREE_RELAYS];
    mtree_plan_t *plan;

    mtree_require(num_relays < 1 || num_relays > COLL_MTREE_RELAYS || length <= before
                      ? MTREE_ERR_INVALID
                      : MTREE_OK);
    for (int i = 0; i < num_relays; i++) {
        addresses[i] = bytes + (size_t)i * MTREE_RELAY_ADDRESS;
    }
    mtree_require(
        mtree_plan_from_json(bytes + before, length - before, "plan with relays", &plan));
    mtree_require(mtree_plan_add_relays(plan, num_relays, addresses));
    return plan;
}

coll_mtree_relayed_t *coll_mtree_relayed_read(const char *bytes, size_t length,
                                              const mtree_placement_t *placement,
                                              int rank)
{
    coll_mtree_relayed_t *relayed = mtree_calloc(1, sizeof(*relayed));

    mtree_require(length > sizeof(relayed->contact) ? MTREE_OK : MTREE_ERR_INVALID);
    memcpy(&relayed->contact, bytes, sizeof(relayed->contact));
    relayed->plan =
        read_plan(bytes + sizeof(relayed->contact), length - sizeof(relayed->contact),
                  relayed->contact.num_relays);
    mtree_require(mtree_placement_create_relayed(
        placement->num_ranks, relayed->plan->num_hosts, relayed->plan->num_relays,
        placement->host, placement->localities, &relayed->placement));
    mtree_require(
        mtree_plan_part_create(relayed->plan, placement->host[rank], &relayed->part));
    return relayed;
}
