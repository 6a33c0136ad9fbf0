/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/program.h"

#include "base/array.h"
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

/* The request of a send or receive of 0 units, which is done at once. */
#define NO_REQUEST SIZE_MAX

static void touch(mtree_program_t *program, mtree_place_t place, size_t count)
{
    if (program->lengths[place.buffer] < place.offset + count) {
        program->lengths[place.buffer] = place.offset + count;
    }
}

static size_t add(mtree_program_t *program, const mtree_step_t *step)
{
    mtree_array_reserve(&program->steps, &program->capacity, (int)program->num_steps + 1,
                        sizeof(*program->steps));
    program->steps[program->num_steps] = *step;
    return program->num_steps++;
}

static int rank_of(const mtree_program_t *program, int peer)
{
    return program->ranks == NULL ? peer : program->ranks[peer];
}

size_t mtree_program_send(mtree_program_t *program, int peer, mtree_place_t from,
                          size_t count)
{
    if (count == 0) {
        return NO_REQUEST;
    }
    touch(program, from, count);
    return add(program, &(mtree_step_t){.kind = MTREE_STEP_SEND,
                                        .peer = rank_of(program, peer),
                                        .from = from,
                                        .count = count});
}

mtree_place_t mtree_program_slot(mtree_program_t *program, size_t count)
{
    const mtree_place_t slot =
        mtree_place(MTREE_BUFFER_INBOX, program->lengths[MTREE_BUFFER_INBOX]);

    touch(program, slot, count + program->overlap);
    return slot;
}

/* An early receive keeps the place that its message is meant for in `from`. */
size_t mtree_program_recv(mtree_program_t *program, int peer, mtree_place_t to,
                          size_t count)
{
    mtree_step_t step = {.kind = MTREE_STEP_RECV,
                         .peer = rank_of(program, peer),
                         .to = to,
                         .from = to,
                         .count = count};

    if (count == 0) {
        return NO_REQUEST;
    }
    touch(program, to, count);
    if (program->early && to.buffer != MTREE_BUFFER_INBOX) {
        step.to = mtree_program_slot(program, count);
    }
    return add(program, &step);
}

void mtree_program_wait(mtree_program_t *program, size_t request)
{
    mtree_step_t waited;

    if (request == NO_REQUEST) {
        return;
    }
    waited = program->steps[request];
    add(program, &(mtree_step_t){.kind = MTREE_STEP_WAIT, .request = request});
    if (waited.kind == MTREE_STEP_RECV && waited.from.buffer != waited.to.buffer) {
        mtree_program_copy(program, waited.from, waited.to, waited.count);
    }
}

static void wait_since(mtree_program_t *program, size_t first, bool receives)
{
    const size_t end = program->num_steps;

    for (size_t step = first; step < end; step++) {
        if (program->steps[step].kind == MTREE_STEP_SEND ||
            (receives && program->steps[step].kind == MTREE_STEP_RECV)) {
            mtree_program_wait(program, step);
        }
    }
}

void mtree_program_wait_all(mtree_program_t *program, size_t first)
{
    wait_since(program, first, true);
}

void mtree_program_wait_sends(mtree_program_t *program, size_t first)
{
    wait_since(program, first, false);
}

static void add_local(mtree_program_t *program, mtree_step_kind_t kind, mtree_place_t to,
                      mtree_place_t from, size_t count)
{
    touch(program, to, count);
    touch(program, from, count);
    add(program, &(mtree_step_t){.kind = kind, .to = to, .from = from, .count = count});
}

void mtree_program_fold(mtree_program_t *program, mtree_place_t to, mtree_place_t from,
                        size_t count)
{
    add_local(program, MTREE_STEP_FOLD, to, from, count);
}

void mtree_program_copy(mtree_program_t *program, mtree_place_t to, mtree_place_t from,
                        size_t count)
{
    if (program->without_copies) {
        return;
    }
    add_local(program, MTREE_STEP_COPY, to, from, count);
}

void mtree_program_copy_block(mtree_program_t *program, int rank, mtree_place_t to,
                              mtree_place_t from, size_t count)
{
    const size_t step = program->num_steps;

    mtree_program_copy(program, to, from, count);
    if (program->num_steps > step) {
        program->steps[step].peer = rank;
    }
}

void mtree_program_send_now(mtree_program_t *program, int peer, mtree_place_t from,
                            size_t count)
{
    mtree_program_wait(program, mtree_program_send(program, peer, from, count));
}

void mtree_program_recv_now(mtree_program_t *program, int peer, mtree_place_t to,
                            size_t count)
{
    mtree_program_wait(program, mtree_program_recv(program, peer, to, count));
}

void mtree_program_recv_and_fold(mtree_program_t *program, int peer, mtree_place_t to,
                                 size_t count)
{
    const mtree_place_t slot = mtree_program_slot(program, count);

    mtree_program_recv_now(program, peer, slot, count);
    mtree_program_fold(program, to, slot, count);
}

void mtree_program_hoist(mtree_program_t *program)
{
    mtree_step_t *steps = program->steps, *moved;
    size_t *number, at = 0;

    moved = mtree_malloc(program->num_steps * sizeof(*moved));
    number = mtree_malloc(program->num_steps * sizeof(*number));
    for (int receives = 1; receives >= 0; receives--) {
        for (size_t i = 0; i < program->num_steps; i++) {
            if ((steps[i].kind == MTREE_STEP_RECV) == (receives != 0)) {
                number[i] = at;
                moved[at++] = steps[i];
            }
        }
    }
    for (size_t i = 0; i < at; i++) {
        if (moved[i].kind == MTREE_STEP_WAIT) {
            moved[i].request = number[moved[i].request];
        }
    }
    free(number);
    free(steps);
    program->steps = moved;
    program->capacity = (int)program->num_steps;
}

void mtree_program_clear(mtree_program_t *program)
{
    free(program->steps);
    *program = (mtree_program_t){0};
}
