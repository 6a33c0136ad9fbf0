/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/cables.h"

#include "coll_mtree/base/memory.h"
#include "coll_mtree/tcp/sockets.h"

#include "base/clock.h"
#include "tcp/dialer.h"
#include "tcp/listener.h"
#include "tcp/rate_test.h"

#include <stdlib.h>
#include <unistd.h>

/* Seconds in which the two ends have to meet. */
#define MEETING 3.0

typedef enum { MEETING_END, TESTING, ENDED } state_t;

typedef struct {
    state_t state;
    mtree_tcp_dialer_t *dialer; /* NULL: this end is dialed */
    mtree_rate_test_t test;
    bool has_test;
} end_t;

struct coll_mtree_cables {
    const coll_mtree_cable_part_t *parts; /* [num_parts] */
    int num_parts;
    end_t *ends; /* [num_parts] */
    double began;
};

static struct {
    mtree_tcp_listener_t *listener;     /* NULL: nobody is expected */
    coll_mtree_cables_trial_t *current; /* NULL: none has begun here */
} this_host;

static void test_begin(end_t *end, int socket)
{
    mtree_rate_test_begin(&end->test, socket, mtree_clock_seconds());
    end->has_test = true;
    end->state = TESTING;
}

/* Take the connection if it is that of a cable. */
static mtree_tcp_admission_t admit(void *arg, const mtree_tcp_greeting_t *greeting,
                                   int socket)
{
    (void)arg;
    for (int p = 0; this_host.current != NULL && p < this_host.current->num_parts; p++) {
        end_t *end = &this_host.current->ends[p];

        if (this_host.current->parts[p].number == (int)greeting->rank &&
            end->dialer == NULL && end->state == MEETING_END) {
            test_begin(end, socket);
            return MTREE_TCP_ADMITTED;
        }
    }
    return MTREE_TCP_REFUSED;
}

void coll_mtree_cables_describe(coll_mtree_cable_host_t *host)
{
    mtree_tcp_ports_t ports;

    coll_mtree_cables_close();
    host->count = mtree_interfaces_list(host->list);
    host->port = 0;
    if (coll_mtree_listening_ports(&ports) &&
        mtree_tcp_secret_draw(&host->secret) == MTREE_OK) {
        this_host.listener =
            mtree_tcp_listener_create(&ports, &host->secret, admit, NULL);
    }
    if (this_host.listener != NULL) {
        host->port = mtree_tcp_listener_port(this_host.listener);
        mtree_tcp_listener_await(this_host.listener, MTREE_HOST_INTERFACES);
    }
}

void coll_mtree_cables_close(void)
{
    mtree_tcp_listener_destroy(this_host.listener);
    this_host.listener = NULL;
}

/* NULL: no memory; the cable is not found then. */
static mtree_tcp_dialer_t *dial(const coll_mtree_cable_part_t *part)
{
    mtree_tcp_dial_t call = {.rank = (uint32_t)part->number,
                             .secret = part->secret,
                             .num_addresses = 1,
                             .port = (uint16_t)part->port,
                             .num_connections = 1};

    call.sources[0] = part->ends[0];
    call.addresses[0] = part->ends[1];
    return mtree_tcp_dialer_create(&call);
}

coll_mtree_cables_trial_t *coll_mtree_cables_begin(const coll_mtree_cable_part_t *parts,
                                                   int num_parts)
{
    coll_mtree_cables_trial_t *trial = coll_mtree_calloc(1, sizeof(*trial));
    end_t *ends = coll_mtree_calloc((size_t)num_parts, sizeof(*ends));

    *trial = (coll_mtree_cables_trial_t){parts, num_parts, ends, mtree_clock_seconds()};
    for (int p = 0; p < num_parts; p++) {
        ends[p].dialer = parts[p].dials ? dial(&parts[p]) : NULL;
        ends[p].state = parts[p].dials && ends[p].dialer == NULL ? ENDED : MEETING_END;
    }
    this_host.current = trial;
    return trial;
}

/* The other end has not come yet, or dials. */
static void end_meet(end_t *end, double began, double now)
{
    int socket, error, stands = 0;

    if (end->dialer != NULL) {
        stands = mtree_tcp_dialer_poll(end->dialer, now, &error);
    }
    if (stands > 0) {
        mtree_tcp_dialer_sockets(end->dialer, &socket);
        test_begin(end, socket);
    } else if (stands < 0 || now > began + MEETING) {
        end->state = ENDED;
    }
}

bool coll_mtree_cables_advance(coll_mtree_cables_trial_t *trial)
{
    const double now = mtree_clock_seconds();
    bool have_ended = true;

    if (this_host.listener != NULL) {
        mtree_tcp_listener_poll(this_host.listener);
    }
    for (int p = 0; p < trial->num_parts; p++) {
        end_t *end = &trial->ends[p];

        if (end->state == MEETING_END) {
            end_meet(end, trial->began, now);
        } else if (end->state == TESTING) {
            int result = mtree_rate_test_poll(&end->test, mtree_clock_seconds());

            end->test.bytes = result < 0 ? 0 : end->test.bytes;
            end->state = result == 0 ? TESTING : ENDED;
        }
        have_ended = have_ended && end->state == ENDED;
    }
    return have_ended;
}

void coll_mtree_cables_end(coll_mtree_cables_trial_t *trial,
                           coll_mtree_cable_report_t *reports)
{
    for (int p = 0; p < trial->num_parts; p++) {
        end_t *end = &trial->ends[p];

        reports[p] = (coll_mtree_cable_report_t){.number = trial->parts[p].number};
        if (end->has_test) {
            reports[p].rate = mtree_rate_test_rate(&end->test);
            reports[p].trip = end->test.trip;
            mtree_rate_test_end(&end->test);
        }
        mtree_tcp_dialer_destroy(end->dialer);
    }
    this_host.current = NULL;
    free(trial->ends);
    free(trial);
}
