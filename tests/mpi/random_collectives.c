/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random_collectives [--cases N] [--seed S]: random collectives with random arguments,
 * several under way at a time, against results computed on each rank alone.
 */
#include "tests/mpi/element.h"
#include "tests/mpi/expect.h"

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NUM_COMMS   5
#define MOST_ACTIVE 6
#define MOST_COUNT  20000 /* of a case now and then; most are far below */

typedef enum {
    ALLREDUCE,
    BCAST,
    ALLGATHER,
    REDUCE,
    REDUCE_SCATTER,
    ALLGATHERV,
    NUM_KINDS
} kind_t;

static const char *const kind_names[] = {"allreduce", "bcast",          "allgather",
                                         "reduce",    "reduce_scatter", "allgatherv"};

/* One collective.  All of it but the buffers is the same on every rank of its
 * communicator. */
typedef struct {
    int number;
    kind_t kind;
    MPI_Comm comm;
    int rank, num_ranks;
    int root;
    const mtree_element_t *element;
    const mtree_element_op_t *op;
    bool in_place;
    bool nonblocking;
    int count;   /* elements of one rank (reduce_scatter: of each rank's part) */
    int *counts; /* [num_ranks] of the parts: `count`, and one more for odd ranks in
                    allgatherv */
    int *displs;
    void *send;
    void *recv;
    void *want;
    int num_want; /* elements of the result that this rank must hold */
    MPI_Request request;
} case_t;

typedef struct {
    uint64_t state;
} random_t;

static unsigned draw(random_t *random, unsigned below)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random->state >> 33) % below;
}

/* Small counts are as likely as large ones: the number of digits is drawn first. */
static int draw_count(random_t *random)
{
    unsigned limit = 1;
    unsigned digits;

    for (digits = draw(random, 5); digits > 0; digits--) {
        limit *= 10;
    }
    limit = draw(random, 2 * limit + 1);
    return (limit < MOST_COUNT) ? (int)limit : MOST_COUNT;
}

static const mtree_element_t *draw_element(random_t *random)
{
    unsigned num_elements = 0;

    while (mtree_element_get((int)num_elements) != NULL) {
        num_elements++;
    }
    return mtree_element_get((int)draw(random, num_elements));
}

static const mtree_element_op_t *draw_op(random_t *random, int class)
{
    const mtree_element_op_t *allowed[16];
    const mtree_element_op_t *op;
    unsigned num_allowed = 0;
    int i;

    for (i = 0; (op = mtree_element_op_get(i)) != NULL; i++) {
        if ((op->classes & class) != 0) {
            allowed[num_allowed++] = op;
        }
    }
    return (num_allowed == 0) ? NULL : allowed[draw(random, num_allowed)];
}

static bool is_reduction(kind_t kind)
{
    return kind == ALLREDUCE || kind == REDUCE || kind == REDUCE_SCATTER;
}

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes + 1);

    if (memory == NULL) {
        fprintf(stderr, "no memory for a case's buffers\n");
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return memory;
}

/* Every rank draws the same numbers, members of the communicator or not. */
static void draw_case(case_t *c, int number, random_t *random, const MPI_Comm *comms)
{
    unsigned root;

    memset(c, 0, sizeof(*c));
    c->number = number;
    c->kind = (kind_t)draw(random, NUM_KINDS);
    c->comm = comms[draw(random, NUM_COMMS)];
    c->element = draw_element(random);
    c->op = draw_op(random, c->element->class);
    if (is_reduction(c->kind) && c->op == NULL) {
        c->kind = BCAST;
    }
    if (!is_reduction(c->kind)) {
        c->op = NULL;
    }
    c->count = draw_count(random);
    c->in_place = draw(random, 4) == 0;
    c->nonblocking = draw(random, 2) == 0;
    root = draw(random, 1u << 16);
    c->request = MPI_REQUEST_NULL;
    MPI_Comm_rank(c->comm, &c->rank);
    MPI_Comm_size(c->comm, &c->num_ranks);
    c->root = (int)(root % (unsigned)c->num_ranks);
}

static int set_parts(case_t *c)
{
    int total = 0;
    int i;

    c->counts = allocate((size_t)c->num_ranks * sizeof(int));
    c->displs = allocate((size_t)c->num_ranks * sizeof(int));
    for (i = 0; i < c->num_ranks; i++) {
        c->counts[i] = c->count + ((c->kind == ALLGATHERV) ? i % 2 : 0);
        c->displs[i] = total;
        total += c->counts[i];
    }
    return total;
}

static void *element_at(const case_t *c, void *buffer, int index)
{
    return (char *)buffer + (size_t)index * c->element->size;
}

/* What this rank must hold: the reduction, the root's vector, or all vectors. */
static void set_want(case_t *c, int total, void *scratch)
{
    unsigned seed = (unsigned)c->number;
    int i;

    c->num_want = c->count;
    switch (c->kind) {
    case REDUCE_SCATTER:
        mtree_element_reduce(c->element, c->op, seed, c->num_ranks, c->want, scratch,
                             total);
        memmove(c->want, element_at(c, c->want, c->displs[c->rank]),
                (size_t)c->count * c->element->size);
        break;
    case ALLREDUCE:
    case REDUCE:
        mtree_element_reduce(c->element, c->op, seed, c->num_ranks, c->want, scratch,
                             c->count);
        c->num_want = (c->kind == REDUCE && c->rank != c->root) ? 0 : c->count;
        break;
    case BCAST:
        mtree_element_fill(c->element, NULL, seed, c->root, c->want, c->count);
        break;
    default:
        for (i = 0; i < c->num_ranks; i++) {
            mtree_element_fill(c->element, NULL, seed, i,
                               element_at(c, c->want, c->displs[i]), c->counts[i]);
        }
        c->num_want = total;
        break;
    }
}

