/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/plan.h"

#include "base/bytes.h"
#include "relay/fold.h"

#include <stdlib.h>

/* Ranks and relays of the largest plan, and bytes of the longest vector. */
#define MOST_NUMBERS 65536
#define MOST_BYTES   ((uint64_t)1 << 40)

void mtree_relay_plan_destroy(mtree_relay_plan_t *plan)
{
    if (plan == NULL) {
        return;
    }
    for (int i = 0; plan->addresses != NULL && plan->addresses[i] != NULL; i++) {
        free(plan->addresses[i]);
    }
    free(plan->addresses);
    free(plan->peers);
    mtree_placement_destroy(plan->placement);
    mtree_plan_part_destroy(plan->part);
    free(plan);
}

int mtree_relay_plan_self(const mtree_relay_plan_t *plan)
{
    return plan->placement->num_ranks + plan->part->host -
           (plan->part->num_hosts - plan->part->num_relays);
}

static void append(mtree_wire_t *wire, const void *bytes, size_t length)
{
    if (mtree_wire_reserve(wire, length) && length > 0) {
        memcpy(wire->bytes + wire->length, bytes, length);
        wire->length += (int)length;
    }
}

static void append_number(mtree_wire_t *wire, uint32_t number)
{
    unsigned char bytes[4];

    mtree_put32(bytes, number);
    append(wire, bytes, sizeof(bytes));
}

void mtree_relay_plan_write(const mtree_relay_plan_t *plan, mtree_wire_t *wire)
{
    int ranks = plan->placement->num_ranks, relays = plan->placement->num_relays;
    mtree_wire_t common = {0};

    append_number(wire, plan->number);
    append_number(wire, (uint32_t)ranks);
    append_number(wire, (uint32_t)relays);
    append_number(wire, (uint32_t)plan->placement->num_hosts);
    for (int r = 0; r < ranks; r++) {
        append_number(wire, (uint32_t)plan->placement->host[r]);
    }
    for (int r = 0; r < ranks + relays; r++) {
        append_number(wire, plan->peers[r]);
    }
    for (int i = 0; i < relays; i++) {
        append_number(wire, (uint32_t)strlen(plan->addresses[i]));
        append(wire, plan->addresses[i], strlen(plan->addresses[i]));
    }
    mtree_plan_part_write_common(plan->part, &common);
    append_number(wire, (uint32_t)common.length);
    append(wire, common.bytes, (size_t)common.length);
    if (wire->status == MTREE_OK) {
        wire->status = common.status;
    }
    if (wire->status == MTREE_OK) {
        mtree_plan_part_write_own(plan->part, wire);
    }
    free(common.bytes);
}

typedef struct {
    const unsigned char *at;
    size_t left;
    bool is_faulty;
} reader_t;

static const unsigned char *read_bytes(reader_t *reader, size_t length)
{
    const unsigned char *bytes = reader->at;

    reader->is_faulty = reader->is_faulty || reader->left < length;
    if (reader->is_faulty) {
        return NULL;
    }
    reader->at += length;
    reader->left -= length;
    return bytes;
}

/* A number of at most @a most; 0 where the bytes have none. */
static uint32_t read_number(reader_t *reader, uint32_t most)
{
    const unsigned char *bytes = read_bytes(reader, 4);
    uint32_t number = bytes == NULL ? 0 : mtree_get32(bytes);

    reader->is_faulty = reader->is_faulty || number > most;
    return reader->is_faulty ? 0 : number;
}

static mtree_status_t read_placement(reader_t *reader, mtree_relay_plan_t *plan)
{
    int ranks = (int)read_number(reader, MOST_NUMBERS);
    int relays = (int)read_number(reader, MOST_NUMBERS);
    int hosts = (int)read_number(reader, MOST_NUMBERS);
    mtree_status_t status;
    int *host;

    /* What is allocated is in proportion to what has come. */
    if (reader->is_faulty || ranks < 1 || relays < 1 || hosts <= relays ||
        hosts > ranks + relays || reader->left / 8 < (size_t)ranks ||
        reader->left / 8 < (size_t)relays) {
        return MTREE_ERR_INVALID;
    }
    host = malloc((size_t)ranks * sizeof(*host));
    if (host == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int r = 0; r < ranks; r++) {
        host[r] = (int)read_number(reader, (uint32_t)(hosts - relays - 1));
    }
    status = mtree_placement_create_relayed(ranks, hosts, relays, host, NULL,
                                            &plan->placement);
    free(host);
    return status;
}

/* The numbers of all, and the addresses of relays. */
static mtree_status_t read_peers(reader_t *reader, mtree_relay_plan_t *plan)
{
    int relays = plan->placement->num_relays, all = plan->placement->num_ranks + relays;

    plan->peers = malloc((size_t)all * sizeof(*plan->peers));
    plan->addresses = calloc((size_t)relays + 1, sizeof(*plan->addresses));
    if (plan->peers == NULL || plan->addresses == NULL) {
        return MTREE_ERR_NO_MEMORY;
    }
    for (int r = 0; r < all; r++) {
        plan->peers[r] = read_number(reader, UINT32_MAX);
    }
    for (int i = 0; i < relays; i++) {
        size_t length = read_number(reader, MTREE_RELAY_ADDRESS - 1);
        const unsigned char *text = read_bytes(reader, length);

        plan->addresses[i] = text == NULL ? NULL : strndup((const char *)text, length);
        if (plan->addresses[i] == NULL) {
            return text == NULL ? MTREE_ERR_INVALID : MTREE_ERR_NO_MEMORY;
        }
    }
    return MTREE_OK;
}

