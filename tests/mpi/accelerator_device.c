/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * accelerator/device: a component that makes Open MPI 5 and 6 take the addresses of
 * tests/mpi/device.h for a device's.  Open MPI 4.1 has no such framework and does not
 * load it.
 */
#include "ompi_config.h"

#if OMPI_MAJOR_VERSION >= 5
#include "opal/constants.h"
#include "opal/mca/accelerator/accelerator.h"

#include "tests/mpi/device.h"

#include <string.h>

static int is_device(const void *address)
{
    return (uintptr_t)address - MTREE_DEVICE_BEGIN < MTREE_DEVICE_BYTES;
}

/* Where the processor finds what is at @a address. */
static char *reach(const void *address)
{
    return (char *)address + (is_device(address) ? MTREE_DEVICE_BYTES : 0);
}

static int check_addr(const void *address, int *device, uint64_t *flags)
{
    *device = 0;
    *flags = 0;
    return is_device(address);
}

static int mem_move(int to_device, int from_device, void *to, const void *from,
                    size_t bytes, opal_accelerator_transfer_type_t type)
{
    (void)to_device;
    (void)from_device;
    (void)type;
    memmove(reach(to), reach(from), bytes);
    return OPAL_SUCCESS;
}

static int create_stream(int device, opal_accelerator_stream_t **stream)
{
    (void)device;
    *stream = OBJ_NEW(opal_accelerator_stream_t);
    return OPAL_SUCCESS;
}

#if OMPI_MAJOR_VERSION >= 6
static int create_event(int device, opal_accelerator_event_t **event, bool enable_ipc)
#else
static int create_event(int device, opal_accelerator_event_t **event)
#endif
{
    (void)device;
#if OMPI_MAJOR_VERSION >= 6
    (void)enable_ipc;
#endif
    *event = OBJ_NEW(opal_accelerator_event_t);
    return OPAL_SUCCESS;
}

static int get_device(int *device)
{
    *device = 0;
    return OPAL_SUCCESS;
}

static opal_accelerator_base_module_t module = {.check_addr = check_addr,
                                                .create_stream = create_stream,
                                                .create_event = create_event,
                                                .mem_copy = mem_move,
                                                .mem_move = mem_move,
                                                .get_device = get_device};

static opal_accelerator_base_module_t *init(void)
{
    return &module;
}

static void finalize(opal_accelerator_base_module_t *which)
{
    (void)which;
}

OPAL_DECLSPEC opal_accelerator_base_component_t mca_accelerator_device_component = {
    .base_version = {OPAL_ACCELERATOR_BASE_VERSION_1_0_0, .mca_component_name = "device",
                     .mca_component_major_version = 1},
    .base_data = {MCA_BASE_METADATA_PARAM_NONE},
    .accelerator_init = init,
    .accelerator_finalize = finalize};
#else
/* A file without declarations is none of C. */
typedef int mtree_accelerator_device_t;
#endif
