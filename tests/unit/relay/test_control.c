/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When rank 0 takes a relay for silent: not because it was away itself.  The clock is the
 * test's own.
 */
#include "base/clock.h"
#include "coll_mtree/relay/control.h"
#include "relay/server.h"
#include "tests/unit/runner.h"

#include <stdio.h>

/* Seconds between two polls. */
#define STEP 0.05

static mtree_relay_server_t *server;
static coll_mtree_relay_control_t control;

static void start(void)
{
    const mtree_relay_options_t options = {.most_jobs = 1, .memory = 1 << 20};
    const mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_CONTROL};
    mtree_relay_key_t key;
    char address[32];

    unit_ok(mtree_relay_server_create(&options, &server));
    (void)snprintf(address, sizeof(address), "127.0.0.1:%d",
                   (int)mtree_relay_server_port(server));
    mtree_relay_job_key(&options.secret, &hello.job, &key);
    coll_mtree_relay_control_init(&control, address, &hello, &key, mtree_clock_seconds());
    while (coll_mtree_relay_control_dial(&control, mtree_clock_seconds())) {
        mtree_relay_server_poll(server, 0);
    }
    ck_assert(control.is_up);
}

static void stop(void)
{
    coll_mtree_relay_control_cleanup(&control);
    mtree_relay_server_destroy(server);
}

/* Poll rank 0, and the relay, or not, from *now on. */
static void poll_both(double *now, int polls, bool relay_answers)
{
    mtree_relay_message_t message;

    for (int i = 0; i < polls; i++) {
        while (coll_mtree_relay_control_receive(&control, *now, &message)) {}
        if (relay_answers) {
            mtree_relay_server_poll(server, 0);
        }
        *now += STEP;
    }
}

UNIT_TEST(who_was_away_asks_again)
{
    double now = 1000;

    coll_mtree_relay_control_touch(&control, now);
    poll_both(&now, 3, true);
    for (int i = 0; i < 3; i++) {
        now += 3600;
        poll_both(&now, 40, true);
        ck_assert(control.is_up);
    }
}

UNIT_TEST(a_relay_that_does_not_answer_is_silent)
{
    double now = 1000;

    coll_mtree_relay_control_touch(&control, now);
    poll_both(&now, 90, false);
    ck_assert(control.is_up);
    poll_both(&now, 20, false);
    ck_assert(!control.is_up);
}

UNIT_FIXTURE(start, stop)
