/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/control/host.h"

#include "coll_mtree/base/log.h"
#include "coll_mtree/base/params.h"

#include "topo/host/interface.h"
#include "topo/host/machine.h"
#include "topo/host/nic.h"

#include "ompi/mca/pml/base/base.h"
#include "opal/mca/hwloc/base/base.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double coll_mtree_host_addresses(mtree_address_t addresses[COLL_MTREE_HOST_ADDRESSES])
{
    mtree_interface_t used[MTREE_HOST_INTERFACES];
    const int count = mtree_interfaces_list(used, coll_mtree_params_btl_tcp("if_include"),
                                            coll_mtree_params_btl_tcp("if_exclude"));
    double speed = 0;

    memset(addresses, 0, COLL_MTREE_HOST_ADDRESSES * sizeof(*addresses));
    for (int i = 0; i < count && i < COLL_MTREE_HOST_ADDRESSES; i++) {
        addresses[i] = used[i].address;
        speed = fmax(speed, mtree_nic_read_speed(used[i].name, MTREE_NIC_NETWORK));
    }
    return speed;
}

coll_mtree_local_rank_t coll_mtree_host_local_rank(void)
{
    return coll_mtree_local_rank_find(
        coll_mtree_params.hosts, coll_mtree_world_rank(),
        (coll_mtree_local_rank_t){opal_process_info.my_local_rank,
                                  (int)opal_process_info.num_local_peers + 1});
}

const char *coll_mtree_host_fabric(void)
{
    const char *pml = mca_pml_base_selected_component.pmlm_version.mca_component_name;

    return strcmp(pml, "ob1") == 0 && coll_mtree_params_btl("tcp", "links") != NULL
               ? "tcp"
               : pml;
}

/* Set the distances of @a host's locality to the interfaces of @a machine: those through
 * which Open MPI sends by TCP, and those of a fabric, through which UCX sends without the
 * system's network interfaces. */
static void measure(const mtree_machine_t *machine, coll_mtree_host_t *host)
{
    mtree_locality_t by_fabric = host->locality;
    int num, num_fabric;
    mtree_nic_t *nics = mtree_machine_nics(machine, &num);
    mtree_nic_t *fabric = mtree_machine_nics(machine, &num_fabric);

    mtree_nics_keep_kind(nics, &num, MTREE_NIC_NETWORK);
    mtree_nics_keep_tcp(nics, &num, coll_mtree_params_btl_tcp("if_include"),
                        coll_mtree_params_btl_tcp("if_exclude"));
    mtree_locality_measure(&host->locality, nics, num);
    mtree_nics_keep_kind(fabric, &num_fabric, MTREE_NIC_FABRIC);
    mtree_locality_measure(&by_fabric, fabric, num_fabric);
    host->near_fabric = num_fabric > 0 ? by_fabric.near : -1;
    free(fabric);
    free(nics);
}

/* The machine, from Open MPI's topology or otherwise from hwloc. */
static mtree_status_t machine_open(mtree_machine_t **machine_p)
{
    if (opal_hwloc_topology == NULL) {
        (void)opal_hwloc_base_get_topology();
    }
    if (mtree_machine_borrow(opal_hwloc_topology, machine_p) == MTREE_OK) {
        return MTREE_OK;
    }
    return mtree_machine_load(NULL, machine_p);
}

/* The process with rank @a local of a host of which hwloc wrote the file @a path; each
 * interface there counts. */
static void locate_recorded(const char *path, coll_mtree_local_rank_t local,
                            mtree_locality_t *locality)
{
    mtree_machine_t *machine;
    mtree_status_t status;
    mtree_nic_t *nics;
    int num;

    mtree_log_about("coll_mtree_hwloc", "the places of ranks are not known");
    status = mtree_machine_load(path, &machine);
    mtree_log_about(NULL, NULL);
    if (status != MTREE_OK) {
        return;
    }
    *locality = mtree_machine_locate_core(
        machine, local.index * mtree_machine_num_cores(machine) / local.count);
    nics = mtree_machine_nics(machine, &num);
    mtree_locality_measure(locality, nics, num);
    free(nics);
    mtree_machine_destroy(machine);
}

/* Where this process is bound, and how near that is to the network.  Unknown for a
 * process that is alone on its host, where it would make no difference. */
static void locate(coll_mtree_host_t *host)
{
    const char *path = coll_mtree_params.hwloc;
    const coll_mtree_local_rank_t local = coll_mtree_host_local_rank();
    mtree_machine_t *machine;

    host->locality = mtree_locality_unknown();
    host->near_fabric = -1;
    if (local.count < 2) {
        return;
    }
    if (path != NULL && path[0] != '\0') {
        locate_recorded(path, local, &host->locality);
    } else if (machine_open(&machine) == MTREE_OK) {
        host->locality = mtree_machine_locate_self(machine);
        measure(machine, host);
        mtree_machine_destroy(machine);
    }
}

void coll_mtree_host_describe(coll_mtree_host_t *host)
{
    size_t length;
    const char *name =
        coll_mtree_listed_host(coll_mtree_params.hosts, coll_mtree_world_rank(), &length);

    memset(host, 0, sizeof(*host));
    if (name == NULL) {
        name = opal_process_info.nodename;
        length = strlen(name);
    }
    (void)snprintf(host->name, sizeof(host->name), "%.*s", (int)length, name);
    locate(host);
    host->speed = coll_mtree_host_addresses(host->addresses);
}

mtree_locality_t coll_mtree_host_locality(const coll_mtree_host_t *host)
{
    mtree_locality_t locality = host->locality;

    if (host->near_fabric >= 0 && strcmp(coll_mtree_host_fabric(), "ucx") == 0) {
        locality.near = (int16_t)host->near_fabric;
    }
    return locality;
}

/* Do the ranks of @a host differ in locality? */
static bool has_parts(const mtree_placement_t *placement, int host)
{
    int num = placement->first[host + 1] - placement->first[host];

    return placement->num_leaders[host] < num ||
           mtree_placement_num_parts(placement, host, 1) > 1;
}

void coll_mtree_host_log_places(ompi_communicator_t *comm,
                                const mtree_placement_t *placement)
{
    for (int host = 0; host < placement->num_hosts; host++) {
        int first = placement->ranks[placement->first[host]];
        int wide = placement->localities[first].wide_numa != 0;

        if (has_parts(placement, host)) {
            coll_mtree_verbose(
                comm, 1,
                "hwloc: the %d ranks on the host of rank %d are in %d packages"
                ", %d NUMA nodes; %d of them lead",
                placement->first[host + 1] - placement->first[host], first,
                mtree_placement_num_parts(placement, host, wide),
                mtree_placement_num_parts(placement, host, 1 - wide),
                placement->num_leaders[host]);
            return;
        }
    }
}
