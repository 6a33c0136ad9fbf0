/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A random case: one collective call, its data, and what each rank computes for itself to
 * check it.  What must be the same on all ranks is drawn from a generator that all ranks
 * share; datatypes of equal signature are each rank's own.
 */
#ifndef MTREE_TESTS_MPI_RANDOM_CASE_H
#define MTREE_TESTS_MPI_RANDOM_CASE_H

#include "tests/mpi/areas.h"
#include "tests/mpi/forms.h"

#include <mpi.h>
#include <stdbool.h>

/* Items of a block. */
#define LARGEST_BLOCK 3000

typedef enum {
    ALLREDUCE,
    REDUCE,
    BCAST,
    ALLGATHER,
    ALLGATHERV,
    REDUCE_SCATTER,
    REDUCE_SCATTER_BLOCK,
    GATHER,
    GATHERV,
    SCATTER,
    SCATTERV,
    ALLTOALL,
    ALLTOALLV,
    ALLTOALLW,
    SCAN,
    EXSCAN,
    BARRIER,
    COLLECTIVES
} collective_t;

/* Counts and displacements as the calls take them: with LARGE_COUNTS, and from MPI 4 on,
 * cases call MPI_Alltoallv_c() and the like. */
#if defined(LARGE_COUNTS) && MPI_VERSION >= 4
#define HAS_LARGE_COUNTS 1
typedef MPI_Count count_t;
typedef MPI_Aint place_t;
#else
#define HAS_LARGE_COUNTS 0
typedef int count_t, place_t;
#endif

typedef struct {
    unsigned long long state;
} generator_t;

/* What a case is to be, where it is not drawn. */
typedef struct {
    int kind, layout; /* of its items, on all ranks and both sides */
    MPI_Op op;        /* NULL: that of the kind */
    int block;        /* items of a block, all of which are alike; below 0: drawn */
    int root;
    bool in_place;
} choice_t;

/* What a thread's cases are drawn from, and what it was asked for. */
typedef struct {
    generator_t common;     /* the same on all ranks */
    generator_t own;        /* this rank's */
    bool tame;              /* leave out the datatypes that libnbc gets wrong */
    bool late;              /* ranks are away at times, and blocks are larger */
    bool until;             /* some are larger still, until the input ends */
    const char *where;      /* for messages; NULL: anywhere */
    const choice_t *choice; /* NULL: all is drawn */
} random_run_t;

extern _Thread_local random_run_t run;

/* What a rank sends, or receives, of a case that moves another block between each two
 * ranks; counted in elements, whose size differs between ranks and sides. */
typedef struct {
    int only;            /* the one rank with a block; -1: each has one; -2: none has */
    count_t *counts;     /* [ranks] of alltoallw: of the rank's type */
    place_t *places;     /* [ranks] of alltoallw: in bytes */
    int *first;          /* [ranks] element of the area */
    int total;           /* items of the area */
    MPI_Datatype *types; /* [ranks] of alltoallw, derived ones for every other rank */
} side_t;

/* One case.  Blocks are counted in items; one is as long as the layouts' longest element.
 */
typedef struct {
    collective_t collective;
    mtree_form_t form;
    int kind; /* of its items */
    MPI_Op op;
    MPI_Comm comm;
    int rank, ranks, root;
    bool in_place;
    unsigned seed;  /* of the data */
    unsigned shape; /* of the sizes of an exchange's blocks */
    int block;      /* items of a block, or of the vector */
    int *counts;    /* [ranks] items of each block */
    int *places;    /* [ranks] item of the receive area at which it begins */
    int total;      /* items of the receive area */
    const item_layout_t *send_layout, *recv_layout;
    area_t send, recv;
    count_t *recv_counts; /* [ranks] the same in elements */
    place_t *recv_places;
    side_t sides[2]; /* of send and recv, of an IS_EXCHANGE */
    MPI_Request request;
    int starts; /* that a persistent request has to come */
} case_t;

/* What a collective is. */
enum {
    IS_FOLD = 1 << 0,
    IS_PREFIX = 1 << 1,    /* a fold over the ranks up to each one, or before it */
    SENDS_ALL = 1 << 2,    /* each rank, or the root, has a block for each rank */
    RECEIVES_ALL = 1 << 3, /* each rank, or the root, gets a block from each rank */
    IS_EXCHANGE = 1 << 4,  /* there is a block for each pair of ranks */
    IS_UNEQUAL = 1 << 5,   /* blocks differ in size */
    IS_ROOTED = 1 << 6,
    IS_ALLTOALL = SENDS_ALL | RECEIVES_ALL
};

typedef struct {
    const char *name;
    unsigned traits;
} collective_row_t;

extern const collective_row_t collective_table[COLLECTIVES];

extern const char *const form_names[MTREE_FORMS];

/* A number from 0 to @a below - 1. */
int draw(generator_t *generator, int below);

/* Has the collective all of @a traits? */
static inline bool collective_is(collective_t collective, unsigned traits)
{
    return (collective_table[collective].traits & traits) == traits;
}

/* Does the receive area, or the vector, have a block of each rank? */
static inline bool has_blocks(collective_t collective)
{
    return collective >= ALLGATHER && collective <= REDUCE_SCATTER_BLOCK;
}

/* What Open MPI may serve itself. */
bool is_small(const case_t *c);

/* libnbc writes before its scratch memory where a lower bound is negative. */
bool is_tame(const case_t *c);

/* Items that this rank sends. */
int send_items(const case_t *c);

/* Draw a case of @a collective on @a comm; case_free() frees it. */
void case_create(case_t *c, collective_t collective, mtree_form_t form, MPI_Comm comm);
void case_free(case_t *c);

/* Fill what this rank sends, which is in the receive area in place and in a bcast. */
void case_fill(case_t *c);

/* Make the call; a persistent one is not started yet.  MPI's code. */
int case_call(case_t *c);

/* The same, and start a persistent one. */
int case_begin(case_t *c);

/* Make and fill a case, and begin it. */
void case_launch(case_t *c, collective_t collective, mtree_form_t form, MPI_Comm comm);

/* The same, wait for it, check and free it. */
void case_run(collective_t collective, mtree_form_t form, MPI_Comm comm);

/* Wait for a case that has begun, check and free it. */
void case_finish(case_t *c);

/* MPI_Init() and items_init(), and what ends both, with mtree_expect_end()'s status. */
void cases_begin(int *argc, char ***argv);
int cases_end(const char *program);

/* Check what the call has left, and make the receive area look untouched again. */
void case_verify(case_t *c);

/* Make a case of each collective on @a comm in its blocking or nonblocking form, now and
 * then with blocks of megabytes if @a large; needs no items_init(). */
void cases_run_all(MPI_Comm comm, const char *name, bool nonblocking, bool large);

/* A broadcast and a sum of 30,000 ints each. */
void cases_run_two(MPI_Comm comm);

/* The two sides of a case that moves another block between each two ranks, for the files
 * that make and check cases. */

/* Items of the block that goes from rank @a from to rank @a to.  What a rank sends in
 * place has the size of what it receives. */
int block_items(const case_t *c, int from, int to);

/* The packed image of that block. */
void block_fill(const case_t *c, int from, int to, char *packed);

/* The items of the block of the side that goes to, or comes from, @a peer. */
int side_items(const case_t *c, bool receives, int peer);

/* Lay out the blocks of a side: one behind the other, or in any order with gaps. */
void side_create(case_t *c, bool receives, const item_layout_t *layout);
void side_free(const case_t *c, side_t *side);

/* Fill what this rank sends. */
void exchange_fill(case_t *c);

#endif
