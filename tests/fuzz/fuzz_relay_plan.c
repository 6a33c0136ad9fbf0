/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plan for a relay, behind a call over it.  What is read is the relay's own part, and
 * the call takes no more memory than there is, and ends where it is cancelled.
 */
#include "tests/fuzz/fuzz.h"

#include "relay/call.h"

#define MEMORY 1000000

/* Who reads. */
#define SELF MTREE_RELAY_IS_RELAY

static void end_call(mtree_relay_call_t *call, mtree_tcp_t *tcp)
{
    fuzz_expect(call->memory->used <= call->memory->most);
    mtree_relay_call_cancel(call);
    while (mtree_tcp_hand_out(tcp) > 0) {}
    fuzz_expect(mtree_relay_call_poll(call) != 0);
    mtree_relay_call_destroy(call);
}

static void run(mtree_relay_plan_t *plan, const uint8_t *data)
{
    static const mtree_relay_traffic_t traffic = {.most_peers = 100};
    mtree_tcp_budget_t memory = {.most = MEMORY};
    mtree_relay_peers_t peers;
    mtree_relay_start_t start;
    mtree_relay_call_t *call;
    mtree_tcp_t *tcp;

    fuzz_expect(mtree_tcp_create(0, &tcp) == MTREE_OK);
    mtree_relay_peers_init(&peers, tcp, &(mtree_relay_hello_t){.number = SELF},
                           &(mtree_tcp_secret_t){{0}}, &traffic, 0);
    if (mtree_relay_start_read(data, MTREE_RELAY_START_BYTES, &start) == MTREE_OK &&
        mtree_relay_call_begin(plan, &start, &memory, &peers, &call) == MTREE_OK) {
        end_call(call, tcp);
    }
    fuzz_expect(memory.used == 0);
    mtree_relay_peers_cleanup(&peers);
    mtree_tcp_destroy(tcp);
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
        fuzz_expect(plan->self >= plan->placement->num_ranks &&
                    plan->part->host == plan->placement->host[plan->self]);
        run(plan, data);
        mtree_relay_plan_destroy(plan);
    }
    return 0;
}
