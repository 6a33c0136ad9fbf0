/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls whose size only some ranks know: blocking ones agree on it and are served,
 * nonblocking ones are once that has been done, and persistent ones agree by themselves.
 */
#include "tests/mpi/expect.h"
#include "tests/mpi/forms.h"
#include "tests/mpi/served.h"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#define LONGEST 20000

/* While rank 0 plans the fallback serves. */
#define MOST_CALLS 2000
#define PAUSE_US   1000

typedef struct {
    int rank, ranks;
    int *send, *recv;
    int *send_counts, *recv_counts, *send_places, *recv_places;
    MPI_Request request;
} exchange_t;

/* Integers from rank @a from to rank @a to. */
static int count_of(int from, int to)
{
    return (from + 2 * to) % 3 == 0 ? 0 : LONGEST / (1 + (3 * from + to) % 5);
}

static void exchange_init(exchange_t *e)
{
    int *counts;

    MPI_Comm_rank(MPI_COMM_WORLD, &e->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &e->ranks);
    counts = calloc(4 * (size_t)e->ranks, sizeof(*counts));
    e->send_counts = counts;
    e->recv_counts = counts + e->ranks;
    e->send_places = counts + 2 * e->ranks;
    e->recv_places = counts + 3 * e->ranks;
    e->send = calloc((size_t)e->ranks * LONGEST, sizeof(int));
    e->recv = calloc((size_t)e->ranks * LONGEST, sizeof(int));
    for (int r = 0; r < e->ranks; r++) {
        e->send_counts[r] = count_of(e->rank, r);
        e->recv_counts[r] = count_of(r, e->rank);
        e->send_places[r] = e->recv_places[r] = r * LONGEST;
        for (int i = 0; i < e->send_counts[r]; i++) {
            e->send[r * LONGEST + i] = e->rank * 1000 + r + i;
        }
    }
}

static void exchange_free(exchange_t *e)
{
    free(e->send_counts);
    free(e->send);
    free(e->recv);
}

static void expect_result(exchange_t *e, mtree_form_t form)
{
    int wrong = 0;

    for (int r = 0; r < e->ranks; r++) {
        for (int i = 0; i < LONGEST; i++) {
            int want = i < e->recv_counts[r] ? r * 1000 + e->rank + i : 0;

            wrong += e->recv[r * LONGEST + i] != want;
            e->recv[r * LONGEST + i] = 0;
        }
    }
    mtree_expect(wrong == 0, "form %d: %d integers are wrong", form, wrong);
}

/* Is a call of @a form served by mtree? */
static bool is_served(exchange_t *e, mtree_form_t form)
{
    long before = served_calls();
    int rc;

    MTREE_CALL_FORM(rc, form, &e->request, Alltoallv, alltoallv, e->send, e->send_counts,
                    e->send_places, MPI_INT, e->recv, e->recv_counts, e->recv_places,
                    MPI_INT, MPI_COMM_WORLD);
    (void)rc;
    if (form == MTREE_PERSISTENT_FORM) {
        MPI_Start(&e->request);
    }
    if (form != MTREE_BLOCKING_FORM) {
        MPI_Wait(&e->request, MPI_STATUS_IGNORE);
    }
    if (form == MTREE_PERSISTENT_FORM) {
        MPI_Request_free(&e->request);
    }
    expect_result(e, form);
    return served_calls() > before;
}

int main(int argc, char **argv)
{
    exchange_t exchange = {0};
    int calls = 0;

    served_open();
    MPI_Init(&argc, &argv);
    exchange_init(&exchange);
    mtree_expect(!is_served(&exchange, MTREE_NONBLOCKING_FORM),
                 "a nonblocking call was served before any rank could know its size");
    while (!is_served(&exchange, MTREE_BLOCKING_FORM) && ++calls < MOST_CALLS) {
        usleep(PAUSE_US);
    }
    mtree_expect(calls < MOST_CALLS, "no blocking call was served");
    mtree_expect(is_served(&exchange, MTREE_NONBLOCKING_FORM),
                 "a nonblocking call was not served after blocking ones");
    mtree_expect(is_served(&exchange, MTREE_PERSISTENT_FORM),
                 "a persistent call was not served");
    exchange_free(&exchange);
    served_close();
    return mtree_expect_end("unequal");
}
