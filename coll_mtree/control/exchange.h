/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A talk: the messages of one agreement.  What the ranks say of their hosts goes up a
 * tree to rank 0, whose answer goes down it: who runs where, and a plan or another text.
 * Nothing in it waits; the PML's completion callbacks drive it.  The tree is flat (a rank
 * has seven children for each digit of base eight), since a talk may go on beside a
 * collective, and at each hop it waits behind that one's messages.
 */
#ifndef COLL_MTREE_CONTROL_EXCHANGE_H
#define COLL_MTREE_CONTROL_EXCHANGE_H

#include "coll_mtree/coll_mtree.h"
#include "coll_mtree/control/host.h"
#include "simulate/forecast/forecast.h"

#define COLL_MTREE_EXCHANGE_TAGS 3

typedef struct coll_mtree_exchange coll_mtree_exchange_t;

typedef struct {
    int num_hosts;                      /* 0: mtree cannot serve this communicator */
    const int *hosts;                   /* [ranks]; NULL when hosts were not asked for */
    const mtree_locality_t *localities; /* [ranks]; the same */
    const char *text;                   /* the plan, not NUL-terminated; NULL: none */
    size_t length;
    mtree_forecast_t forecast; /* of the plan */
    int code;                  /* Open MPI's, of how the talk ended */
} coll_mtree_answer_t;

/*
 * On rank 0, when it has what the others say: call coll_mtree_exchange_answer().  @a
 * contribution is [ranks], of hosts (coll_mtree_host_t) or of what
 * coll_mtree_exchange_start_with() was given; NULL when nothing was asked for.
 */
typedef void (*coll_mtree_exchange_decide_t)(coll_mtree_exchange_t *exchange,
                                             const void *contribution, void *arg);

/* Called once, on every rank; @a answer is valid in the call only, as is the talk. */
typedef void (*coll_mtree_exchange_end_t)(coll_mtree_exchange_t *exchange,
                                          const coll_mtree_answer_t *answer, void *arg);

/*
 * Start; all ranks of @a comm, whose module is @a module, call with the same arguments.
 * It comes to an end, and rank 0 decides, only after coll_mtree_exchange_open() was
 * called, too.  It frees itself after
 * @a end.  NULL: no memory.
 */
coll_mtree_exchange_t *coll_mtree_exchange_start(const mca_coll_mtree_module_t *module,
                                                 ompi_communicator_t *comm, int first_tag,
                                                 bool with_hosts,
                                                 coll_mtree_exchange_decide_t decide,
                                                 coll_mtree_exchange_end_t end,
                                                 void *arg);

/* The same, where every rank says @a bytes bytes of its own, @a mine, which are copied.
 */
coll_mtree_exchange_t *
coll_mtree_exchange_start_with(const mca_coll_mtree_module_t *module,
                               ompi_communicator_t *comm, int first_tag, const void *mine,
                               size_t bytes, coll_mtree_exchange_decide_t decide,
                               coll_mtree_exchange_end_t end, void *arg);

/* What came before is settled: go on.  To be called once. */
void coll_mtree_exchange_open(coll_mtree_exchange_t *exchange);

/*
 * On rank 0, in its decision: the answer.  @a hosts and @a text (both may be NULL) are
 * copied.
 */
void coll_mtree_exchange_answer(coll_mtree_exchange_t *exchange, int num_hosts,
                                const int *hosts, const char *text,
                                mtree_forecast_t forecast);

#endif
