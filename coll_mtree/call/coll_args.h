/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A task: what one call of a collective asks for, before anything is decided about it.
 *
 * The part that is the same on all ranks (call, verdict) decides which way the call goes;
 * the part that is this rank's own (buffers, datatypes) only says where the data lies.
 */
#ifndef COLL_MTREE_CALL_COLL_ARGS_H
#define COLL_MTREE_CALL_COLL_ARGS_H

#include "coll_mtree/coll_mtree.h"

typedef enum {
    MTREE_COLL_ARGS_DECLINED, /* not for mtree: the fallback serves */
    MTREE_COLL_ARGS_SERVED,   /* mtree may serve it */
    MTREE_COLL_ARGS_EMPTY,    /* there are no bytes: nothing is to be done by anyone */
    MTREE_COLL_ARGS_NO_MEMORY
} coll_mtree_verdict_t;

/* A block that is copied before the first message is sent.  Where it is may be
 * MPI_BOTTOM, which is NULL. */
typedef struct {
    const void *from;
    int from_count;
    ompi_datatype_t *from_type; /* NULL: there is no block */
    void *to;
    int to_count; /* of the task's datatype */
} coll_mtree_own_block_t;

typedef struct {
    const char *function; /* "allreduce", "allgatherv", ... */
    coll_mtree_verdict_t verdict;
    mtree_call_t call; /* units: elements where op is given, else bytes when packed */
    const void *input; /* where op is given: what this rank contributes */
    void *output;
    ompi_datatype_t *datatype;
    size_t count;  /* elements in the vector */
    ompi_op_t *op; /* NULL: bytes are moved, not folded */
    /* Gathering collectives with blocks of different sizes: call.blocks, owned. */
    size_t *blocks;      /* [ranks + 1] */
    ptrdiff_t *displace; /* [ranks] bytes from output to each block, owned; NULL: in
                            sequence */
    coll_mtree_own_block_t own;
    bool aside;       /* the result is kept aside and copied to scatter_to in the end */
    void *scatter_to; /* may be MPI_BOTTOM, too */
} coll_mtree_coll_args_t;

/*
 * A task that folds @a count elements; verdict and call are set.  @a sbuf may be
 * MPI_IN_PLACE.
 */
void coll_mtree_coll_args_fold(coll_mtree_coll_args_t *args,
                               mtree_collective_t collective, const void *sbuf,
                               void *rbuf, size_t count, ompi_datatype_t *dtype,
                               ompi_op_t *op);

/* A task that moves @a count elements that lie in sequence at @a output; the same. */
void coll_mtree_coll_args_move(coll_mtree_coll_args_t *args,
                               mtree_collective_t collective, void *output, size_t count,
                               ompi_datatype_t *dtype);

/* The rank's own block of an allgather goes to its place in the result first. */
void coll_mtree_coll_args_own_block(coll_mtree_coll_args_t *args, const void *sbuf,
                                    int scount, ompi_datatype_t *sdtype, void *to,
                                    int to_count);

/*
 * The blocks of a gathering collective: rcounts[r] elements, each of @a element units.
 * May turn the verdict into MTREE_COLL_ARGS_NO_MEMORY.
 */
void coll_mtree_coll_args_blocks(coll_mtree_coll_args_t *args, const int *rcounts,
                                 size_t element, int ranks);

/* Free what the task owns. */
void coll_mtree_coll_args_cleanup(coll_mtree_coll_args_t *args);

#endif
