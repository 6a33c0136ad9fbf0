/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/plan.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "relay/fold.h"
#include "schedule/plan_part_wire.h"

#include <stdio.h>
#include <stdlib.h>

/* Ranks and relays of the largest plan, bytes of the longest message about one, for which
 * a reader may need some ten times as many, and bytes of the longest vector. */
#define MOST_NUMBERS 65536
#define MOST_MESSAGE ((size_t)2 << 20)
#define MOST_BYTES   ((uint64_t)1 << 40)

void mtree_relay_plan_destroy(mtree_relay_plan_t *plan)
{
    if (plan != NULL) {
        free(plan->peers);
        free(plan->addresses);
        mtree_placement_destroy(plan->placement);
        mtree_plan_part_destroy(plan->part);
        free(plan);
    }
}

uint32_t mtree_relay_plan_number(const mtree_relay_plan_t *plan, int i)
{
    return plan->peers[plan->placement->num_ranks + i] & ~MTREE_RELAY_IS_RELAY;
}

/* A message begins with numbers of four bytes: these, the host of each rank, the numbers
 * in the job of ranks and relays, and the length of each host's piece of the plan.  The
 * addresses of relays follow, the common piece, and those of the hosts. */
enum { NUMBER_AT, RANKS_AT, RELAYS_AT, HOSTS_AT, COMMON_AT, HEAD };

static void set_number(unsigned char *bytes, size_t i, uint32_t number)
{
    mtree_put32(bytes + sizeof(number) * i, number);
}

static uint32_t number_at(const unsigned char *bytes, size_t i)
{
    return mtree_get32(bytes + sizeof(uint32_t) * i);
}

/* Write all of the message but for the pieces of the plan, which begin at *end_p. */
static void write_head(const mtree_plan_t *plan, uint32_t number, size_t ranks,
                       const int *host, const uint32_t *peers, unsigned char **end_p,
                       unsigned char *bytes)
{
    const size_t relays = (size_t)plan->num_relays;
    size_t at = HEAD;

    set_number(bytes, NUMBER_AT, number);
    set_number(bytes, RANKS_AT, (uint32_t)ranks);
    set_number(bytes, RELAYS_AT, (uint32_t)relays);
    set_number(bytes, HOSTS_AT, (uint32_t)plan->num_hosts);
    for (size_t r = 0; r < ranks; r++) {
        set_number(bytes, at++, (uint32_t)host[r]);
    }
    for (size_t r = 0; r < ranks + relays; r++) {
        set_number(bytes, at++, peers[r]);
    }
    *end_p = bytes + sizeof(uint32_t) * (at + (size_t)plan->num_hosts);
    for (size_t i = 0; i < relays; i++, *end_p += MTREE_RELAY_ADDRESS) {
        strncpy((char *)*end_p, plan->relays[i], MTREE_RELAY_ADDRESS - 1);
    }
}

mtree_status_t mtree_relay_plan_write(const mtree_plan_t *plan, uint32_t number,
                                      int num_ranks, const int *host,
                                      const uint32_t *peers, unsigned char **bytes_p,
                                      size_t *length_p)
{
    const size_t ranks = (size_t)num_ranks, relays = (size_t)plan->num_relays;
    const size_t hosts = (size_t)plan->num_hosts;
    const size_t first_length = HEAD + 2 * ranks + relays;
    int *every = mtree_malloc(2 * hosts * sizeof(*every)), *lengths = every + hosts;
    mtree_piece_t common = {0}, own = {0};
    unsigned char *end;
    mtree_status_t status;

    for (size_t h = 0; h < hosts; h++) {
        every[h] = (int)h;
    }
    status = mtree_plan_parts_write(plan, every, (int)hosts, &common, &own, lengths);
    *length_p = sizeof(uint32_t) * (first_length + hosts) + MTREE_RELAY_ADDRESS * relays +
                common.length + own.length;
    *bytes_p = NULL;
    if (status != MTREE_OK || ranks + relays > MOST_NUMBERS || *length_p > MOST_MESSAGE) {
        status = MTREE_ERR_LIMIT;
    } else {
        *bytes_p = mtree_calloc(*length_p, 1);
        write_head(plan, number, ranks, host, peers, &end, *bytes_p);
        set_number(*bytes_p, COMMON_AT, (uint32_t)common.length);
        for (size_t h = 0; h < hosts; h++) {
            set_number(*bytes_p, first_length + h, (uint32_t)lengths[h]);
        }
        memcpy(end, common.bytes, common.length);
        memcpy(end + common.length, own.bytes, own.length);
    }
    free(every);
    free(common.bytes);
    free(own.bytes);
    return status;
}

