/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/host/machine.h"

#include "base/log.h"
#include "base/memory.h"

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mtree_machine {
    hwloc_topology_t topology;
    bool borrowed;
    bool recorded; /* read from a file: not this machine */
};

static mtree_machine_t *machine_create(hwloc_topology_t topology, bool borrowed,
                                       bool recorded)
{
    mtree_machine_t *machine = mtree_malloc(sizeof(*machine));

    machine->topology = topology;
    machine->borrowed = borrowed;
    machine->recorded = recorded;
    return machine;
}

/*
 * Components of hwloc that are not used: those that look for graphics processors take
 * long and find nothing of use here; pci never frees its memory, and without it hwloc
 * reads the devices from /sys.
 */
static const char *const left_out[] = {"cuda", "gl",     "levelzero", "nvml",
                                       "pci",  "opencl", "rsmi"};

/* Load @a topology; not 0: it failed, with errno set. */
static int topology_load(hwloc_topology_t topology, const char *path)
{
    if (path != NULL && hwloc_topology_set_xml(topology, path) != 0) {
        return -1;
    }
    for (size_t i = 0; i < sizeof(left_out) / sizeof(left_out[0]); i++) {
        /* A component that is not installed is no error. */
        (void)hwloc_topology_set_components(
            topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, left_out[i]);
    }
    if (hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) !=
        0) {
        return -1;
    }
    return hwloc_topology_load(topology);
}

mtree_status_t mtree_machine_load(const char *path, mtree_machine_t **machine_p)
{
    hwloc_topology_t topology = NULL;

    (void)hwloc_topology_init(&topology);
    (void)mtree_existing(topology);
    errno = 0;
    if (topology_load(topology, path) != 0) {
        mtree_error("%s: hwloc cannot %s it (%s)%s", path == NULL ? "this machine" : path,
                    path == NULL ? "explore" : "read", strerror(errno),
                    path == NULL ? "" : "; give it a file that lstopo of hwloc 2 wrote");
        hwloc_topology_destroy(topology);
        return MTREE_ERR_IO;
    }
    *machine_p = machine_create(topology, false, path != NULL);
    return MTREE_OK;
}

mtree_status_t mtree_machine_borrow(struct hwloc_topology *topology,
                                    mtree_machine_t **machine_p)
{
    if (topology == NULL || hwloc_topology_abi_check(topology) != 0) {
        return MTREE_ERR_UNSUPPORTED;
    }
    *machine_p = machine_create(topology, true, false);
    return MTREE_OK;
}

void mtree_machine_destroy(mtree_machine_t *machine)
{
    if (machine != NULL && !machine->borrowed) {
        hwloc_topology_destroy(machine->topology);
    }
    free(machine);
}

/* The narrowest object of @a type that contains @a set; NULL: none. */
static hwloc_obj_t object_around(hwloc_topology_t topology, hwloc_obj_type_t type,
                                 hwloc_const_cpuset_t set)
{
    hwloc_obj_t object = NULL, best = NULL;

    while ((object = hwloc_get_next_obj_by_type(topology, type, object)) != NULL) {
        /* The first of several NUMA nodes of the same cores, such as fast and slow
         * memory. */
        if (hwloc_bitmap_isincluded(set, object->cpuset) &&
            (best == NULL ||
             hwloc_bitmap_weight(object->cpuset) < hwloc_bitmap_weight(best->cpuset))) {
            best = object;
        }
    }
    return best;
}

static bool object_is_inside(hwloc_obj_t object, hwloc_obj_t wider)
{
    return wider == NULL || (hwloc_bitmap_isincluded(object->cpuset, wider->cpuset) &&
                             !hwloc_bitmap_isequal(object->cpuset, wider->cpuset));
}

/* The widest cache that contains @a set and is narrower than @a package and @a numa. */
static hwloc_obj_t cache_around(hwloc_topology_t topology, hwloc_const_cpuset_t set,
                                hwloc_obj_t package, hwloc_obj_t numa)
{
    hwloc_obj_t cache = hwloc_get_obj_covering_cpuset(topology, set), widest = NULL;

    for (; cache != NULL; cache = cache->parent) {
        if (hwloc_obj_type_is_dcache(cache->type) && object_is_inside(cache, package) &&
            object_is_inside(cache, numa) &&
            hwloc_get_nbobjs_inside_cpuset_by_type(topology, cache->cpuset,
                                                   HWLOC_OBJ_CORE) > 1) {
            widest = cache;
        }
    }
    return widest;
}