/* The part is of a relay's host, and has it pass on what it gets. */
static bool fits(const mtree_relay_plan_t *plan)
{
    const mtree_plan_part_t *part = plan->part;
    bool fits = part->num_hosts == plan->placement->num_hosts &&
                part->num_relays == plan->placement->num_relays && part->num_steps == 0 &&
                part->host >= part->num_hosts - part->num_relays;

    for (int t = 0; fits && t < part->num_trees; t++) {
        fits = part->trees[t].num_edges != 1;
    }
    return fits;
}

mtree_status_t mtree_relay_plan_read(const void *bytes, size_t length,
                                     mtree_relay_plan_t **plan_p)
{
    reader_t reader = {bytes, length, false};
    mtree_relay_plan_t *plan = calloc(1, sizeof(*plan));
    mtree_status_t status = plan == NULL ? MTREE_ERR_NO_MEMORY : MTREE_OK;

    if (status == MTREE_OK) {
        plan->number = read_number(&reader, UINT32_MAX);
        status = read_placement(&reader, plan);
    }
    if (status == MTREE_OK) {
        status = read_peers(&reader, plan);
    }
    if (status == MTREE_OK) {
        size_t common_length = read_number(&reader, UINT32_MAX);
        const unsigned char *common = read_bytes(&reader, common_length);

        status = common == NULL ? MTREE_ERR_INVALID
                                : mtree_plan_part_read(common, common_length, reader.at,
                                                       reader.left, &plan->part);
    }
    if (status == MTREE_OK && !fits(plan)) {
        status = MTREE_ERR_INVALID;
    }
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

enum { PLAN, NUMBER, CONTEXT, COLLECTIVE, ROOT, UNIT_BYTES, TYPE, OP, NUM_WORDS };

enum {
    UNITS_AT = 4 * NUM_WORDS,
    CHUNK_AT = UNITS_AT + 8,
    LONGEST_AT = CHUNK_AT + 8,
    RECOVERY_AT = LONGEST_AT + 8,
    START_END = RECOVERY_AT + 8
};

_Static_assert(START_END == MTREE_RELAY_START_BYTES, "the length of a start");

void mtree_relay_start_write(const mtree_relay_start_t *start,
                             unsigned char bytes[MTREE_RELAY_START_BYTES])
{
    const mtree_call_t *call = &start->call;
    /* A unit is a number of relay/fold.h, or a byte. */
    const uint32_t words[NUM_WORDS] = {start->plan,          start->number,
                                       start->context,       (uint32_t)call->collective,
                                       (uint32_t)call->root, (uint32_t)call->unit_bytes,
                                       start->type,          start->op};
    uint64_t recovery;

    for (int i = 0; i < NUM_WORDS; i++) {
        mtree_put32(bytes + 4 * i, words[i]);
    }
    memcpy(&recovery, &call->recovery, sizeof(recovery));
    mtree_put64(bytes + UNITS_AT, call->units);
    mtree_put64(bytes + CHUNK_AT, call->chunk_bytes);
    mtree_put64(bytes + LONGEST_AT, call->longest_bytes);
    mtree_put64(bytes + RECOVERY_AT, recovery);
}

/* Does the relay know how to reduce, where it has to? */
static bool start_is_known(const mtree_relay_start_t *start)
{
    const mtree_call_t *call = &start->call;
    bool reduces = mtree_collective_goes_up(call->collective);

    return reduces ? mtree_relay_fold(start->type, start->op) != NULL &&
                         mtree_relay_type_bytes(start->type) == call->unit_bytes
                   : call->unit_bytes == 1;
}

mtree_status_t mtree_relay_start_read(const void *bytes, size_t length,
                                      mtree_relay_start_t *start)
{
    const unsigned char *from = bytes;
    uint64_t recovery;
    uint32_t words[NUM_WORDS];

    if (length != MTREE_RELAY_START_BYTES) {
        return MTREE_ERR_INVALID;
    }
    for (int i = 0; i < NUM_WORDS; i++) {
        words[i] = mtree_get32(from + 4 * i);
    }
    *start = (mtree_relay_start_t){
        .plan = words[PLAN],
        .number = words[NUMBER],
        .context = words[CONTEXT],
        .type = words[TYPE],
        .op = words[OP],
        .call = {.collective = (mtree_collective_t)words[COLLECTIVE],
                 .root = (int)words[ROOT],
                 .unit_bytes = words[UNIT_BYTES],
                 .units = mtree_get64(from + UNITS_AT),
                 .chunk_bytes = mtree_get64(from + CHUNK_AT),
                 .longest_bytes = mtree_get64(from + LONGEST_AT)}};
    recovery = mtree_get64(from + RECOVERY_AT);
    memcpy(&start->call.recovery, &recovery, sizeof(recovery));
    return words[COLLECTIVE] < MTREE_COLLECTIVE_LAST && words[ROOT] <= MOST_NUMBERS &&
                   mtree_relay_serves(&start->call) && start_is_known(start) &&
                   start->call.chunk_bytes <= MOST_BYTES &&
                   start->call.longest_bytes <= MOST_BYTES && start->call.recovery >= 0 &&
                   start->call.recovery < 1e3
               ? MTREE_OK
               : MTREE_ERR_INVALID;
}
