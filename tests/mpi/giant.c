/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Collectives of one element of so many megabytes (2^20 bytes), in memory for little of
 * it (tests/folded.h).
 *
 *   giant MEGABYTES COLLECTIVE...
 *
 * The first, the middle and the last number of each element are looked at.
 */
#define _GNU_SOURCE
#include "tests/folded.h"
#include "tests/mpi/expect.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes from which on memory is folded. */
#define LONG ((size_t)512 << 20)

#define MOST_FOLDED 64

static size_t element; /* bytes */
static int rank, ranks;
static MPI_Datatype type;
static MPI_Op sum;

static struct {
    char *memory;
    size_t bytes;
} folded[MOST_FOLDED];

static void *folded_add(size_t bytes)
{
    for (int i = 0; i < MOST_FOLDED; i++) {
        if (folded[i].memory == NULL) {
            folded[i].memory = folded_create(bytes, element);
            folded[i].bytes = bytes;
            return folded[i].memory;
        }
    }
    return NULL;
}

/* What mtree receives an element into is folded, too. */
void *malloc(size_t bytes)
{
    static void *(*next)(size_t bytes);

    if (bytes >= LONG) {
        return folded_add(bytes);
    }
    if (next == NULL) {
        next = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
    }
    return next(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    void *memory;

    if (bytes > 0 && count > SIZE_MAX / bytes) {
        return NULL;
    }
    memory = malloc(count * bytes);
    return memory == NULL || count * bytes >= LONG ? memory
                                                   : memset(memory, 0, count * bytes);
}

void free(void *memory)
{
    static void (*next)(void *memory);

    for (int i = 0; memory != NULL && i < MOST_FOLDED; i++) {
        if (folded[i].memory == memory) {
            folded_destroy(memory, folded[i].bytes);
            folded[i].memory = NULL;
            return;
        }
    }
    if (next == NULL) {
        next = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    }
    next(memory);
}

/* Number @a i (0: the first, 1: the middle one, 2: the last) of element @a at. */
static uint64_t *number(void *vector, int at, int i)
{
    size_t offsets[] = {0, element / 2, element - sizeof(uint64_t)};

    return (uint64_t *)(void *)((char *)vector + (size_t)at * element + offsets[i]);
}

static void add(void *in, void *inout, int *count, MPI_Datatype *unused)
{
    (void)unused;
    for (int at = 0; at < *count; at++) {
        for (int i = 0; i < 3; i++) {
            *number(inout, at, i) += *number(in, at, i);
        }
    }
}

/* What @a from contributes for @a to. */
static uint64_t part(int from, int to, int i)
{
    return 1000000 + (uint64_t)(1000 * (i + 1) + 10 * from + to);
}

/* @a count elements, of which element i is for rank i. */
static void *make(int count)
{
    void *vector = malloc((size_t)count * element);

    for (int at = 0; at < count && vector != NULL; at++) {
        for (int i = 0; i < 3; i++) {
            *number(vector, at, i) = part(rank, at, i);
        }
    }
    return vector;
}

/* Element @a at of @a vector is the sum of those that @a first to @a last have for @a to.
 */
static void verify(const char *name, void *vector, int at, int first, int last, int to)
{
    for (int i = 0; i < 3; i++) {
        uint64_t expected = 0;

        for (int from = first; from <= last; from++) {
            expected += part(from, to, i);
        }
        mtree_expect(*number(vector, at, i) == expected,
                     "%s: number %d of element %d is %llu instead of %llu", name, i, at,
                     (unsigned long long)*number(vector, at, i),
                     (unsigned long long)expected);
    }
}

typedef struct {
    const char *name;
    bool sends_all, receives_all; /* an element for each rank, or from each */
    void (*call)(const void *sent, void *received, MPI_Comm comm);
} collective_t;

static void call_bcast(const void *sent, void *received, MPI_Comm comm)
{
    MPI_Bcast(rank == 0 ? (void *)sent : received, 1, type, 0, comm);
}

static void call_reduce(const void *sent, void *received, MPI_Comm comm)
{
    MPI_Reduce(sent, received, 1, type, sum, 0, comm);
}

static void call_gather(const void *sent, void *received, MPI_Comm comm)
{
    MPI_Gather(sent, 1, type, received, 1, type, 0, comm);
}

static void call_scatter(const void *sent, void *received, MPI_Comm comm)
{
    MPI_Scatter(sent, 1, type, received, 1, type, 0, comm);
}

static void call_allreduce(const void *sent, void *received, MPI_Comm comm)
{
    MPI_Allreduce(sent, received, 1, type, sum, comm);
}

static void call_allgather(const void *sent, void *received, MPI_Comm comm)
{
    MPI_Allgather(sent, 1, type, received, 1, type, comm);
}

static void call_alltoall(const void *sent, void *received, MPI_Comm comm)
{
    MPI_Alltoall(sent, 1, type, received, 1, type, comm);
}

static void call_reduce_scatter(const void *sent, void *received, MPI_Comm comm)
{
    MPI_Reduce_scatter_block(sent, received, 1, type, sum, comm);
}

static void call_scan(const void *sent, void *received, MPI_Comm comm)
{
    MPI_Scan(sent, received, 1, type, sum, comm);
}

static void call_exscan(const void *sent, void *received, MPI_Comm comm)
{
    MPI_Exscan(sent, received, 1, type, sum, comm);
}

static const collective_t collectives[] = {
    {"bcast", false, false, call_bcast},
    {"reduce", false, false, call_reduce},
    {"gather", false, true, call_gather},
    {"scatter", true, false, call_scatter},
    {"allreduce", false, false, call_allreduce},
    {"allgather", false, true, call_allgather},
    {"alltoall", true, true, call_alltoall},
    {"reduce_scatter", true, false, call_reduce_scatter},
    {"scan", false, false, call_scan},
    {"exscan", false, false, call_exscan}};

/* What MPI says that @a received is. */
static void verify_all(const collective_t *collective, void *received)
{
    void (*call)(const void *sent, void *received, MPI_Comm comm) = collective->call;
    bool is_root = rank == 0, is_rooted = call == call_reduce || call == call_gather;
    int to = collective->sends_all ? rank : 0;
    bool has_one = call == call_bcast || call == call_scatter;
    int last = has_one               ? 0
               : call == call_scan   ? rank
               : call == call_exscan ? rank - 1
                                     : ranks - 1;

    if ((is_rooted && !is_root) || (call == call_bcast && is_root) || last < 0) {
        return;
    }
    for (int at = 0; at < (collective->receives_all ? ranks : 1); at++) {
        verify(collective->name, received, at, collective->receives_all ? at : 0,
               collective->receives_all ? at : last, to);
    }
}

static void run(const char *name)
{
    for (size_t i = 0; i < sizeof(collectives) / sizeof(collectives[0]); i++) {
        const collective_t *collective = &collectives[i];
        void *sent, *received;

        if (strcmp(collective->name, name) == 0) {
            sent = make(collective->sends_all ? ranks : 1);
            received = malloc((collective->receives_all ? (size_t)ranks : 1) * element);
            mtree_expect(sent != NULL && received != NULL, "%s: no memory", name);
            collective->call(sent, received, MPI_COMM_WORLD);
            verify_all(collective, received);
            free(sent);
            free(received);
            return;
        }
    }
    mtree_expect(false, "no collective is called %s", name);
}

int main(int argc, char **argv)
{
    size_t megabytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    MPI_Datatype megabyte;
    element = megabytes << 20;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Type_contiguous(1 << 17, MPI_UINT64_T, &megabyte);
    MPI_Type_contiguous((int)megabytes, megabyte, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add, 1, &sum);
    for (int i = 2; i < argc; i++) {
        run(argv[i]);
    }
    MPI_Op_free(&sum);
    MPI_Type_free(&type);
    MPI_Type_free(&megabyte);
    return mtree_expect_end("giant");
}
