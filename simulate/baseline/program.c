/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/baseline/program.h"

#include "base/array.h"

/* The request of a send or receive of 0 elements, which is done at once. */
#define NO_REQUEST SIZE_MAX

static void touch(mtree_program_t *program, mtree_place_t place, size_t count)
{
    if (program->lengths[place.buffer] < place.offset + count) {
        program->lengths[place.buffer] = place.offset + count;
    }
}

static size_t add(mtree_program_t *program, const mtree_step_t *step)
{
    if (mtree_array_reserve(&program->steps, &program->capacity,
                            (int)program->num_steps + 1,
                            sizeof(*program->steps)) != MTREE_OK) {
        program->status = MTREE_ERR_NO_MEMORY;
        return NO_REQUEST;
    }
    program->steps[program->num_steps] = *step;
    return program->num_steps++;
}

size_t mtree_program_send(mtree_program_t *program, int peer, mtree_place_t from,
                          size_t count)
{
    if (count == 0) {
        return NO_REQUEST;
    }
    touch(program, from, count);
    return add(program,
               &(mtree_step_t){
                   .kind = MTREE_STEP_SEND, .peer = peer, .from = from, .count = count});
}

size_t mtree_program_recv(mtree_program_t *program, int peer, mtree_place_t to,
                          size_t count)
{
    if (count == 0) {
        return NO_REQUEST;
    }
    touch(program, to, count);
    return add(
        program,
        &(mtree_step_t){.kind = MTREE_STEP_RECV, .peer = peer, .to = to, .count = count});
}

void mtree_program_wait(mtree_program_t *program, size_t request)
{
    if (request != NO_REQUEST) {
        add(program, &(mtree_step_t){.kind = MTREE_STEP_WAIT, .request = request});
    }
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
