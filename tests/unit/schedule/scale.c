/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What plans and calls of many ranks cost one rank, without MPI.
 *
 * The plans are those of two large networks, made up here; without MTREE_THOROUGH each
 * collective is on one of the two.  A line per plan: bytes of its part on the wire and in
 * memory, and the processor time to cut all parts (on rank 0) and to read one; for a call
 * of some ranks the greatest memory beside the user's vectors, and its processor time
 * with a transport whose messages end at once.  The exit status says whether all is
 * within the limits below.
 */
#include "schedule/goodput.h"
#include "schedule/layout.h"
#include "schedule/operation.h"
#include "schedule/plan_part_wire.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST_PART_BYTES   1e6
#define MOST_CALL_BYTES   4.2e6
#define MOST_READ_SECONDS 50e-3

#define MESSAGE_BYTES ((size_t)1 << 20)

/* Memory in use, but for what the C library allocates itself, and the most since it was
 * last reset. */
static ptrdiff_t in_use, most;

static ptrdiff_t size_of(void *memory)
{
    return memory == NULL ? 0 : (ptrdiff_t)malloc_usable_size(memory);
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
int __real_posix_memalign(void **memory_p, size_t alignment, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
int __wrap_posix_memalign(void **memory_p, size_t alignment, size_t size);
void __wrap_free(void *memory);

static void *count(void *memory)
{
    in_use += size_of(memory);
    most = in_use > most ? in_use : most;
    return memory;
}

void *__wrap_malloc(size_t size)
{
    return count(__real_malloc(size));
}

void *__wrap_calloc(size_t number, size_t size)
{
    return count(__real_calloc(number, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
    in_use -= size_of(memory);
    return count(__real_realloc(memory, size));
}

int __wrap_posix_memalign(void **memory_p, size_t alignment, size_t size)
{
    int error = __real_posix_memalign(memory_p, alignment, size);

    count(error == 0 ? *memory_p : NULL);
    return error;
}

void __wrap_free(void *memory)
{
    in_use -= size_of(memory);
    __real_free(memory);
}

static double processor_seconds(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void expect(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "scale: %s\n", what);
        exit(EXIT_FAILURE);
    }
}

/* Messages end at once, which the inbox allows. */
static mtree_status_t instant_send(mtree_transport_t *transport, int peer, int tag,
                                   const void *buffer, size_t units, bool synchronous,
                                   mtree_completion_t *done)
{
    (void)transport, (void)peer, (void)tag, (void)buffer, (void)units, (void)synchronous;
    done->func(done, MTREE_OK);
    return MTREE_OK;
}

static mtree_status_t instant_recv(mtree_transport_t *transport, int peer, int tag,
                                   void *buffer, size_t units, mtree_completion_t *done)
{
    return instant_send(transport, peer, tag, buffer, units, false, done);
}

static double instant_now(mtree_transport_t *transport)
{
    (void)transport;
    return 1;
}

static const mtree_transport_ops_t instant_ops = {
    .send = instant_send, .recv = instant_recv, .now = instant_now};

static void fold_nothing(void *arg, const void *a, const void *b, void *out, size_t units)
{
    (void)arg, (void)a, (void)b, (void)out, (void)units;
}

static void pack_nothing(void *arg, int rank, size_t offset, void *bytes, size_t length)
{
    (void)arg, (void)rank, (void)offset, (void)bytes, (void)length;
}

static void unpack_nothing(void *arg, int rank, size_t offset, const void *bytes,
                           size_t length)
{
    (void)arg, (void)rank, (void)offset, (void)bytes, (void)length;
}

/* The memory and time of a call of one rank. */
static void run_call(const mtree_plan_part_t *part, const mtree_placement_t *placement,
                     int rank, size_t bytes, size_t *memory_p, double *seconds_p)
{
    static char vector[64];
    mtree_transport_t transport = {.ops = &instant_ops, .ends_all = true};
    size_t units =
        bytes / 4 / (size_t)placement->num_ranks * (size_t)placement->num_ranks;
    const mtree_call_t call = {
        .collective = part->collective,
        .root = part->root < 0 ? 0 : placement->ranks[placement->first[part->root]],
        .units = units,
        .unit_bytes = 4};
    mtree_operation_data_t data = {
        .input = vector, .output = vector, .extent = 4, .span = 4, .fold = fold_nothing};
    double begin = processor_seconds();
    mtree_operation_t *operation;
    mtree_layout_t *layout;
    mtree_status_t status;
    ptrdiff_t before = in_use;

    if (mtree_collective_is_personalized(call.collective)) {
        data.pack = pack_nothing;
        data.unpack = unpack_nothing;
    }
    most = in_use;
    expect(mtree_layout_create(part, placement, &call, rank, &layout) == MTREE_OK,
           "no layout");
    data.goodput = mtree_goodput_create(layout);
    mtree_operation_start(layout, &transport, &data, NULL, NULL, &operation);
    expect(mtree_operation_done(operation, &status) && status == MTREE_OK,
           "the operation has not ended");
    *memory_p = (size_t)(most - before);
    *seconds_p = processor_seconds() - begin;
    mtree_operation_free(operation);
    mtree_goodput_destroy(data.goodput);
    mtree_layout_destroy(layout);
}

/* The part of @a rank as it reads it; *memory_p is what it keeps. */
static mtree_plan_part_t *read_part(const mtree_piece_t *common, const mtree_piece_t *own,
                                    const int *lengths, int rank, size_t *memory_p,
                                    double *seconds_p)
{
    ptrdiff_t before = in_use;
    size_t begin = 0, end = 0;
    double clock = processor_seconds();
    mtree_plan_part_t *part;

    for (int r = 0; r <= rank; r++) {
        if (lengths[r] > 0) {
            begin = end;
            end += (size_t)lengths[r];
        }
    }
    expect(mtree_plan_part_read(common->bytes, common->length, own->bytes + begin,
                                end - begin, &part) == MTREE_OK,
           "a part cannot be read");
    *seconds_p = processor_seconds() - clock;
    *memory_p = (size_t)(in_use - before);
    return part;
}

/* True: within the limits. */
static bool measure(const char *name, const mtree_plan_t *plan, int ranks_per_host,
                    size_t bytes)
{
    int ranks = plan->num_hosts * ranks_per_host;
    int *host = malloc((size_t)ranks * sizeof(*host));
    int *lengths = calloc((size_t)ranks, sizeof(*lengths));
    mtree_piece_t common = {0}, own = {0};
    mtree_placement_t *placement;
    double cut, read = 0, call = 0;
    size_t part_memory = 0, call_memory = 0;
    int longest = 0;

    for (int rank = 0; rank < ranks; rank++) {
        host[rank] = rank / ranks_per_host;
    }
    cut = processor_seconds();
    expect(mtree_plan_parts_write(plan, host, ranks, &common, &own, lengths) == MTREE_OK,
           "the plan cannot be cut");
    cut = processor_seconds() - cut;
    expect(mtree_placement_create(ranks, plan->num_hosts, host, NULL, &placement) ==
               MTREE_OK,
           "no placement");
    for (int rank = 0; rank < ranks; rank++) {
        longest = lengths[rank] > longest ? lengths[rank] : longest;
    }
    for (int i = 0; i < 5; i++) {
        int rank = i * (ranks / 5);
        size_t memory;
        double seconds;
        mtree_plan_part_t *part =
            read_part(&common, &own, lengths, rank, &memory, &seconds);

        part_memory = memory > part_memory ? memory : part_memory;
        read = seconds > read ? seconds : read;
        run_call(part, placement, rank, bytes, &memory, &seconds);
        call_memory = memory > call_memory ? memory : call_memory;
        call = seconds > call ? seconds : call;
        mtree_plan_part_destroy(part);
    }
    printf("%-8s %-14s %5d ranks %4d hosts %5d trees: part %4d KB, %4zu KB in memory, "
           "all parts cut in %4.0f ms, read in %4.1f ms; call of %zu KB: %5zu KB, %5.1f "
           "ms\n",
           name, mtree_collective_name(plan->collective), ranks, plan->num_hosts,
           plan->num_trees, ((int)common.length + longest) / 1000, part_memory / 1000,
           1e3 * cut, 1e3 * read, bytes / 1000, call_memory / 1000, 1e3 * call);
    mtree_placement_destroy(placement);
    free(common.bytes);
    free(own.bytes);
    free(lengths);
    free(host);
    return (double)part_memory <= MOST_PART_BYTES && read <= MOST_READ_SECONDS &&
           (double)call_memory <= MOST_CALL_BYTES;
}

/* The parent of host @a host in a tree of a torus of side 8: along one dimension after
 * the other, beginning with number @a turn. */
static int torus_parent(int root, int host, int turn)
{
    for (int d = 2; d >= 0; d--) {
        int place = 3 * ((d + turn) % 3);
        int from = root >> place & 7, at = host >> place & 7;
        int next = (at - from + 8) % 8 > 4 ? at + 1 : at - 1;

        if (at != from) {
            return (host & ~(7 << place)) | (next & 7) << place;
        }
    }
    return -1;
}

/* The same between hosts that all reach each other: binomial trees and others. */
static int switched_parent(int hosts, int root, int host, int turn)
{
    int place = (host - root + hosts) % hosts;

    if (place == 0) {
        return -1;
    }
    return (root + (turn == 0 ? place & (place - 1) : (place - 1) / 2)) % hosts;
}

static mtree_plan_t *made_up_plan(mtree_collective_t collective, bool torus)
{
    bool blocks = mtree_collective_has_blocks(collective);
    int hosts = torus ? 512 : 1024, per_root = torus ? 5 : 2;
    int trees = blocks ? hosts * per_root : 10;
    const char **names = malloc((size_t)hosts * sizeof(*names));
    mtree_plan_t *plan;

    for (int host = 0; host < hosts; host++) {
        names[host] = "host";
    }
    plan = mtree_plan_create(collective, "made up", hosts, names, trees);
    free(names);
    plan->root = mtree_collective_has_root(collective) ? 3 : -1;
    plan->bytes = plan->throughput = 1e6;
    for (int t = 0; t < trees; t++) {
        mtree_tree_t *tree = &plan->trees[t];

        tree->root = blocks ? t / per_root : plan->root >= 0 ? plan->root : 50 * t;
        tree->rate = 1e9 / (1 + t % 7);
        tree->share = 1.0 / (blocks ? per_root : trees);
        for (int host = 0; host < hosts; host++) {
            tree->parent[host] = torus ? torus_parent(tree->root, host, t % per_root)
                                       : switched_parent(hosts, tree->root, host, t % 2);
            tree->latency[host] = 2e-6;
        }
    }
    return plan;
}

int main(void)
{
    bool fits = true;

    for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
        for (int torus = 0; torus < 2; torus++) {
            mtree_plan_t *plan;

            /* The planner refuses scans over so many hosts. */
            if (mtree_collective_is_prefix((mtree_collective_t)c) ||
                (getenv("MTREE_THOROUGH") == NULL && torus != c % 2)) {
                continue;
            }
            plan = made_up_plan((mtree_collective_t)c, torus == 1);
            fits &=
                measure(torus ? "torus" : "switched", plan, torus ? 8 : 1, MESSAGE_BYTES);
            mtree_plan_destroy(plan);
        }
    }
    return fits ? EXIT_SUCCESS : EXIT_FAILURE;
}
