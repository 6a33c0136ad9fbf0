/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The arguments of one call of a collective, in one form for all collectives.
 *
 * `call` and `verdict` are the same on all ranks, so decisions follow from them alone.
 * Buffers and datatypes are this rank's own and say only where the data lies.
 */
#ifndef COLL_MTREE_CALL_COLL_ARGS_H
#define COLL_MTREE_CALL_COLL_ARGS_H

#include "coll_mtree/transport/packing.h"

typedef enum {
    MTREE_COLL_ARGS_DECLINED, /* not for mtree: the fallback serves */
    MTREE_COLL_ARGS_SERVED,   /* mtree may serve it */
    MTREE_COLL_ARGS_EMPTY     /* there are no bytes: no rank does anything */
} coll_mtree_verdict_t;

/* The blocks that one rank sends, or receives, as MPI's functions describe them: by the
 * rank at the other end, and of the result of an allgather or bcast by the one from which
 * they come. */
typedef struct {
    const void *buffer; /* may be MPI_BOTTOM, which is NULL */
    int only;           /* the one rank that has a block; -1: each has one */
    size_t count;
    ompi_datatype_t *type;         /* NULL, as `types`: this rank has no such side */
    coll_mtree_int_array_t counts; /* [ranks] elements; no array: `count` each */
    coll_mtree_int_array_t displs; /* [ranks] in elements, with `types` in bytes; no
                                      array: the blocks follow one another */
    ompi_datatype_t *const *types; /* [ranks]; NULL: `type` each */
    void *copies; /* of the arrays, owned; NULL: the arrays are the user's */
    int held;     /* types to which there are references, with `copies` */
} coll_mtree_side_t;

/* A side of equal blocks, or with the block of rank @a only (-1: all have one); and of
 * blocks that differ, with the user's arrays. */
coll_mtree_side_t coll_mtree_side_of(const void *buffer, size_t count,
                                     ompi_datatype_t *type, int only);
coll_mtree_side_t coll_mtree_side_of_unequal(const void *buffer,
                                             coll_mtree_int_array_t counts,
                                             coll_mtree_int_array_t displs,
                                             ompi_datatype_t *type,
                                             ompi_datatype_t *const *types);

static inline bool coll_mtree_side_exists(const coll_mtree_side_t *side)
{
    return side->type != NULL || side->types != NULL;
}

/* The block of @a rank; no elements where it has none. */
coll_mtree_elements_t coll_mtree_side_block(const coll_mtree_side_t *side, int rank);

/* Bytes of the blocks of all @a ranks ranks together. */
size_t coll_mtree_side_bytes(const coll_mtree_side_t *side, int ranks);

typedef struct {
    const char *function; /* "allreduce", "allgatherv", ... */
    coll_mtree_verdict_t verdict;
    mtree_call_t call; /* its units: elements where op is given, else packed bytes */
    const void *input; /* where op is given: what this rank contributes */
    void *output;
    ompi_datatype_t *datatype;
    size_t count;     /* elements in the vector */
    ompi_op_t *op;    /* NULL: bytes are moved, not reduced */
    bool keeps_order; /* it may be served, and its bits must be those of earlier calls */
    /* Where ranks have blocks of different sizes: call.blocks, owned. */
    size_t *blocks;   /* [ranks + 1] */
    bool stashed;     /* the result is copied to its place at the end */
    void *scatter_to; /* may be MPI_BOTTOM */
    /* Where bytes are moved, and where this rank's own block of the result is copied to
     * its place before the first message: it is the one that both sides have. */
    coll_mtree_side_t send, recv;
    bool copies_sent; /* what is sent lies where the result goes */
    bool held;        /* there are references to op and datatype */
    size_t own_bytes; /* where blocks are unequal: this rank's part of the call's size */
} coll_mtree_coll_args_t;

/* Set the arguments of a call that reduces @a count elements, with verdict and call.  @a
 * sbuf may be MPI_IN_PLACE. */
void coll_mtree_coll_args_fold(coll_mtree_coll_args_t *args,
                               mtree_collective_t collective, const void *sbuf,
                               void *rbuf, size_t count, ompi_datatype_t *dtype,
                               ompi_op_t *op);

/* The same, of a call that moves @a count elements, which are the blocks of @a result. */
void coll_mtree_coll_args_move(coll_mtree_coll_args_t *args,
                               mtree_collective_t collective, coll_mtree_side_t result,
                               size_t count);

/* Rank r has a block of rcounts[r] elements, each of @a element units. */
void coll_mtree_coll_args_blocks(coll_mtree_coll_args_t *args,
                                 coll_mtree_int_array_t rcounts, size_t element,
                                 int ranks);

/*
 * Set the arguments of a call of a personalized collective between @a ranks ranks, whose
 * sides, and root, are set; @a in_place: what is sent lies where the result goes.  All
 * blocks have @a bytes bytes; or with @a ranks 0 each rank knows the sizes of its own
 * blocks, and @a bytes is its part of the whole, by which dispatch sets size and verdict.
 */
void coll_mtree_coll_args_exchange(coll_mtree_coll_args_t *args,
                                   mtree_collective_t collective, bool in_place,
                                   size_t bytes, int ranks);

/* Set the size of a call with unequal blocks, on which all ranks have agreed, and the
 * verdict. */
void coll_mtree_coll_args_size(coll_mtree_coll_args_t *args, double bytes);

/* Hold what belongs to the user, for a call that may outlive the function. */
void coll_mtree_coll_args_keep(coll_mtree_coll_args_t *args, int ranks);

/* Free what the arguments own. */
void coll_mtree_coll_args_cleanup(coll_mtree_coll_args_t *args);

#endif