/* The member whose number in the job is @a self: of a rank, or of a relay; -1: none. */
static int find_self(const mtree_relay_plan_t *plan, uint32_t self)
{
    const bool is_relay = (self & MTREE_RELAY_IS_RELAY) != 0;
    const int ranks = plan->placement->num_ranks;
    const int end = is_relay ? ranks + plan->placement->num_relays : ranks;
    int member = is_relay ? ranks : 0;

    while (member < end && plan->peers[member] != self) {
        member++;
    }
    return member < end ? member : -1;
}

/* The part of the reader's host, from @a pieces on, [@a left] bytes; the lengths of the
 * hosts' own are number @a first of @a bytes and the following. */
static mtree_status_t read_part(const unsigned char *bytes, size_t first,
                                const unsigned char *pieces, size_t left,
                                mtree_relay_plan_t *plan)
{
    const int host = plan->placement->host[plan->self];
    const size_t common = number_at(bytes, COMMON_AT);
    size_t own = common, end = common;
    mtree_status_t status;

    for (int h = 0; h <= host; h++) {
        own = end;
        end += number_at(bytes, first + (size_t)h);
    }
    if (common > left || end > left) {
        return MTREE_ERR_INVALID;
    }
    status = mtree_plan_part_read(pieces, common, pieces + own, end - own, &plan->part);
    return status != MTREE_OK || (plan->part->host == host &&
                                  plan->part->num_hosts == plan->placement->num_hosts &&
                                  plan->part->num_relays == plan->placement->num_relays)
               ? status
               : MTREE_ERR_INVALID;
}

/* The numbers of ranks and relays, which are there, and their addresses. */
static mtree_status_t read_members(const unsigned char *bytes, const char *addresses,
                                   mtree_relay_plan_t *plan)
{
    const size_t ranks = number_at(bytes, RANKS_AT), relays = number_at(bytes, RELAYS_AT);
    const size_t hosts = number_at(bytes, HOSTS_AT);
    int *host = mtree_malloc(ranks * sizeof(*host));
    mtree_status_t status;

    plan->peers = mtree_malloc((ranks + relays) * sizeof(*plan->peers));
    plan->addresses = mtree_malloc(relays * sizeof(*plan->addresses));
    for (size_t r = 0; r < ranks; r++) {
        /* The last hosts are relays', without ranks. */
        host[r] = number_at(bytes, HEAD + r) < hosts - relays
                      ? (int)number_at(bytes, HEAD + r)
                      : -1;
    }
    for (size_t r = 0; r < ranks + relays; r++) {
        plan->peers[r] = number_at(bytes, HEAD + ranks + r);
    }
    for (size_t i = 0; i < relays; i++) {
        (void)snprintf(plan->addresses[i], MTREE_RELAY_ADDRESS, "%.*s",
                       MTREE_RELAY_ADDRESS - 1, addresses + MTREE_RELAY_ADDRESS * i);
    }
    status = mtree_placement_create_relayed((int)ranks, (int)hosts, (int)relays, host,
                                            NULL, &plan->placement);
    free(host);
    return status;
}

