/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the connections to a peer get its messages. */
#include "tcp/private.h"
#include "tests/unit/tcp/loop.h"

enum { FEW = 2, MANY = 3, MESSAGES = 8, SHORT = 100, LONG = 100000 };

/* Send some messages of @a length bytes over @a connections, whose links carry @a rates
 * (NULL: one carries all), and poll this end alone. */
static void send_some(int connections, size_t length, const double *rates)
{
    static loop_message_t messages[MESSAGES];
    static char bytes[LONG];

    loop_create(connections);
    if (rates != NULL) {
        for (int i = 0; i < connections; i++) {
            loop.ends[0].peer->connections[i].rate = rates[i];
        }
    }
    for (int i = 0; i < MESSAGES; i++) {
        loop_send(0, bytes, length, true, &messages[i]);
    }
    for (int i = 0; i < 100; i++) {
        loop_poll(0);
    }
}

/* So many connections, and what waits at each. */
static const struct {
    int connections;
    size_t length;
    double rates[MANY]; /* 0: they are alike */
    int least[MANY];    /* -1: nothing is to be there; -2: anything */
} cases[] = {
    /* What the first of two takes goes over it, and more than two take turns. */
    {FEW, SHORT, {0}, {MESSAGES * SHORT, -1}},
    {MANY,
     SHORT,
     {0},
     {MESSAGES / MANY * SHORT, MESSAGES / MANY *SHORT, MESSAGES / MANY *SHORT}},
    /* The rest goes over the others. */
    {FEW, LONG, {0}, {0, 0}},
    /* The faster of two links takes what arrives first over it. */
    {FEW, SHORT, {1e6, 1e9}, {-1, MESSAGES *SHORT}},
    /* Links share what one does not take. */
    {MANY, LONG, {1e6, 1e9, 1e9}, {-2, 0, 0}},
};

UNIT_EACH(messages_are_shared, cases)
{
    send_some(cases[_i].connections, cases[_i].length,
              cases[_i].rates[0] > 0 ? cases[_i].rates : NULL);
    for (int i = 0; i < cases[_i].connections; i++) {
        if (cases[_i].least[i] == -1) {
            ck_assert_int_eq(loop_waiting(1, i), 0);
        } else if (cases[_i].least[i] >= 0) {
            ck_assert_int_gt(loop_waiting(1, i), cases[_i].least[i]);
        }
    }
}

UNIT_FIXTURE(NULL, loop_destroy)
