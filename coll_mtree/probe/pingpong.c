/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/pingpong.h"

#include "coll_mtree/transport/transport.h"

#include <stdlib.h>

/* For all round trips together; no network worth using needs a tenth of it. */
#define MOST_SECONDS 8.0

struct coll_mtree_ping {
    ompi_communicator_t *comm;
    coll_mtree_probe_part_t part;
    int left; /* round trips, the one under way included */
    ompi_request_t *out, *in;
    char *sent, *received; /* [part.bytes] */
    bool failed;
    double deadline, started; /* the latter: this round trip */
    double *seconds;          /* [part.repeats] of the counted ones */
};

static bool ping_send(coll_mtree_ping_t *ping)
{
    return coll_mtree_probe_send(ping->comm, ping->part.peer, ping->part.tag, ping->sent,
                                 ping->part.bytes, &ping->out);
}

static bool ping_recv(coll_mtree_ping_t *ping)
{
    return coll_mtree_probe_recv(ping->comm, ping->part.peer, ping->part.tag,
                                 ping->received, ping->part.bytes, &ping->in);
}

static void ping_start(coll_mtree_ping_t *ping)
{
    ping->failed = !ping_recv(ping);
    if (!ping->failed && ping->part.sends) {
        ping->started = coll_mtree_clock();
        ping->failed = !ping_send(ping);
    }
}

coll_mtree_ping_t *coll_mtree_ping_begin(ompi_communicator_t *comm,
                                         const coll_mtree_probe_part_t *part)
{
    coll_mtree_ping_t *ping = calloc(1, sizeof(*ping));

    if (ping == NULL) {
        return NULL;
    }
    ping->comm = comm;
    ping->part = *part;
    ping->left = part->repeats + 1;
    ping->deadline = coll_mtree_clock() + MOST_SECONDS;
    ping->sent = calloc(part->bytes + 1, 1);
    ping->received = calloc(part->bytes + 1, 1);
    ping->seconds = calloc((size_t)part->repeats + 1, sizeof(*ping->seconds));
    if (ping->sent == NULL || ping->received == NULL || ping->seconds == NULL) {
        coll_mtree_ping_end(ping, NULL);
        return NULL;
    }
    ping_start(ping);
    return ping;
}

/* The answer is there: on to the next round trip. */
static void ping_finish_trip(coll_mtree_ping_t *ping)
{
    ping->left--;
    if (ping->left < ping->part.repeats) {
        ping->seconds[ping->left] = coll_mtree_clock() - ping->started;
    }
    if (ping->left > 0) {
        ping_start(ping);
    }
}

bool coll_mtree_ping_advance(coll_mtree_ping_t *ping)
{
    if (ping->failed || ping->left == 0) {
        return ping->failed || coll_mtree_probe_done(&ping->out, NULL);
    }
    if (ping->in != NULL && coll_mtree_probe_done(&ping->in, NULL) && !ping->part.sends) {
        ping->failed = !ping_send(ping);
    }
    if (!ping->failed && ping->in == NULL && coll_mtree_probe_done(&ping->out, NULL)) {
        if (ping->part.sends) {
            ping_finish_trip(ping);
        } else if (--ping->left > 0) {
            ping->failed = !ping_recv(ping);
        }
    }
    if (ping->left > 0 && coll_mtree_clock() > ping->deadline) {
        ping->failed = true;
    }
    return ping->failed;
}

static int compare_seconds(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return (left > right) - (left < right);
}

/* Of the round trips that came to their end; the last ones stand first. */
static void ping_report(const coll_mtree_ping_t *ping, mtree_probe_result_t *result)
{
    int first = ping->left, count = ping->part.repeats - first;

    result->failed = count < 1;
    if (!result->failed) {
        qsort(ping->seconds + first, (size_t)count, sizeof(*ping->seconds),
              compare_seconds);
        result->least = ping->seconds[first];
        result->median = ping->seconds[first + count / 2];
    }
}

void coll_mtree_ping_end(coll_mtree_ping_t *ping, mtree_probe_result_t *result)
{
    bool sent = coll_mtree_probe_abandon(&ping->out);
    bool received = coll_mtree_probe_abandon(&ping->in);

    if (result != NULL) {
        ping_report(ping, result);
    }
    /* What the PML may still use is lost, on a network that has failed. */
    if (sent) {
        free(ping->sent);
    }
    if (received) {
        free(ping->received);
    }
    free(ping->seconds);
    free(ping);
}