/* The input: in the send buffer, or where MPI_IN_PLACE wants it in the receive buffer. */
static void set_input(case_t *c, int total)
{
    unsigned seed = (unsigned)c->number;
    int length = (c->kind == REDUCE_SCATTER) ? total : c->counts[c->rank];
    void *place = c->send;

    if (c->kind == REDUCE && c->rank != c->root) {
        c->in_place = false;
    }
    if (c->kind == BCAST) {
        place = (c->rank == c->root) ? c->recv : NULL;
    } else if (c->in_place) {
        place = c->recv;
        if (!is_reduction(c->kind)) {
            place = element_at(c, c->recv, c->displs[c->rank]);
        }
    }
    if (place != NULL) {
        mtree_element_fill(c->element, c->op, seed, c->rank, place, length);
    }
}

static void prepare(case_t *c)
{
    int total = set_parts(c);
    size_t bytes = (size_t)total * c->element->size;
    void *scratch;

    scratch = allocate(bytes);
    c->send = allocate(bytes);
    c->recv = allocate(bytes);
    c->want = allocate(bytes);
    memset(c->recv, 0xff, bytes);
    set_want(c, total, scratch);
    set_input(c, total);
    free(scratch);
}

#define RUN(_case, _blocking, _nonblocking, ...)                                         \
    do {                                                                                 \
        if ((_case)->nonblocking) {                                                      \
            _nonblocking(__VA_ARGS__, &(_case)->request);                                \
        } else {                                                                         \
            _blocking(__VA_ARGS__);                                                      \
        }                                                                                \
    } while (0)

static void start(case_t *c)
{
    MPI_Datatype type = c->element->type;
    const void *send = c->in_place ? MPI_IN_PLACE : c->send;

    switch (c->kind) {
    case ALLREDUCE:
        RUN(c, MPI_Allreduce, MPI_Iallreduce, send, c->recv, c->count, type, c->op->op,
            c->comm);
        break;
    case BCAST:
        RUN(c, MPI_Bcast, MPI_Ibcast, c->recv, c->count, type, c->root, c->comm);
        break;
    case ALLGATHER:
        RUN(c, MPI_Allgather, MPI_Iallgather, send, c->count, type, c->recv, c->count,
            type, c->comm);
        break;
    case REDUCE:
        RUN(c, MPI_Reduce, MPI_Ireduce, send, c->recv, c->count, type, c->op->op, c->root,
            c->comm);
        break;
    case REDUCE_SCATTER:
        RUN(c, MPI_Reduce_scatter, MPI_Ireduce_scatter, send, c->recv, c->counts, type,
            c->op->op, c->comm);
        break;
    default:
        RUN(c, MPI_Allgatherv, MPI_Iallgatherv, send, c->counts[c->rank], type, c->recv,
            c->counts, c->displs, type, c->comm);
        break;
    }
}

static void finish(case_t *c)
{
    int wrong;

    MPI_Wait(&c->request, MPI_STATUS_IGNORE);
    wrong = mtree_element_mismatch(c->element, c->recv, c->want, c->num_want);
    mtree_expect(wrong == c->num_want,
                 "case %d: %s%s of %d %s, %s, root %d of %d%s: element %d is wrong",
                 c->number, c->nonblocking ? "nonblocking " : "", kind_names[c->kind],
                 c->count, c->element->name,
                 (c->op != NULL) ? c->op->name : "no operation", c->root, c->num_ranks,
                 c->in_place ? ", in place" : "", wrong);
    free(c->counts);
    free(c->displs);
    free(c->send);
    free(c->recv);
    free(c->want);
}

static void create_comms(MPI_Comm *comms, int rank)
{
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[2]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &comms[3]);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 3, rank, &comms[4]);
}

/* Cases are started in turn and finished in turn, up to MOST_ACTIVE under way. */
static void run_cases(int num_cases, unsigned seed, const MPI_Comm *comms)
{
    random_t random = {.state = seed};
    case_t active[MOST_ACTIVE];
    int number, slot;

    for (number = 0; number < num_cases; number++) {
        slot = number % MOST_ACTIVE;
        if (number >= MOST_ACTIVE) {
            finish(&active[slot]);
        }
        draw_case(&active[slot], number, &random, comms);
        prepare(&active[slot]);
        start(&active[slot]);
    }
    number = (num_cases > MOST_ACTIVE) ? num_cases - MOST_ACTIVE : 0;
    for (; number < num_cases; number++) {
        finish(&active[number % MOST_ACTIVE]);
    }
}

static unsigned parse_number(const char *text)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);

    if (end == text || *end != '\0' || number > 100000000) {
        fprintf(stderr, "random_collectives: '%s' is not a whole number\n", text);
        MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    }
    return (unsigned)number;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"cases", required_argument, NULL, 'n'},
                                            {"seed", required_argument, NULL, 's'},
                                            {NULL, 0, NULL, 0}};
    unsigned num_cases = 300, seed = 1;
    MPI_Comm comms[NUM_COMMS];
    int letter, rank, i, status;

    MPI_Init(&argc, &argv);
    while ((letter = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (letter == 'n') {
            num_cases = parse_number(optarg);
        } else if (letter == 's') {
            seed = parse_number(optarg);
        } else {
            MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
        }
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    create_comms(comms, rank);
    run_cases((int)num_cases, seed, comms);
    for (i = 1; i < NUM_COMMS; i++) {
        MPI_Comm_free(&comms[i]);
    }
    status = mtree_expect_finish("random_collectives");
    MPI_Finalize();
    return status;
}
