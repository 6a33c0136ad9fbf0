/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/cables.h"

#include "coll_mtree/tcp/sockets.h"

#include "base/clock.h"
#include "base/memory.h"
#include "tcp/listener.h"
#include "tcp/rate_test.h"
#include "tcp/socket.h"

#include <stdlib.h>
#include <unistd.h>

/* Seconds in which the two ends have to meet. */
#define MEETING 3.0

typedef enum { MEETING_END, TESTING, ENDED } state_t;

typedef struct {
    state_t state;
    int socket; /* that dials; negative: none does */
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
            !this_host.current->parts[p].dials && end->state == MEETING_END) {
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
    host->interfaces.count = mtree_interfaces_list(host->interfaces.list);
    host->port = 0;
    if (coll_mtree_listening_ports(&ports) &&
        mtree_tcp_secret_draw(&host->secret) == MTREE_OK) {
        this_host.listener =
            mtree_tcp_listener_create(&ports, &host->secret, admit, NULL);
    }
    if (this_host.listener != NULL) {
        host->port = mtree_tcp_listener_port(this_host.listener);
    }
}

void coll_mtree_cables_close(void)
{
    mtree_tcp_listener_destroy(this_host.listener);
    this_host.listener = NULL;
}

coll_mtree_cables_trial_t *coll_mtree_cables_begin(const coll_mtree_cable_part_t *parts,
                                                   int num_parts)
{
    coll_mtree_cables_trial_t *trial = mtree_calloc(1, sizeof(*trial));
    end_t *ends = mtree_calloc((size_t)num_parts, sizeof(*ends));

    *trial = (coll_mtree_cables_trial_t){parts, num_parts, ends, mtree_clock_seconds()};
    for (int p = 0; p < num_parts; p++) {
        ends[p].socket =
            parts[p].dials
                ? mtree_tcp_socket_connect(&parts[p].ends[0], &parts[p].ends[1],
                                           (uint16_t)parts[p].port, 0)
                : -1;
        ends[p].state = parts[p].dials && ends[p].socket < 0 ? ENDED : MEETING_END;
    }
    this_host.current = trial;
    return trial;
}

/* The kernel of the other end has answered; say which cable that is. */
static bool greet(const coll_mtree_cable_part_t *part, int socket)
{
    mtree_tcp_greeting_t greeting = {.rank = (uint32_t)part->number};

    mtree_tcp_greeting_prove(&greeting, &part->secret);
    return mtree_tcp_greeting_send(socket, &greeting);
}

/* The other end has not come yet, or does not answer. */
static void end_meet(end_t *end, const coll_mtree_cable_part_t *part, double began,
                     double now)
{
    int connected = part->dials ? mtree_tcp_socket_connected(end->socket) : 0;

    if (connected > 0 && greet(part, end->socket)) {
        test_begin(end, end->socket);
    } else if (connected != 0 || now > began + MEETING) {
        end->state = ENDED;
    }
}

bool coll_mtree_cables_advance(coll_mtree_cables_trial_t *trial)
{
    const double now = mtree_clock_seconds();
    bool have_ended = true;

    if (this_host.listener != NULL) {
        mtree_tcp_listener_poll(this_host.listener, MTREE_HOST_INTERFACES);
    }
    for (int p = 0; p < trial->num_parts; p++) {
        end_t *end = &trial->ends[p];

        if (end->state == MEETING_END) {
            end_meet(end, &trial->parts[p], trial->began, now);
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
        } else if (end->socket >= 0) {
            (void)close(end->socket);
        }
    }
    this_host.current = NULL;
    free(trial->ends);
    free(trial);
}
