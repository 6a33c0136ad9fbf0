/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/bruck.h"

static void order_from_own(const mtree_program_job_t *job, int place, int *sequence)
{
    for (int i = 0; i < job->num_hosts; i++) {
        sequence[i] = (place + i) % job->num_hosts;
    }
}

static void gather(const mtree_blocks_t *blocks)
{
    mtree_program_t *program = blocks->program;
    const int hosts = blocks->job->num_hosts;
    const size_t sends = program->num_steps;

    for (int have = 1, more; have < hosts; have += more) {
        const size_t begin = blocks->first[have];
        size_t receive;

        more = have < hosts - have ? have : hosts - have;
        receive = mtree_program_recv(program, (blocks->place + have) % hosts,
                                     mtree_place(MTREE_BUFFER_WORK, begin),
                                     blocks->first[have + more] - begin);
        (void)mtree_program_send(program, (blocks->place - have + hosts) % hosts,
                                 mtree_place(MTREE_BUFFER_WORK, 0), blocks->first[more]);
        mtree_program_wait(program, receive);
    }
    mtree_program_wait_sends(program, sends);
}

const mtree_blocks_kind_t mtree_bruck_blocks = {order_from_own, gather};
