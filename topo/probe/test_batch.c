/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/test_batch.h"

#include "base/log.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For processes to change from one test to the next, beyond the round trip. */
#define GAP_SECONDS 0.005

/* From when on nobody is in a test any more, in seconds. */
typedef struct {
    double *sends, *receives; /* [num_hosts] */
    double *carries;          /* [num_links] */
} free_t;

void mtree_probe_test_batch_init(mtree_probe_test_batch_t *agenda,
                                 const mtree_probe_graph_t *graph)
{
    agenda->graph = graph;
    agenda->num_tests = 0;
    agenda->num_arcs = 0;
}

bool mtree_probe_test_batch_add(mtree_probe_test_batch_t *agenda, int host,
                                const int *arcs, int num_arcs, double trip)
{
    if (num_arcs > MTREE_PROBE_AGENDA_ROOM - agenda->num_arcs) {
        return false;
    }
    memcpy(agenda->arcs + agenda->num_arcs, arcs, (size_t)num_arcs * sizeof(*arcs));
    agenda->tests[agenda->num_tests++] = (mtree_probe_test_t){
        .host = host, .first = agenda->num_arcs, .num_arcs = num_arcs, .trip = trip};
    agenda->num_arcs += num_arcs;
    return true;
}

/* When all that @a test takes is free. */
static double find_begin(const mtree_probe_test_batch_t *agenda, const free_t *from,
                         const mtree_probe_test_t *test)
{
    double begin = from->sends[test->host];
    int i, arc;

    for (i = 0; i < test->num_arcs; ++i) {
        arc = agenda->arcs[test->first + i];
        begin = fmax(begin, from->carries[arc >> 1]);
        begin = fmax(begin, from->receives[mtree_probe_arc_to(agenda->graph, arc)]);
    }
    return begin;
}

static void take(const mtree_probe_test_batch_t *agenda, free_t *from,
                 const mtree_probe_test_t *test)
{
    double end = test->begin + test->seconds + test->trip + GAP_SECONDS;
    int i, arc;

    from->sends[test->host] = end;
    for (i = 0; i < test->num_arcs; ++i) {
        arc = agenda->arcs[test->first + i];
        from->carries[arc >> 1] = end;
        from->receives[mtree_probe_arc_to(agenda->graph, arc)] = end;
    }
}

/* Of the tests from @a first on the one that can begin first, of several the longest. */
static int find_next(mtree_probe_test_batch_t *agenda, const free_t *from, int first)
{
    mtree_probe_test_t *test;
    int i, next = first;

    for (i = first; i < agenda->num_tests; ++i) {
        test = &agenda->tests[i];
        test->begin = find_begin(agenda, from, test);
        if (test->begin < agenda->tests[next].begin ||
            (!(test->begin > agenda->tests[next].begin) &&
             test->seconds > agenda->tests[next].seconds)) {
            next = i;
        }
    }
    return next;
}

mtree_status_t mtree_probe_test_batch_plan(mtree_probe_test_batch_t *agenda,
                                           double *seconds_p)
{
    size_t num_hosts = (size_t)agenda->graph->num_hosts + 1;
    size_t num_links = (size_t)agenda->graph->num_links + 1;
    free_t from = {.sends = calloc(num_hosts, sizeof(double)),
                   .receives = calloc(num_hosts, sizeof(double)),
                   .carries = calloc(num_links, sizeof(double))};
    mtree_status_t status = MTREE_OK;
    mtree_probe_test_t test;
    double end = 0;
    int i, next;

    if (from.sends == NULL || from.receives == NULL || from.carries == NULL) {
        status = mtree_no_memory("when %d tests of links begin", agenda->num_tests);
        goto out;
    }
    for (i = 0; i < agenda->num_tests; ++i) {
        next = find_next(agenda, &from, i);
        test = agenda->tests[next];
        agenda->tests[next] = agenda->tests[i];
        agenda->tests[i] = test;
        take(agenda, &from, &test);
        end = fmax(end, test.begin + test.seconds);
    }
    *seconds_p = end;

out:
    free(from.sends);
    free(from.receives);
    free(from.carries);
    return status;
}
