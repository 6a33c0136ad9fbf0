/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plan as an algorithm of MSCCL, in the XML that its runtimes read.
 */
#include "tools/command.h"
#include "tools/export/formats.h"
#include "tools/export/msccl_program.h"
#include "tools/planned_network.h"

#include "base/log.h"

/* Without a limit MSCCL takes an algorithm for up to 128 MB alone. */
#define MAX_BYTES "1099511627776"

static const char *const kinds[] = {[MSCCL_SEND] = "s",
                                    [MSCCL_RECV] = "r",
                                    [MSCCL_RECV_REDUCE] = "rrc",
                                    [MSCCL_COPY] = "cpy"};

static void write_step(const msccl_step_t *step, int number, FILE *out)
{
    fprintf(out,
            "      <step s=\"%d\" type=\"%s\" srcbuf=\"%c\" srcoff=\"%d\" dstbuf=\"%c\" "
            "dstoff=\"%d\" cnt=\"%d\" depid=\"%d\" deps=\"%d\" hasdep=\"%d\"/>\n",
            number, kinds[step->kind], step->source.buffer, step->source.first,
            step->target.buffer, step->target.first, step->count, step->wait_block,
            step->wait_step, step->is_awaited);
}

static void write_gpu(const msccl_gpu_t *gpu, int number, int input, int output,
                      FILE *out)
{
    fprintf(out, "  <gpu id=\"%d\" i_chunks=\"%d\" o_chunks=\"%d\" s_chunks=\"%d\">\n",
            number, input, output, gpu->scratch);
    for (int i = 0; i < gpu->num_blocks; i++) {
        const msccl_block_t *block = &gpu->blocks[i];

        fprintf(out, "    <tb id=\"%d\" send=\"%d\" recv=\"%d\" chan=\"%d\">\n", i,
                block->send, block->recv, block->channel);
        for (int s = 0; s < block->num_steps; s++) {
            write_step(&block->steps[s], s, out);
        }
        fputs("    </tb>\n", out);
    }
    fputs("  </gpu>\n", out);
}

/* The program is right for calls in place, too, so it is said to be for both. */
static void write_program(const mtree_plan_t *plan, const msccl_program_t *program,
                          FILE *out)
{
    const mtree_collective_t collective = plan->collective;
    const int block = program->chunks, whole = mtree_collective_has_blocks(collective)
                                                   ? block * program->num_gpus
                                                   : block;
    const bool has_block_in =
                   mtree_collective_traits(collective)->input == MTREE_PART_BLOCK,
               has_block_out =
                   mtree_collective_traits(collective)->result == MTREE_PART_BLOCK;

    fprintf(out,
            "<algo name=\"mtree_%s_%d\" proto=\"Simple\" nchannels=\"%d\" "
            "nchunksperloop=\"%d\" ngpus=\"%d\" coll=\"%s\" inplace=\"1\" "
            "outofplace=\"1\" minBytes=\"0\" maxBytes=\"" MAX_BYTES "\">\n",
            mtree_collective_name(collective), program->num_gpus, program->num_channels,
            whole, program->num_gpus, mtree_collective_name(collective));
    for (int i = 0; i < program->num_gpus; i++) {
        write_gpu(&program->gpus[i], i, has_block_in ? block : whole,
                  has_block_out ? block : whole, out);
    }
    fputs("</algo>\n", out);
}

/* Can @a plan be such an algorithm at all?  Logs why not. */
static mtree_status_t check_plan(const mtree_plan_t *plan, const char *file)
{
    const char *obstacle = msccl_program_obstacle(plan->collective);

    if (obstacle != NULL) {
        mtree_error("%s: a plan of %s is not written for MSCCL: %s; allreduce, allgather "
                    "and reduce_scatter are",
                    file, mtree_collective_name(plan->collective), obstacle);
        return MTREE_ERR_UNSUPPORTED;
    }
    if (plan->order != NULL) {
        mtree_error("%s: %s has no trees, and those are what is written for MSCCL; plan "
                    "with another algorithm",
                    file, plan->algorithm);
        return MTREE_ERR_UNSUPPORTED;
    }
    if (plan->num_relays > 0) {
        mtree_error(
            "%s: the plan has relays, and MSCCL knows the GPUs of the call alone; "
            "plan without --relays",
            file);
        return MTREE_ERR_UNSUPPORTED;
    }
    return MTREE_OK;
}

static mtree_status_t make_program(const mtree_plan_t *plan, const char *file, int chunks,
                                   msccl_program_t *program)
{
    mtree_status_t status = check_plan(plan, file);

    if (status != MTREE_OK) {
        return status;
    }
    status = msccl_program_make(plan, chunks, program);
    if (status == MTREE_ERR_LIMIT) {
        mtree_error("%s: MSCCL takes at most %d steps per thread block, %d peers per "
                    "channel and %d thread blocks per GPU; plan with fewer --trees, or "
                    "for fewer hosts",
                    file, MSCCL_MAX_STEPS, MSCCL_MAX_PEERS, MSCCL_MAX_BLOCKS);
    } else if (status != MTREE_OK) {
        (void)mtree_no_memory("the program of %s", file);
    }
    return status;
}

mtree_status_t export_msccl(const char *file, const export_options_t *options)
{
    planned_network_t planned;
    msccl_program_t program;
    mtree_status_t status = planned_network_read(file, NULL, &planned);
    FILE *out;

    if (status != MTREE_OK) {
        return status;
    }
    status = make_program(planned.plan, file, options->chunks, &program);
    if (status == MTREE_OK) {
        status = command_open(options->output, &out);
        if (status == MTREE_OK) {
            write_program(planned.plan, &program, out);
            status = command_close(options->output, out, MTREE_OK);
        }
        msccl_program_cleanup(&program);
    }
    planned_network_cleanup(&planned);
    return status;
}
