/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "papers/baselines/rounds.h"

#include "base/log.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BITS 64

/*
 * The run of a schedule: for every host and piece, the set of hosts whose parts its
 * partial sum holds. `next` is what holds after the step that runs.
 */
typedef struct {
    const mtree_rounds_t *schedule;
    size_t words; /* of one set */
    uint64_t *now, *next;
} run_t;

static uint64_t *set_of(const run_t *run, uint64_t *sets, int host, int piece)
{
    size_t pieces = (size_t)run->schedule->num_pieces;

    return sets + ((size_t)host * pieces + (size_t)piece) * run->words;
}

static bool is_full(const run_t *run, const uint64_t *set)
{
    int host;

    for (host = 0; host < run->schedule->num_hosts; host++) {
        if ((set[host / WORD_BITS] >> (host % WORD_BITS) & 1) == 0) {
            return false;
        }
    }
    return true;
}

static mtree_status_t fault(const run_t *run, const mtree_transfer_t *transfer,
                            const char *what)
{
    mtree_error(
        "step schedule of %s: step %d, host %d to %d, piece %d: %s; this is a fault "
        "of the algorithm",
        run->schedule->algorithm, transfer->step, transfer->from, transfer->to,
        transfer->piece, what);
    return MTREE_ERR_INVALID;
}

static mtree_status_t run_transfer(run_t *run, const mtree_transfer_t *transfer)
{
    const uint64_t *sent;
    uint64_t *got;
    size_t word;

    if (transfer->from == transfer->to) {
        return fault(run, transfer, "a host sends to itself");
    }
    sent = set_of(run, run->now, transfer->from, transfer->piece);
    got = set_of(run, run->next, transfer->to, transfer->piece);
    for (word = 0; word < run->words; word++) {
        if (transfer->reduce && (got[word] & sent[word]) != 0) {
            return fault(run, transfer, "adds a host's part twice");
        }
        if (!transfer->reduce && (got[word] & ~sent[word]) != 0) {
            return fault(run, transfer, "hands over less than the receiver has");
        }
        got[word] |= sent[word];
    }
    return MTREE_OK;
}

/* Every transfer of a step reads `now`; a host that both sends and receives a piece sends
 * the old sum. */
static mtree_status_t run_step(run_t *run, int step, size_t length)
{
    mtree_status_t status;
    int i;

    memcpy(run->next, run->now, length);
    for (i = 0; i < run->schedule->num_transfers; i++) {
        if (run->schedule->transfers[i].step == step) {
            status = run_transfer(run, &run->schedule->transfers[i]);
            if (status != MTREE_OK) {
                return status;
            }
        }
    }
    memcpy(run->now, run->next, length);
    return MTREE_OK;
}

static mtree_status_t check_end(const run_t *run)
{
    int host, piece;

    for (host = 0; host < run->schedule->num_hosts; host++) {
        for (piece = 0; piece < run->schedule->num_pieces; piece++) {
            if (!is_full(run, set_of(run, run->now, host, piece))) {
                mtree_error(
                    "step schedule of %s: host %d ends without piece %d; this is a "
                    "fault of the algorithm",
                    run->schedule->algorithm, host, piece);
                return MTREE_ERR_INVALID;
            }
        }
    }
    return MTREE_OK;
}

mtree_status_t mtree_rounds_check(const mtree_rounds_t *schedule)
{
    run_t run = {.schedule = schedule,
                 .words = ((size_t)schedule->num_hosts + WORD_BITS - 1) / WORD_BITS};
    size_t length = (size_t)schedule->num_hosts * (size_t)schedule->num_pieces *
                    run.words * sizeof(*run.now);
    mtree_status_t status = MTREE_OK;
    int host, piece, step;

    run.now = mtree_calloc(1, length);
    run.next = mtree_calloc(1, length);
    for (host = 0; host < schedule->num_hosts; host++) {
        for (piece = 0; piece < schedule->num_pieces; piece++) {
            set_of(&run, run.now, host, piece)[host / WORD_BITS] |= UINT64_C(1)
                                                                    << (host % WORD_BITS);
        }
    }
    for (step = 1; step <= schedule->num_steps && status == MTREE_OK; step++) {
        status = run_step(&run, step, length);
    }
    if (status == MTREE_OK) {
        status = check_end(&run);
    }
    free(run.now);
    free(run.next);
    return status;
}
