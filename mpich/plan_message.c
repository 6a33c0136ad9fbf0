/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpich/plan_message.h"

#include "mpich/require.h"

#include "schedule/plan_part_wire.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of each piece of a plan, which follow one another. */
typedef struct {
    int common;
    int all_own;
    int own[]; /* [ranks] 0: that of the rank before */
} lengths_t;

/* Rank 0: both pieces of @a plan, and their lengths; the bytes are the caller's. */
static unsigned char *write_pieces(const mtree_plan_t *plan,
                                   const mtree_placement_t *placement, lengths_t *lengths)
{
    mtree_wire_t common = {0}, own = {0};
    unsigned char *bytes;

    mtree_mpich_require(mtree_plan_parts_write(
        plan, placement->host, placement->num_ranks, &common, &own, lengths->own));
    lengths->common = common.length;
    lengths->all_own = own.length;
    bytes = mtree_mpich_allocate((size_t)common.length + (size_t)own.length, 1);
    memcpy(bytes, common.bytes, (size_t)common.length);
    memcpy(bytes + common.length, own.bytes, (size_t)own.length);
    free(common.bytes);
    free(own.bytes);
    return bytes;
}

static mtree_plan_part_t *read_pieces(const unsigned char *bytes,
                                      const lengths_t *lengths, int rank)
{
    const unsigned char *own = bytes + lengths->common;
    mtree_plan_part_t *part;
    int length = 0;

    for (int r = 0; r <= rank; r++) {
        if (lengths->own[r] > 0) {
            own += length;
            length = lengths->own[r];
        }
    }
    mtree_mpich_require(
        mtree_plan_part_read(bytes, (size_t)lengths->common, own, (size_t)length, &part));
    return part;
}

mtree_plan_part_t *mtree_mpich_plan_share(MPI_Comm comm,
                                          const mtree_placement_t *placement,
                                          const mtree_plan_t *plan)
{
    const size_t size = sizeof(lengths_t) + (size_t)placement->num_ranks * sizeof(int);
    lengths_t *lengths = mtree_mpich_allocate(1, size);
    unsigned char *bytes = NULL;
    mtree_plan_part_t *part = NULL;
    int rank;

    PMPI_Comm_rank(comm, &rank);
    if (plan != NULL) {
        bytes = write_pieces(plan, placement, lengths);
    }
    PMPI_Bcast(lengths, (int)size, MPI_BYTE, 0, comm);
    if (lengths->common > 0) {
        const int length = lengths->common + lengths->all_own;

        if (rank != 0) {
            bytes = mtree_mpich_allocate((size_t)length, 1);
        }
        PMPI_Bcast(bytes, length, MPI_BYTE, 0, comm);
        part = read_pieces(bytes, lengths, rank);
    }
    free(bytes);
    free(lengths);
    return part;
}
