/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/worker.h"

#include "coll_mtree/tcp/sockets.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/list.h"
#include "base/memory.h"
#include "tcp/crypto.h"
#include "tcp/dial.h"
#include "tcp/dialer.h"
#include "tcp/listener.h"
#include "tcp/rate_test.h"

#include <stdlib.h>
#include <string.h>

/* An end of a cable. */
typedef struct {
    mtree_list_t link; /* of those that are tried here */
    const coll_mtree_probe_part_t *part;
    enum { MEETING_END, TESTING, ENDED } state;
    double began;
    mtree_tcp_dialer_t dialer; /* of the end that sends */
    mtree_rate_test_t test;    /* has begun where the two have met */
} cable_t;

static struct {
    mtree_tcp_listener_t *listener; /* NULL: nobody is expected */
    mtree_tcp_secret_t secret;
    mtree_list_t cables;
} this_host = {.cables = {&this_host.cables, &this_host.cables}};

static void test_begin(cable_t *cable, int socket)
{
    mtree_rate_test_begin(&cable->test, socket, mtree_clock_seconds());
    cable->state = TESTING;
}

/* Take the connection if it is that of a cable.  Who dials has said its number. */
static mtree_tcp_admission_t admit(void *arg, mtree_tcp_greeting_t *greeting, int socket)
{
    const int number = (int)mtree_get32(greeting->said);
    mtree_list_t *link;

    (void)arg;
    MTREE_LIST_FOR_EACH(link, &this_host.cables)
    {
        cable_t *cable = MTREE_CONTAINER_OF(link, cable_t, link);

        if (cable->part->number == number && !cable->part->sends &&
            cable->state == MEETING_END &&
            mtree_tcp_answer_send(greeting, greeting->said, socket)) {
            test_begin(cable, socket);
            return MTREE_TCP_ADMITTED;
        }
    }
    return MTREE_TCP_REFUSED;
}

void coll_mtree_cables_describe(coll_mtree_cable_host_t *host)
{
    mtree_tcp_ports_t ports;

    coll_mtree_cables_close();
    host->interfaces.count = mtree_interfaces_list(host->interfaces.list, NULL, NULL);
    if (coll_mtree_listening_ports(&ports) &&
        mtree_crypto_draw(&host->secret, sizeof(host->secret)) == MTREE_OK) {
        this_host.secret = host->secret;
        this_host.listener = mtree_tcp_listener_create(&ports);
    }
    host->port = mtree_tcp_listener_port(this_host.listener);
}

void coll_mtree_cables_close(void)
{
    mtree_tcp_listener_destroy(this_host.listener);
    this_host.listener = NULL;
    explicit_bzero(&this_host.secret, sizeof(this_host.secret));
}

static void *cable_begin(const coll_mtree_channel_t *channel,
                         const coll_mtree_probe_part_t *part)
{
    const mtree_address_t *ends = part->experiment.ends;
    cable_t *cable = mtree_calloc(1, sizeof(*cable));

    (void)channel;
    cable->part = part;
    cable->began = mtree_clock_seconds();
    cable->dialer.socket = -1;
    if (part->sends) {
        /* The one attempt has all the time that there is. */
        mtree_tcp_dialer_begin(
            &cable->dialer,
            mtree_tcp_socket_connect(&ends[0], &ends[1], (uint16_t)part->port, 0),
            MTREE_TCP_ANSWER_SECONDS, cable->began);
    }
    cable->state = part->sends && cable->dialer.socket < 0 ? ENDED : MEETING_END;
    mtree_list_append(&this_host.cables, &cable->link);
    return cable;
}

/* The other end has not come yet, or does not answer. */
static void cable_meet(cable_t *cable, double now)
{
    unsigned char said[MTREE_TCP_SAID] = {0};
    int answered = 0;

    mtree_put32(said, (uint32_t)cable->part->number);
    if (cable->part->sends) {
        answered = mtree_tcp_dialer_poll(&cable->dialer, &cable->part->secret, said, now);
    }
    if (answered == 1) {
        test_begin(cable, mtree_tcp_dialer_take(&cable->dialer));
    } else if (answered < 0 || now > cable->began + MTREE_TCP_ANSWER_SECONDS) {
        cable->state = ENDED;
    }
}

static bool cable_advance(void *run)
{
    const mtree_tcp_reception_t reception = {.num_awaited = MTREE_HOST_INTERFACES,
                                             .secret = &this_host.secret,
                                             .admit = admit};
    const double now = mtree_clock_seconds();
    cable_t *cable = run;

    mtree_tcp_listener_poll(this_host.listener, &reception, now);
    if (cable->state == MEETING_END) {
        cable_meet(cable, now);
    } else if (cable->state == TESTING) {
        int result = mtree_rate_test_poll(&cable->test, now);

        cable->test.bytes = result < 0 ? 0 : cable->test.bytes;
        cable->state = result == 0 ? TESTING : ENDED;
    }
    return cable->state == ENDED;
}

static void cable_end(void *run, mtree_probe_result_t *result)
{
    cable_t *cable = run;

    result->failed = cable->test.began == 0;
    if (!result->failed) {
        /* What comes to the first end goes from the second one. */
        result->rate[cable->part->sends] = mtree_rate_test_rate(&cable->test);
        result->latency = cable->test.trip / 2;
        mtree_rate_test_end(&cable->test);
    }
    mtree_tcp_dialer_end(&cable->dialer);
    mtree_list_remove(&cable->link);
    free(cable);
}

const coll_mtree_probe_runner_t coll_mtree_cable_runner = {cable_begin, cable_advance,
                                                           cable_end};
