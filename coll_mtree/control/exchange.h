/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One exchange between rank 0 and all other ranks: the contributions of the ranks go up a
 * tree to rank 0, and its reply goes down the same tree to every rank.  A reply is a
 * number from an enumeration of the caller's, a payload of bytes, and a part that is for
 * one rank alone: down each branch go the parts of the ranks there.  No function here
 * waits; the PML's completion callbacks drive the exchange.
 *
 * The tree is flat: a rank has seven children per digit of its number to base eight.  An
 * exchange may run beside a collective, and at each hop it waits behind messages of that
 * collective.
 */
#ifndef COLL_MTREE_CONTROL_EXCHANGE_H
#define COLL_MTREE_CONTROL_EXCHANGE_H

#include "coll_mtree/coll_mtree.h"

typedef struct coll_mtree_exchange coll_mtree_exchange_t;

typedef struct {
    int code; /* Open MPI's code of how the exchange ended; the rest counts on success */
    int kind; /* what rank 0 decided: the caller's enumeration */
    const void *payload; /* [length] bytes, aligned for any type; NULL: none */
    size_t length;
    const void *part; /* [part_length] bytes for this rank; NULL: none */
    size_t part_length;
} coll_mtree_reply_t;

/*
 * Called once, on rank 0, when all contributions are there, at the start of an exchange
 * that has none; must call coll_mtree_exchange_reply(), or have it called by
 * coll_mtree_exchange_postpone().  @a contributions is [ranks] of what ranks contribute;
 * NULL: nothing.
 */
typedef void (*coll_mtree_exchange_decide_t)(coll_mtree_exchange_t *exchange,
                                             const void *contributions, void *arg);

/* Called once, on every rank, when the exchange has ended or failed; @a reply is valid
 * during the call only. */
typedef void (*coll_mtree_exchange_end_t)(const coll_mtree_reply_t *reply, void *arg);

/* What an exchange is for; but for what a rank contributes the same on all ranks. */
typedef struct {
    mca_coll_mtree_module_t *module;
    ompi_communicator_t *comm; /* the module's */
    const void *mine; /* [bytes] what this rank contributes, copied; NULL: nothing */
    size_t bytes;
    coll_mtree_exchange_decide_t decide;
    coll_mtree_exchange_end_t end;
    void *arg; /* passed to both */
} coll_mtree_exchange_spec_t;

/* Start an exchange; all ranks start those of a communicator in the same order.  It frees
 * itself after `end`. */
void coll_mtree_exchange_start(const coll_mtree_exchange_spec_t *spec);

/*
 * On rank 0, from its decision: reply @a kind with @a length bytes of @a payload, which
 * is copied (NULL: none).  Where that is longer than an int says, the reply is 0 without
 * a payload, on all ranks; so 0 must mean what a caller can do then.
 */
void coll_mtree_exchange_reply(coll_mtree_exchange_t *exchange, int kind,
                               const void *payload, size_t length);

/*
 * On rank 0, from its decision: have @a decided called, with the argument of the spec,
 * after the one call of coll_mtree_exchange_resume(), from any thread of the program.  It
 * replies.  Contributions stay, and the exchange does not end, until then.  It is not
 * called when the exchange has failed meanwhile.
 */
void coll_mtree_exchange_postpone(coll_mtree_exchange_t *exchange,
                                  void (*decided)(coll_mtree_exchange_t *exchange,
                                                  void *arg));
void coll_mtree_exchange_resume(coll_mtree_exchange_t *exchange);

/*
 * On rank 0, before that reply: the parts of the ranks, @a lengths [ranks] bytes each,
 * one after the other in @a parts, which is malloc'ed and taken over.  After rank 0 a
 * length of 0 stands for the part of the rank before.
 */
void coll_mtree_exchange_reply_parts(coll_mtree_exchange_t *exchange, const int *lengths,
                                     void *parts);

#endif