/* What the message says, to *plan, which the caller destroys. */
static mtree_status_t read_message(const unsigned char *bytes, size_t length,
                                   uint32_t self, mtree_relay_plan_t *plan)
{
    const size_t head = sizeof(uint32_t) * HEAD;
    const size_t ranks = length < head ? 0 : number_at(bytes, RANKS_AT);
    const size_t relays = length < head ? 0 : number_at(bytes, RELAYS_AT);
    const size_t hosts = length < head ? 0 : number_at(bytes, HOSTS_AT);
    const size_t first_length = HEAD + 2 * ranks + relays;
    const size_t numbers = sizeof(uint32_t) * (first_length + hosts);
    const size_t pieces = numbers + MTREE_RELAY_ADDRESS * relays;

    if (length > MOST_MESSAGE || ranks == 0 || relays == 0 || hosts <= relays ||
        hosts > ranks + relays || ranks + relays > MOST_NUMBERS || length < pieces) {
        return MTREE_ERR_INVALID;
    }
    plan->number = number_at(bytes, NUMBER_AT);
    if (read_members(bytes, (const char *)bytes + numbers, plan) != MTREE_OK) {
        return MTREE_ERR_INVALID;
    }
    plan->self = find_self(plan, self);
    return plan->self < 0
               ? MTREE_ERR_INVALID
               : read_part(bytes, first_length, bytes + pieces, length - pieces, plan);
}

mtree_status_t mtree_relay_plan_read(const void *bytes, size_t length, uint32_t self,
                                     mtree_relay_plan_t **plan_p)
{
    mtree_relay_plan_t *plan = mtree_calloc(1, sizeof(*plan));
    mtree_status_t status = read_message(bytes, length, self, plan);

    if (status != MTREE_OK) {
        mtree_relay_plan_destroy(plan);
        return status;
    }
    *plan_p = plan;
    return MTREE_OK;
}

bool mtree_relay_serves(const mtree_call_t *call)
{
    mtree_collective_t collective = call->collective;

    return (collective == MTREE_BCAST || collective == MTREE_ALLREDUCE ||
            collective == MTREE_REDUCE || collective == MTREE_ALLGATHER) &&
           call->unit_bytes > 0 && call->units <= MOST_BYTES / call->unit_bytes;
}

enum { PLAN, NUMBER, CONTEXT, COLLECTIVE, ROOT, TYPE, OP, NUM_WORDS };

enum { UNITS_AT = 4 * NUM_WORDS, CHUNK_AT = UNITS_AT + 8, START_END = CHUNK_AT + 8 };

_Static_assert(START_END == MTREE_RELAY_START_BYTES, "the length of a start");

void mtree_relay_start_write(const mtree_relay_start_t *start,
                             unsigned char bytes[MTREE_RELAY_START_BYTES])
{
    const mtree_call_t *call = &start->call;
    const uint32_t words[NUM_WORDS] = {
        start->plan,          start->number, start->context, (uint32_t)call->collective,
        (uint32_t)call->root, start->type,   start->op};

    for (int i = 0; i < NUM_WORDS; i++) {
        set_number(bytes, (size_t)i, words[i]);
    }
    mtree_put64(bytes + UNITS_AT, call->units);
    mtree_put64(bytes + CHUNK_AT, call->chunk_bytes);
}

mtree_status_t mtree_relay_start_read(const void *bytes, size_t length,
                                      mtree_relay_start_t *start)
{
    const unsigned char *from = bytes;
    uint32_t words[NUM_WORDS];
    bool reduces;

    if (length != MTREE_RELAY_START_BYTES ||
        number_at(from, COLLECTIVE) >= MTREE_COLLECTIVE_LAST) {
        return MTREE_ERR_INVALID;
    }
    for (int i = 0; i < NUM_WORDS; i++) {
        words[i] = number_at(from, (size_t)i);
    }
    reduces = mtree_collective_goes_up((mtree_collective_t)words[COLLECTIVE]);
    *start = (mtree_relay_start_t){
        .plan = words[PLAN],
        .number = words[NUMBER],
        .context = words[CONTEXT],
        .type = words[TYPE],
        .op = words[OP],
        .call = {.collective = (mtree_collective_t)words[COLLECTIVE],
                 .root = (int)words[ROOT],
                 .unit_bytes = reduces ? mtree_relay_type_bytes(words[TYPE]) : 1,
                 .units = mtree_get64(from + UNITS_AT),
                 .chunk_bytes = mtree_get64(from + CHUNK_AT)}};
    return words[ROOT] <= MOST_NUMBERS && mtree_relay_serves(&start->call) &&
                   (!reduces || mtree_relay_fold(start->type, start->op) != NULL) &&
                   start->call.chunk_bytes <= MOST_BYTES
               ? MTREE_OK
               : MTREE_ERR_INVALID;
}
