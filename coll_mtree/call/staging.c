/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/call/staging.h"

#include "coll_mtree/base/memory.h"

#include "schedule/operation.h"

#include <stdlib.h>

/* Elements at an address, perhaps none. */
typedef struct {
    void *address;
    size_t count;
} part_t;

static part_t output_part(const coll_mtree_coll_args_t *args, int part)
{
    size_t size;

    if (args->displace == NULL) {
        return (part_t){args->scatter_to != NULL ? args->scatter_to : args->output,
                        args->count};
    }
    ompi_datatype_type_size(args->datatype, &size);
    return (part_t){mtree_address(args->output, args->displace[part]),
                    (args->blocks[part + 1] - args->blocks[part]) / size};
}

/* The first byte of @a part, which is not empty, and in *end_p the one behind the last;
 * extents may be negative. */
static char *part_begin(const coll_mtree_coll_args_t *args, part_t part, char **end_p)
{
    ptrdiff_t lower, extent, true_lower, true_extent, way;

    ompi_datatype_get_extent(args->datatype, &lower, &extent);
    ompi_datatype_get_true_extent(args->datatype, &true_lower, &true_extent);
    way = extent * (ptrdiff_t)(part.count - 1);
    *end_p = mtree_address(part.address, true_lower + true_extent + (way > 0 ? way : 0));
    return mtree_address(part.address, true_lower + (way < 0 ? way : 0));
}

/* Allocate memory in the place of that from @a low to @a high; *shift_p: the way there.
 */
static char *memory_create(const char *low, const char *high, ptrdiff_t *shift_p)
{
    char *memory = coll_mtree_malloc((size_t)(high - low));

    *shift_p = (ptrdiff_t)((uintptr_t)memory - (uintptr_t)low);
    return memory;
}

static void stage_input(coll_mtree_staging_t *staging)
{
    const coll_mtree_coll_args_t *args = staging->user;
    char *low, *high;
    ptrdiff_t shift;

    if (args->op == NULL) {
        return;
    }
    low = part_begin(args, (part_t){(void *)args->input, args->call.units}, &high);
    if (!coll_mtree_is_on_device(low)) {
        return;
    }
    staging->input = memory_create(low, high, &shift);
    staging->args.input = mtree_address(args->input, shift);
}

static void stage_output(coll_mtree_staging_t *staging)
{
    const coll_mtree_coll_args_t *args = staging->user;
    char *low = NULL, *high = NULL;
    ptrdiff_t shift;

    for (int p = 0; p < staging->num_parts; p++) {
        part_t part = output_part(args, p);

        if (part.count > 0) {
            char *end, *begin = part_begin(args, part, &end);

            low = low == NULL || begin < low ? begin : low;
            high = end > high ? end : high;
        }
    }
    if (low == NULL || !coll_mtree_is_on_device(low)) {
        return;
    }
    staging->output = memory_create(low, high, &shift);
    staging->args.output = mtree_address(args->output, shift);
    staging->args.own.to = mtree_address(args->own.to, shift);
    if (args->scatter_to != NULL) {
        staging->args.scatter_to = mtree_address(args->scatter_to, shift);
    }
}

void coll_mtree_staging_init(coll_mtree_staging_t *staging,
                             const coll_mtree_coll_args_t *args, int rank, int ranks)
{
    bool is_bcast = args->call.collective == MTREE_BCAST;

    staging->user = args;
    staging->args = *args;
    staging->num_parts = args->displace != NULL ? ranks : 1;
    staging->writes =
        (!is_bcast || args->call.root != rank) && (!args->call.is_exclusive || rank > 0);
    staging->reads = args->op == NULL && args->own.from_type == NULL &&
                     (!is_bcast || args->call.root == rank);
    stage_input(staging);
    stage_output(staging);
    if (staging->input == NULL && staging->output == NULL) {
        staging->user = NULL;
    }
}

/* Copy the output to the device or to the host.  Open MPI's copies of typed data know
 * devices. */
static void copy_output(const coll_mtree_staging_t *staging, bool to_device)
{
    const coll_mtree_coll_args_t *user = staging->user, *host = &staging->args;

    for (int p = 0; p < staging->num_parts; p++) {
        part_t on_device = output_part(user, p), on_host = output_part(host, p);
        part_t *to = to_device ? &on_device : &on_host;
        part_t *from = to_device ? &on_host : &on_device;

        ompi_datatype_copy_content_same_ddt(user->datatype, from->count, to->address,
                                            from->address);
    }
}

void coll_mtree_staging_begin(const coll_mtree_staging_t *staging)
{
    if (staging->input != NULL) {
        ompi_datatype_copy_content_same_ddt(
            staging->user->datatype, staging->user->call.units,
            (void *)staging->args.input, (void *)staging->user->input);
    }
    if (staging->output != NULL && staging->reads) {
        copy_output(staging, false);
    }
}

void coll_mtree_staging_end(const coll_mtree_staging_t *staging)
{
    if (staging->output != NULL && staging->writes) {
        copy_output(staging, true);
    }
}

void coll_mtree_staging_cleanup(coll_mtree_staging_t *staging)
{
    free(staging->input);
    free(staging->output);
}
