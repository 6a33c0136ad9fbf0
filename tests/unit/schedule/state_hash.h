/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hashes that tell the states of running operations apart: equal states have equal
 * hashes, whatever memory they are in.
 */
#ifndef MTREE_TESTS_UNIT_SCHEDULE_STATE_HASH_H
#define MTREE_TESTS_UNIT_SCHEDULE_STATE_HASH_H

#include "schedule/operation_private.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The states that an exhaustive test has been in, by their hashes. */
typedef struct {
    uint64_t *slots; /* [2 * max]; 0: free */
    size_t max, count;
} visited_t;

/* @a hash with one more number in it; the order of the numbers matters. */
static uint64_t visited_mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u;
    return hash ^ (hash >> 29);
}

/* Room for @a max states. */
static void visited_init(visited_t *visited, size_t max)
{
    *visited = (visited_t){.slots = calloc(2 * max, sizeof(*visited->slots)), .max = max};
    if (visited->slots == NULL) {
        abort();
    }
}

static void visited_cleanup(visited_t *visited)
{
    free(visited->slots);
}

/* Add a state; false when it was there.  There must be room. */
static bool visited_add(visited_t *visited, uint64_t hash)
{
    size_t at;

    hash += hash == 0;
    at = hash % (2 * visited->max);
    while (visited->slots[at] != 0 && visited->slots[at] != hash) {
        at = (at + 1) % (2 * visited->max);
    }
    if (visited->slots[at] == hash) {
        return false;
    }
    if (visited->count == visited->max) {
        abort();
    }
    visited->slots[at] = hash;
    visited->count++;
    return true;
}

static uint64_t hash_receiver(uint64_t hash, const mtree_receiver_t *receiver)
{
    hash = visited_mix(hash, receiver->posted);
    hash = visited_mix(hash, receiver->taken);
    hash = visited_mix(hash, receiver->released);
    hash = visited_mix(hash, receiver->arrived);
    hash = visited_mix(hash, 2 * receiver->granted + receiver->crediting);
    for (size_t i = 0; i < receiver->window; i++) {
        const mtree_slot_t *slot = &receiver->slots[i];

        hash = visited_mix(hash, 2 * slot->chunk + slot->arrived);
        hash = visited_mix(hash, (uint64_t)slot->unsent);
    }
    return hash;
}

static uint64_t hash_stream(uint64_t hash, const mtree_stream_state_t *state)
{
    for (const mtree_send_channel_t *channel = state->channels; channel != NULL;
         channel = channel->sibling) {
        hash = visited_mix(hash, channel->next);
        hash = visited_mix(hash, channel->sent);
        hash = visited_mix(hash, channel->credit);
    }
    for (int i = 0; i < state->num_receivers; i++) {
        hash = hash_receiver(hash, &state->receivers[i]);
    }
    if (state->above != NULL) {
        hash = hash_receiver(hash, state->above);
    }
    return hash;
}

/* Where one rank's operation stands; the last[] decide what a busy link takes next. */
static uint64_t state_hash_operation(const mtree_operation_t *operation)
{
    uint64_t hash = visited_mix(1, (uint64_t)operation->step);

    for (int up = 0; up < 2; up++) {
        uint64_t bits;

        memcpy(&bits, &operation->last[up], sizeof(bits));
        hash = visited_mix(hash, bits);
    }
    for (int s = 0; s < operation->layout->num_streams; s++) {
        hash = hash_stream(hash, &operation->states[s]);
    }
    return hash;
}

/*
 * Which completion of which rank this is: by its place in the operation, or, the send
 * operation being elsewhere, by channel and chunk.  operations[rank] is NULL where the
 * rank has not begun; one of them owns @a completion.
 */
static uint64_t state_hash_completion(mtree_operation_t *const *operations,
                                      const mtree_completion_t *completion)
{
    const mtree_event_t *event = (const mtree_event_t *)completion;
    const mtree_batch_t *batch;
    const mtree_send_op_t *send_op = (const mtree_send_op_t *)completion;
    uintptr_t place = (uintptr_t)completion, first, end;
    int rank = 0;

    while (operations[rank] == NULL || event->inbox != &operations[rank]->inbox) {
        rank++;
    }
    batch = operations[rank]->oldest;
    first = (uintptr_t)batch;
    end = (uintptr_t)batch->slots_end;
    if (place >= first && place < end) {
        return visited_mix(visited_mix(2, (uint64_t)rank), place - first);
    }
    return visited_mix(visited_mix(visited_mix(3, (uint64_t)rank), send_op->chunk),
                       (uint64_t)(send_op->channel - batch->channels));
}

#endif
