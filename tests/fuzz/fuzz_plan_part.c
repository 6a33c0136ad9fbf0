/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan parts as bytes.  The first two bytes are the length of the common piece, the own
 * piece follows it.  A part that is read is written the same twice, and gives layouts.
 */
#include "tests/fuzz/fuzz.h"

#include "schedule/layout.h"
#include "schedule/plan_part_wire.h"

#include <string.h>

/* Hosts and trees of a part for which layouts are made, at most. */
#define MOST_HOSTS 64
#define MOST_TREES 64

static void expect_again(const mtree_plan_part_t *part)
{
    mtree_piece_t common[2] = {{0}}, own[2] = {{0}};
    mtree_plan_part_t *copy;

    mtree_plan_part_write(part, &common[0], &own[0]);
    fuzz_expect(mtree_plan_part_read(common[0].bytes, common[0].length, own[0].bytes,
                                     own[0].length, &copy) == MTREE_OK);
    mtree_plan_part_write(copy, &common[1], &own[1]);
    fuzz_expect(common[0].length == common[1].length && own[0].length == own[1].length &&
                memcmp(common[0].bytes, common[1].bytes, common[0].length) == 0 &&
                memcmp(own[0].bytes, own[1].bytes, own[0].length) == 0);
    mtree_plan_part_destroy(copy);
    for (int i = 0; i < 2; i++) {
        free(common[i].bytes);
        free(own[i].bytes);
    }
}

/* Two ranks on each host that is no relay. */
static void lay_out(const mtree_plan_part_t *part)
{
    int ranks = 2 * (part->num_hosts - part->num_relays);
    bool is_relay = 2 * part->host >= ranks;
    int first = is_relay ? ranks + part->host - ranks / 2 : 2 * part->host;
    mtree_placement_t *placement;
    int host[2 * MOST_HOSTS];

    for (int rank = 0; rank < ranks; rank++) {
        host[rank] = rank / 2;
    }
    fuzz_expect(mtree_placement_create_relayed(ranks, part->num_hosts, part->num_relays,
                                               host, NULL, &placement) == MTREE_OK);
    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        const mtree_call_t call = {.collective = (mtree_collective_t)c,
                                   .root = part->root < 0 ? 0 : 2 * part->root,
                                   .units = 10000,
                                   .unit_bytes = 4};
        mtree_layout_t *layout;

        for (int rank = first; rank < first + (is_relay ? 1 : 2); rank++) {
            if (mtree_layout_create(part, placement, &call, rank, &layout) == MTREE_OK) {
                mtree_layout_destroy(layout);
            }
        }
    }
    mtree_placement_destroy(placement);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t length = size < 2 ? 0 : (size_t)data[0] + 256 * (size_t)data[1];
    mtree_plan_part_t *part;
    mtree_status_t status;

    if (size < 2 || length > size - 2) {
        return 0;
    }
    fuzz_start();
    status = mtree_plan_part_read(data + 2, length, data + 2 + length, size - 2 - length,
                                  &part);
    fuzz_expect_told(status);
    if (status == MTREE_OK) {
        expect_again(part);
        if (part->num_hosts <= MOST_HOSTS && part->num_trees <= MOST_TREES) {
            lay_out(part);
        }
        mtree_plan_part_destroy(part);
    }
    return 0;
}
