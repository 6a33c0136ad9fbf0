/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plan for a relay, behind a call over it.  What is read is written the same twice, and
 * the call takes no more memory than there is, and ends where it has no peers.
 */
#include "tests/fuzz/fuzz.h"

#include "relay/call.h"

#include <stdlib.h>
#include <string.h>

#define MEMORY 1000000

/* Who reads. */
#define SELF MTREE_RELAY_IS_RELAY

static mtree_tcp_peer_t *no_peer(void *job, uint32_t number)
{
    (void)job;
    (void)number;
    return NULL;
}

static void run(const mtree_relay_plan_t *plan, const uint8_t *data)
{
    mtree_tcp_budget_t memory = {.most = MEMORY};
    mtree_relay_start_t start;
    mtree_relay_call_t *call;

    if (mtree_relay_start_read(data, MTREE_RELAY_START_BYTES, &start) != MTREE_OK ||
        mtree_relay_call_begin(plan, &start, 0, &memory, no_peer, NULL, &call) !=
            MTREE_OK) {
        return;
    }
    fuzz_expect(memory.used <= memory.most);
    for (int i = 0; mtree_relay_call_poll(call) == 0; i++) {
        fuzz_expect(i <= 1);
    }
    mtree_relay_call_destroy(call);
    fuzz_expect(memory.used == 0);
}

static char *write_again(const mtree_relay_plan_t *plan)
{
    char *text;

    fuzz_expect(mtree_relay_plan_write(plan->plan, plan->number,
                                       plan->placement->num_ranks, plan->placement->host,
                                       plan->peers, &text) == MTREE_OK);
    return text;
}

static void expect_again(const mtree_relay_plan_t *plan)
{
    char *text = write_again(plan), *again;
    mtree_relay_plan_t *copy;

    fuzz_expect(mtree_relay_plan_read(text, strlen(text), SELF, &copy) == MTREE_OK);
    again = write_again(copy);
    fuzz_expect(strcmp(text, again) == 0);
    mtree_relay_plan_destroy(copy);
    free(text);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mtree_relay_plan_t *plan;

    if (size < MTREE_RELAY_START_BYTES) {
        return 0;
    }
    fuzz_start();
    if (mtree_relay_plan_read(data + MTREE_RELAY_START_BYTES,
                              size - MTREE_RELAY_START_BYTES, SELF, &plan) == MTREE_OK) {
        expect_again(plan);
        run(plan, data);
        mtree_relay_plan_destroy(plan);
    }
    return 0;
}
