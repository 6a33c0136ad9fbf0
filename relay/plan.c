/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/plan.h"

#include "base/bytes.h"
#include "base/memory.h"
#include "planner/plan/json.h"
#include "relay/fold.h"
#include "schedule/plan_part_wire.h"

#include <jansson.h>
#include <stdlib.h>

/* Ranks and relays of the largest plan, bytes of the longest message about one, for which
 * a reader may need some tens of times as many, and bytes of the longest vector. */
#define MOST_NUMBERS 65536
#define MOST_TEXT    ((size_t)8 << 20)
#define MOST_BYTES   ((uint64_t)1 << 40)

void mtree_relay_plan_destroy(mtree_relay_plan_t *plan)
{
    if (plan != NULL) {
        free(plan->peers);
        mtree_placement_destroy(plan->placement);
        mtree_plan_part_destroy(plan->part);
        mtree_plan_destroy(plan->plan);
        free(plan);
    }
}

uint32_t mtree_relay_plan_number(const mtree_relay_plan_t *plan, int i)
{
    return plan->peers[plan->placement->num_ranks + i] & ~MTREE_RELAY_IS_RELAY;
}

/* It has the element then, or there is no memory. */
static void append(json_t *array, json_t *element)
{
    mtree_require(json_array_append_new(array, element) == 0 ? MTREE_OK
                                                             : MTREE_ERR_NO_MEMORY);
}

mtree_status_t mtree_relay_plan_write(const mtree_plan_t *plan, uint32_t number,
                                      int num_ranks, const int *host,
                                      const uint32_t *peers, char **text_p)
{
    json_t *hosts, *numbers, *relays, *message;
    char *text;

    *text_p = NULL;
    /* What cannot be written is logged. */
    if (num_ranks > MOST_NUMBERS - plan->num_relays ||
        mtree_plan_to_json(plan, &text) != MTREE_OK) {
        return MTREE_ERR_LIMIT;
    }
    hosts = json_array();
    numbers = json_array();
    relays = json_array();
    for (int r = 0; r < num_ranks + plan->num_relays; r++) {
        json_t *list = r < num_ranks ? hosts : relays;

        append(numbers, json_integer(peers[r]));
        append(list, r < num_ranks ? json_integer(host[r])
                                   : json_string(plan->relays[r - num_ranks]));
    }
    message = mtree_existing(json_pack("{s:I, s:s, s:o, s:o, s:o}", "number",
                                       (json_int_t)number, "plan", text, "hosts", hosts,
                                       "peers", numbers, "relays", relays));
    *text_p = mtree_existing(json_dumps(message, JSON_COMPACT));
    json_decref(message);
    free(text);
    return strlen(*text_p) > MOST_TEXT ? MTREE_ERR_LIMIT : MTREE_OK;
}

/* The numbers of @a array, malloc'ed, of at most @a most each; NULL: it has others.
 */
static uint32_t *read_numbers(const json_t *array, json_int_t most)
{
    const size_t count = json_array_size(array);
    uint32_t *numbers = mtree_malloc(count * sizeof(*numbers));

    for (size_t i = 0; i < count; i++) {
        const json_t *number = json_array_get(array, i);
        const json_int_t value = json_integer_value(number);

        if (!json_is_integer(number) || value < 0 || value > most) {
            free(numbers);
            return NULL;
        }
        numbers[i] = (uint32_t)value;
    }
    return numbers;
}

static mtree_status_t read_relays(const json_t *relays, mtree_plan_t *plan)
{
    const int count = (int)json_array_size(relays);
    const char **addresses = mtree_calloc((size_t)count, sizeof(*addresses));
    mtree_status_t status = count == plan->num_relays ? MTREE_OK : MTREE_ERR_INVALID;

    for (int i = 0; i < count && status == MTREE_OK; i++) {
        addresses[i] = json_string_value(json_array_get(relays, (size_t)i));
        if (addresses[i] == NULL || strlen(addresses[i]) >= MTREE_RELAY_ADDRESS) {
            status = MTREE_ERR_INVALID;
        }
    }
    status = status == MTREE_OK ? mtree_plan_add_relays(plan, count, addresses) : status;
    free(addresses);
    return status;
}

/* The part of number @a self: of a relay, which has no vector, that of a relay's host. */
static mtree_status_t find_part(mtree_relay_plan_t *plan, uint32_t self)
{
    const bool is_relay = (self & MTREE_RELAY_IS_RELAY) != 0;
    const int ranks = plan->placement->num_ranks;
    const int end = is_relay ? ranks + plan->placement->num_relays : ranks;

    plan->self = is_relay ? ranks : 0;
    while (plan->self < end && plan->peers[plan->self] != self) {
        plan->self++;
    }
    if (plan->self == end) {
        return MTREE_ERR_INVALID;
    }
    plan->part = mtree_plan_part_create(plan->plan, plan->placement->host[plan->self]);
    return mtree_plan_part_check(plan->part);
}

static mtree_status_t read_placement(const json_t *hosts, mtree_relay_plan_t *plan)
{
    const int active = mtree_plan_num_active(plan->plan);
    uint32_t *host = read_numbers(hosts, active - 1);
    mtree_status_t status =
        host == NULL
            ? MTREE_ERR_INVALID
            : mtree_placement_create_relayed(
                  (int)json_array_size(hosts), plan->plan->num_hosts,
                  plan->plan->num_relays, (const int *)host, NULL, &plan->placement);

    free(host);
    return status;
}

/* What @a message says, to *plan, which the caller destroys. */
static mtree_status_t read_message(json_t *message, uint32_t self,
                                   mtree_relay_plan_t *plan)
{
    json_t *hosts, *peers, *relays;
    json_int_t number;
    const char *text;
    size_t length;
    mtree_status_t status;

    if (json_unpack(message, "{s:I, s:s%, s:o, s:o, s:o}", "number", &number, "plan",
                    &text, &length, "hosts", &hosts, "peers", &peers, "relays",
                    &relays) != 0 ||
        number < 0 || number > UINT32_MAX || json_array_size(hosts) < 1 ||
        json_array_size(relays) < 1 || json_array_size(peers) > MOST_NUMBERS ||
        json_array_size(peers) != json_array_size(hosts) + json_array_size(relays)) {
        return MTREE_ERR_INVALID;
    }
    plan->number = (uint32_t)number;
    plan->peers = read_numbers(peers, UINT32_MAX);
    status = plan->peers == NULL
                 ? MTREE_ERR_INVALID
                 : mtree_plan_from_json(text, length, "plan with relays", &plan->plan);
    if (status == MTREE_OK) {
        status = read_relays(relays, plan->plan);
    }
    if (status == MTREE_OK) {
        status = read_placement(hosts, plan);
    }
    return status == MTREE_OK ? find_part(plan, self) : status;
}

mtree_status_t mtree_relay_plan_read(const void *bytes, size_t length, uint32_t self,
                                     mtree_relay_plan_t **plan_p)
{
    json_t *message = length > MOST_TEXT ? NULL : json_loadb(bytes, length, 0, NULL);
    mtree_relay_plan_t *plan = mtree_calloc(1, sizeof(*plan));
    mtree_status_t status =
        message == NULL ? MTREE_ERR_INVALID : read_message(message, self, plan);

    json_decref(message);
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
