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
#include "tests/mpi/random_case.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bytes from which on memory is folded. */
#define LONG ((size_t)512 << 20)

#define MOST_FOLDED 64
#define MOST_RANKS  16

static size_t element; /* bytes */
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
            *number(vector, at, i) = part(my_rank, at, i);
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

/* Blocks of one element each. */
static void call(collective_t collective, void *sent, void *received)
{
    static const item_layout_t element_alone = {.items = 1};
    static int ones[MOST_RANKS];
    case_t c = {.collective = collective,
                .op = sum,
                .comm = MPI_COMM_WORLD,
                .rank = my_rank,
                .ranks = num_ranks,
                .block = 1,
                .total = 1,
                .counts = ones,
                .recv_counts = ones,
                .send_layout = &element_alone,
                .recv_layout = &element_alone,
                .send = {.base = sent, .type = type},
                .recv = {.base = collective == BCAST && my_rank == 0 ? sent : received,
                         .type = type}};

    for (int r = 0; r < MOST_RANKS; r++) {
        ones[r] = 1;
    }
    c.sides[0].counts = c.sides[1].counts = ones;
    case_call(&c);
}

/* What MPI says that @a received is. */
static void verify_all(collective_t collective, void *received)
{
    bool is_root = my_rank == 0, all = collective_is(collective, RECEIVES_ALL);
    int last = collective == BCAST || collective == SCATTER ? 0
               : collective == SCAN                         ? my_rank
               : collective == EXSCAN                       ? my_rank - 1
                                                            : num_ranks - 1;

    if (((collective == REDUCE || collective == GATHER) && !is_root) ||
        (collective == BCAST && is_root) || last < 0) {
        return;
    }
    for (int at = 0; at < (all ? num_ranks : 1); at++) {
        verify(collective_table[collective].name, received, at, all ? at : 0,
               all ? at : last, collective_is(collective, SENDS_ALL) ? my_rank : 0);
    }
}

static void check(const char *name)
{
    int c = 0;
    void *sent, *received;

    while (c < COLLECTIVES && strcmp(collective_table[c].name, name) != 0) {
        c++;
    }
    mtree_expect(c < COLLECTIVES, "no collective is called %s", name);
    if (c == COLLECTIVES) {
        return;
    }
    sent = make(collective_is((collective_t)c, SENDS_ALL) ? num_ranks : 1);
    received = malloc(
        (collective_is((collective_t)c, RECEIVES_ALL) ? (size_t)num_ranks : 1) * element);
    mtree_expect(sent != NULL && received != NULL, "%s: no memory", name);
    call((collective_t)c, sent, received);
    verify_all((collective_t)c, received);
    free(sent);
    free(received);
}

int main(int argc, char **argv)
{
    size_t megabytes = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    MPI_Datatype megabyte;
    element = megabytes << 20;
    mtree_expect_begin(&argc, &argv);
    MPI_Type_contiguous(1 << 17, MPI_UINT64_T, &megabyte);
    MPI_Type_contiguous((int)megabytes, megabyte, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(add, 1, &sum);
    for (int i = 2; i < argc; i++) {
        check(argv[i]);
    }
    MPI_Op_free(&sum);
    MPI_Type_free(&type);
    MPI_Type_free(&megabyte);
    return mtree_expect_end("giant");
}