static int16_t object_number(hwloc_obj_t object)
{
    return object == NULL || object->logical_index > INT16_MAX
               ? -1
               : (int16_t)object->logical_index;
}

/* Are packages narrower than NUMA nodes?  hwloc allows both. */
static bool has_wide_numa(hwloc_topology_t topology)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
    hwloc_obj_t numa = package == NULL
                           ? NULL
                           : object_around(topology, HWLOC_OBJ_NUMANODE, package->cpuset);

    return numa != NULL && object_is_inside(package, numa);
}

static mtree_locality_t locate(hwloc_topology_t topology, hwloc_const_cpuset_t set)
{
    mtree_locality_t locality = mtree_locality_unknown();
    hwloc_obj_t package = object_around(topology, HWLOC_OBJ_PACKAGE, set);
    hwloc_obj_t numa = object_around(topology, HWLOC_OBJ_NUMANODE, set);

    if (hwloc_bitmap_iszero(set)) {
        return locality;
    }
    locality.package = object_number(package);
    locality.numa = object_number(numa);
    locality.cache = object_number(cache_around(topology, set, package, numa));
    locality.core = object_number(object_around(topology, HWLOC_OBJ_CORE, set));
    locality.wide_numa = has_wide_numa(topology);
    return locality;
}

mtree_locality_t mtree_machine_locate_self(const mtree_machine_t *machine)
{
    mtree_locality_t locality = mtree_locality_unknown();
    hwloc_bitmap_t set = hwloc_bitmap_alloc();

    if (set != NULL &&
        hwloc_get_cpubind(machine->topology, set, HWLOC_CPUBIND_PROCESS) == 0) {
        /* Cores that are not the job's are not in the topology. */
        hwloc_bitmap_and(set, set, hwloc_get_root_obj(machine->topology)->cpuset);
        locality = locate(machine->topology, set);
    }
    hwloc_bitmap_free(set);
    return locality;
}

mtree_locality_t mtree_machine_locate_core(const mtree_machine_t *machine, int core)
{
    hwloc_obj_t object =
        hwloc_get_obj_by_type(machine->topology, HWLOC_OBJ_CORE, (unsigned)core);

    return object == NULL ? mtree_locality_unknown()
                          : locate(machine->topology, object->cpuset);
}

int mtree_machine_num_cores(const mtree_machine_t *machine)
{
    return hwloc_get_nbobjs_by_type(machine->topology, HWLOC_OBJ_CORE);
}

/* Bits/s of the slot of @a device; 0: not known. */
static double slot_speed(hwloc_obj_t device)
{
    hwloc_obj_t slot = device->parent;

    while (slot != NULL && slot->type != HWLOC_OBJ_PCI_DEVICE) {
        slot = slot->parent;
    }
    /* hwloc counts in GB/s. */
    return slot == NULL ? 0 : (double)slot->attr->pcidev.linkspeed * 8e9;
}

static bool device_is_nic(hwloc_obj_t device)
{
    return device->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK ||
           device->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS;
}

static mtree_nic_t nic_of_device(const mtree_machine_t *machine, hwloc_obj_t device)
{
    hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(machine->topology, device);
    mtree_locality_t locality = locate(machine->topology, place->cpuset);
    mtree_nic_t nic = {.package = locality.package, .numa = locality.numa};

    snprintf(nic.name, sizeof(nic.name), "%s", device->name);
    nic.kind = device->attr->osdev.type == HWLOC_OBJ_OSDEV_NETWORK ? MTREE_NIC_NETWORK
                                                                   : MTREE_NIC_FABRIC;
    nic.speed =
        machine->recorded ? slot_speed(device) : mtree_nic_read_speed(nic.name, nic.kind);
    return nic;
}

mtree_nic_t *mtree_machine_nics(const mtree_machine_t *machine, int *num_p)
{
    hwloc_obj_t device = NULL;
    mtree_nic_t *nics;
    int num = 0;

    while ((device = hwloc_get_next_osdev(machine->topology, device)) != NULL) {
        num += device_is_nic(device);
    }
    nics = mtree_calloc((size_t)num, sizeof(*nics));
    num = 0;
    while ((device = hwloc_get_next_osdev(machine->topology, device)) != NULL) {
        if (device_is_nic(device)) {
            nics[num++] = nic_of_device(machine, device);
        }
    }
    *num_p = num;
    return nics;
}
