/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/btl_network.h"

#include "coll_mtree/base/params.h"
#include "coll_mtree/control/modex.h"
#include "coll_mtree/control/shared_network.h"

#include "base/log.h"
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a file that are looked at. */
#define BEGINNING (1 << 18)

#define NAMES (MTREE_HOST_INTERFACES * MTREE_INTERFACE_NAME)

/* May the network of the job have cables?  The same on all ranks. */
static bool may_have_cables(void)
{
    return coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_PROBE ||
           coll_mtree_params_topology() == COLL_MTREE_TOPOLOGY_FILE;
}

void coll_mtree_btl_network_publish(void)
{
    coll_mtree_published_t *published = coll_mtree_modex_own();
    mtree_interface_t own[MTREE_HOST_INTERFACES];
    int count = may_have_cables() ? mtree_interfaces_list(own, NULL, NULL) : 0;

    published->networks.count = count;
    for (int i = 0; i < count; i++) {
        published->networks.addresses[i] = own[i].address;
    }
}

/* Are cables tried, or does the topology file name some, as far as this host can read it?
 */
static bool has_cables(void)
{
    char *text;
    bool has_some;
    FILE *file;

    if (coll_mtree_params_topology() != COLL_MTREE_TOPOLOGY_FILE) {
        return true;
    }
    file = fopen(coll_mtree_params.topology, "r");
    if (file == NULL) {
        return false;
    }
    text = mtree_malloc(BEGINNING);
    text[fread(text, 1, BEGINNING - 1, file)] = '\0';
    (void)fclose(file);
    has_some = strstr(text, "_address") != NULL;
    free(text);
    return has_some;
}

/* Meet the process of @a rank; false: it has published nothing. */
static bool meet(coll_mtree_shared_networks_t *networks, ompi_communicator_t *world,
                 int rank)
{
    const opal_process_name_t name = coll_mtree_process_name(world, rank);
    coll_mtree_published_t published;

    if (!coll_mtree_modex_find(&name, &published)) {
        return false;
    }
    coll_mtree_shared_networks_meet(networks, published.networks.addresses,
                                    published.networks.count);
    return true;
}

void coll_mtree_btl_network_keep(ompi_communicator_t *world)
{
    coll_mtree_shared_networks_t networks = {.count = 0};
    char names[NAMES];

    if (!may_have_cables() || !has_cables()) {
        return;
    }
    networks.count = mtree_interfaces_list(networks.own, NULL, NULL);
    for (int rank = 0; networks.count > 1 && rank < ompi_comm_size(world); rank++) {
        if (rank != ompi_comm_rank(world) && !meet(&networks, world, rank)) {
            return;
        }
    }
    if (coll_mtree_shared_networks_name(&networks, names, sizeof(names)) &&
        coll_mtree_params_keep_btl_tcp_to(names) &&
        opal_process_info.my_local_rank == 0) {
        mtree_info("Open MPI's TCP transport keeps to %s, in networks that all hosts "
                   "share; btl_tcp_if_include names others",
                   names);
    }
}
