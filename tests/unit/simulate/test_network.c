/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/loss.h"
#include "simulate/network.h"
#include "tests/unit/maps.h"

#include <string.h>

/*
 * Hand-computed cases.  Rates of 8 Mb/s make a byte a microsecond; a packet holds 1000
 * bytes and has no header unless a test says so.
 */
#define RATE 8e6

typedef struct {
    mtree_message_t message;
    mtree_event_queue_t *queue;
    double departed, arrived, acknowledged;
} send_op_t;

typedef struct {
    mtree_topology_t *topology;
    mtree_event_queue_t *queue;
    mtree_network_t *network;
} fixture_t;

static void send_op_departed(mtree_message_t *message)
{
    send_op_t *send_op = (send_op_t *)message;

    send_op->departed = mtree_event_queue_now(send_op->queue);
}

static void send_op_arrived(mtree_message_t *message)
{
    send_op_t *send_op = (send_op_t *)message;

    send_op->arrived = mtree_event_queue_now(send_op->queue);
}

static void send_op_acknowledged(mtree_message_t *message)
{
    send_op_t *send_op = (send_op_t *)message;

    send_op->acknowledged = mtree_event_queue_now(send_op->queue);
}

static void send(fixture_t *fixture, mtree_connection_t *connection, send_op_t *send_op,
                 size_t bytes)
{
    memset(send_op, 0, sizeof(*send_op));
    send_op->queue = fixture->queue;
    send_op->message.bytes = bytes;
    send_op->message.departed = send_op_departed;
    send_op->message.arrived = send_op_arrived;
    send_op->message.acknowledged =
        mtree_network_acknowledges(connection) ? send_op_acknowledged : NULL;
    mtree_network_send(connection, &send_op->message);
}

static mtree_connection_t *join(fixture_t *fixture, int from, int to)
{
    mtree_connection_t *connection = NULL;

    connection = mtree_network_connect(fixture->network, from, to);
    return connection;
}

static mtree_network_options_t plain(void)
{
    mtree_network_options_t options;

    mtree_network_default_options(&options);
    options.packet_bytes = 1000;
    options.header_bytes = 0;
    options.ack_bytes = 0;
    return options;
}

/* A line of vertices: 'h' hosts, 's' switches; 10 ms per link, @a rates in bits/s, and
 * what its packets meet. */
static fixture_t line_under(const char *kinds, const double *rates,
                            const mtree_link_conditions_t *conditions,
                            const mtree_network_options_t *options)
{
    fixture_t fixture = {0};
    int hosts[8], num_hosts;

    fixture.topology = map_chain(kinds, rates, 0.010);
    num_hosts = map_hosts(fixture.topology, hosts);
    for (int i = 0; i < fixture.topology->num_links; i++) {
        fixture.topology->links[i].conditions = *conditions;
    }
    fixture.queue = mtree_event_queue_create();
    unit_ok(mtree_network_create(fixture.queue, fixture.topology, hosts, num_hosts,
                                 options, &fixture.network));
    return fixture;
}

static fixture_t line(const char *kinds, const double *rates,
                      const mtree_network_options_t *options)
{
    const mtree_link_conditions_t none = {-1, -1, -1, -1, 0};

    return line_under(kinds, rates, &none, options);
}

static void clear(fixture_t *fixture)
{
    mtree_network_destroy(fixture->network);
    mtree_event_queue_destroy(fixture->queue);
    mtree_topology_destroy(fixture->topology);
}

static void run(fixture_t *fixture)
{
    unit_ok(mtree_event_queue_run(fixture->queue));
}

static const double even[] = {RATE, RATE, RATE, RATE};

#define ANY -1.0

/* Networks on which one or two messages are sent at once, and when they are where. */
static const struct {
    const char *kinds;
    double rates[3];
    size_t header, window, packet; /* bytes; 0: those of plain() */
    double ack;
    double mtu; /* of all links; 0: none */
    struct {
        int from, to;
        size_t bytes; /* 0: there is no second message */
        double departed, arrived;
    } sends[2];
    double busy[3]; /* of the first arcs */
} cases[] = {
    /* Size over rate, then the latency. */
    {"hh", {RATE}, .sends = {{0, 1, 5000, 0.005, 0.015}}, .busy = {0.005, 0, ANY}},
    /* 2500 bytes are three packets of 40 bytes of header. */
    {"hh",
     {RATE},
     .header = 40,
     .sends = {{0, 1, 2500, ANY, 0.01262}},
     .busy = {ANY, ANY, ANY}},
    /* 52 bytes of acknowledgement for each packet go back. */
    {"hh",
     {RATE},
     .header = 40,
     .ack = 52,
     .sends = {{0, 1, 4000, ANY, 0.01416}},
     .busy = {ANY, 4 * 52e-6, ANY}},
    /* Through a switch: once the first packet is whole there, it goes on. */
    {"hsh",
     {RATE, RATE},
     .sends = {{0, 1, 5000, 0.005, 0.005 + 0.001 + 0.020}},
     .busy = {0.005, 0, 0.005}},
    /* Less than a packet waits at the switch only for itself. */
    {"hsh",
     {RATE, RATE},
     .sends = {{0, 1, 100, 0.0001, 0.0001 + 0.0001 + 0.020}},
     .busy = {0.0001, 0, 0.0001}},
    /* A route through a host that forwards, to a link half as fast: that one says when
     * the end comes. */
    {"hhh",
     {RATE, RATE / 2},
     .sends = {{0, 2, 5000, 0.005, 0.001 + 0.010 + 0.020}},
     .busy = {0.005, 0, 0.010}},
    /* Two messages on one link: one after the other. */
    {"hhh",
     {RATE, RATE},
     .sends = {{0, 2, 4000, 0.004, ANY}, {0, 1, 4000, 0.008, 0.018}},
     .busy = {0.008, 0, 0.004}},
    /* Connections of a host take turns: four packets of each wait, then it is two by two.
     * So a short message passes a long one that was sent before it. */
    {"hhh",
     {RATE, RATE},
     .sends = {{0, 2, 100000, 0.106, ANY}, {0, 1, 6000, 0.014, ANY}},
     .busy = {0.106, 0, 0.100}},
    /* A window of 1000 bytes and 20 ms there and back: 1000 bytes in that time, however
     * fast the link is, and the time that they take on it. */
    {"hh",
     {RATE},
     .window = 1000,
     .sends = {{0, 1, 1000, 0.001, ANY}, {0, 1, 1000, 0.022, ANY}},
     .busy = {0.002, 0, ANY}},
    /* Two ranks of one host meet no link: 80 Mb/s and 2 ms. */
    {"hh", {RATE}, .sends = {{1, 1, 10000, ANY, 0.003}}, .busy = {0, 0, ANY}},
    /* A link of 1000 bytes of payload per packet has that of the narrowest of the route:
     * 3 packets with 66 bytes more, of which 14 are not of the MTU. */
    {"hh",
     {RATE},
     .header = 66,
     .packet = 8948,
     .mtu = 1052,
     .sends = {{0, 1, 2500, ANY, (2500 + 3 * 66) * 1e-6 + 0.010}},
     .busy = {ANY, ANY, ANY}},
};

static void expect(double seconds, double expected)
{
    if (expected != ANY) {
        ck_assert_double_eq_tol(seconds, expected, 1e-9);
    }
}

UNIT_EACH(test_times, cases)
{
    const mtree_link_conditions_t conditions = {cases[_i].mtu > 0 ? cases[_i].mtu : -1,
                                                -1, -1, -1, 0};
    mtree_network_options_t options = plain();
    mtree_connection_t *connection = NULL;
    UNIT_OWNED(clear) fixture_t fixture;
    send_op_t send_ops[2];

    options.header_bytes = cases[_i].header;
    options.ack_bytes = cases[_i].ack;
    options.window_bytes = cases[_i].window > 0 ? cases[_i].window : options.window_bytes;
    options.packet_bytes = cases[_i].packet > 0 ? cases[_i].packet : options.packet_bytes;
    options.local_rate = 80e6;
    options.local_latency = 0.002;
    fixture = line_under(cases[_i].kinds, cases[_i].rates, &conditions, &options);
    for (int i = 0; i < 2 && cases[_i].sends[i].bytes > 0; i++) {
        if (i == 0 || cases[_i].sends[i].to != cases[_i].sends[0].to) {
            connection = join(&fixture, cases[_i].sends[i].from, cases[_i].sends[i].to);
        }
        send(&fixture, connection, &send_ops[i], cases[_i].sends[i].bytes);
    }
    run(&fixture);
    for (int i = 0; i < 2 && cases[_i].sends[i].bytes > 0; i++) {
        expect(send_ops[i].departed, cases[_i].sends[i].departed);
        expect(send_ops[i].arrived, cases[_i].sends[i].arrived);
    }
    for (int arc = 0; arc < 2 * fixture.topology->num_links && arc < 3; arc++) {
        expect(mtree_network_busy(fixture.network, arc), cases[_i].busy[arc]);
    }
}

/* A window that is enough for one direction is not for both: acknowledgements wait behind
 * the packets the other way. */
UNIT_TEST(test_acks_wait)
{
    mtree_network_options_t options = plain();
    fixture_t fixture;
    send_op_t there, back;

    options.window_bytes = 22000;
    fixture = line("hh", even, &options);
    send(&fixture, join(&fixture, 0, 1), &there, 100000);
    run(&fixture);
    ck_assert_double_eq_tol(there.departed, 0.100, 1e-9);
    clear(&fixture);

    fixture = line("hh", even, &options);
    send(&fixture, join(&fixture, 0, 1), &there, 100000);
    send(&fixture, join(&fixture, 1, 0), &back, 100000);
    run(&fixture);
    ck_assert_double_gt(there.departed, 0.101);
    ck_assert_double_gt(back.departed, 0.101);
    clear(&fixture);
}

/* Messages of one connection arrive in order, whatever their sizes; on the fast links a
 * short one comes to be next to the end of the long one before it. */
UNIT_TEST(test_order)
{
    static const double rates[] = {RATE, 10 * RATE, 5 * RATE};
    mtree_network_options_t options = plain();
    fixture_t fixture = line("hshh", rates, &options);
    mtree_connection_t *connection = join(&fixture, 0, 2);
    send_op_t send_ops[6];
    int i;

    for (i = 0; i < 6; i++) {
        send(&fixture, connection, &send_ops[i], i % 2 == 0 ? 9000 : 10);
    }
    run(&fixture);
    for (i = 1; i < 6; i++) {
        ck_assert_double_ge(send_ops[i].arrived, send_ops[i - 1].arrived);
    }
    clear(&fixture);
}

typedef struct {
    mtree_timer_t timer;
    fixture_t *fixture;
    mtree_connection_t *connection;
    send_op_t send_op;
} later_t;

static void send_later(mtree_timer_t *timer)
{
    later_t *later = (later_t *)timer;

    send(later->fixture, later->connection, &later->send_op, 2000);
}

/* A burst of 3000 bytes passes two links at once, the rest of 5000 at the rate; after a
 * pause of a millisecond 1000 bytes of 2000 pass at once. */
UNIT_TEST(test_burst)
{
    const mtree_link_conditions_t conditions = {-1, -1, -1, -1, 3000};
    mtree_network_options_t options = plain();
    UNIT_OWNED(clear) fixture_t fixture = line_under("hsh", even, &conditions, &options);
    later_t later = {.timer.func = send_later,
                     .fixture = &fixture,
                     .connection = join(&fixture, 0, 1)};
    send_op_t first;

    send(&fixture, later.connection, &first, 5000);
    mtree_event_queue_add(fixture.queue, &later.timer, 0.003);
    run(&fixture);
    ck_assert_double_eq_tol(first.arrived, 0.002 + 0.020, 1e-9);
    ck_assert_double_eq_tol(later.send_op.arrived, 0.004 + 0.020, 1e-9);
}

#define LOSS 0.02

/* Packets that pass the first arc before one is lost; many are between that one and the
 * next. */
static int packets_before_a_loss(void)
{
    mtree_loss_t loss;
    int passed = 0, last;

    mtree_loss_init(&loss, LOSS, 0);
    while (mtree_loss_draw(&loss, 1, &last) == 0) {
        passed++;
    }
    ck_assert_int_eq(mtree_loss_draw(&loss, 8, &last), 0);
    ck_assert_int_gt(passed, 0);
    return passed;
}

/*
 * Three messages, the second one is a packet that is lost.  The acknowledgement of the
 * third, which leaves a packet's millisecond later, is back after 20 ms.  Then it goes
 * again, and arrives a millisecond and 10 ms later.  Until then the third has to wait.
 */
UNIT_TEST(test_repair)
{
    const mtree_link_conditions_t conditions = {-1, LOSS, -1, -1, 0};
    const int before = packets_before_a_loss();
    mtree_network_options_t options = plain();
    fixture_t fixture = line_under("hh", even, &conditions, &options);
    mtree_connection_t *connection = join(&fixture, 0, 1);
    send_op_t first, lost, last;
    double sent = before * 0.001;

    ck_assert(mtree_network_loses(fixture.network));
    send(&fixture, connection, &first, (size_t)before * 1000);
    send(&fixture, connection, &lost, 1000);
    send(&fixture, connection, &last, 1000);
    run(&fixture);
    ck_assert_double_eq_tol(first.arrived, sent + 0.010, 1e-9);
    ck_assert_double_eq_tol(first.acknowledged, sent + 0.020, 1e-9);
    ck_assert_double_eq_tol(last.departed, sent + 0.002, 1e-9);
    ck_assert_double_eq_tol(lost.arrived, sent + 0.002 + 0.020 + 0.001 + 0.010, 1e-9);
    ck_assert_double_eq_tol(last.arrived, lost.arrived, 1e-9);
    /* As many bytes as up to its end have arrived when the third one has. */
    ck_assert_double_eq_tol(lost.acknowledged, sent + 0.002 + 0.020, 1e-9);
    ck_assert_double_eq_tol(last.acknowledged, lost.arrived + 0.010, 1e-9);
    ck_assert_double_eq_tol(mtree_network_busy(fixture.network, 0), sent + 0.003, 1e-9);
    clear(&fixture);
}

/* Nothing comes behind the lost packet: it goes again a timeout after its acknowledgement
 * would have been back. */
UNIT_TEST(test_tail_loss)
{
    const mtree_link_conditions_t conditions = {-1, LOSS, -1, -1, 0};
    const int before = packets_before_a_loss();
    mtree_network_options_t options = plain();
    UNIT_OWNED(clear) fixture_t fixture;
    send_op_t message;
    double sent = (before + 1) * 0.001;

    options.timeout = 0.3;
    fixture = line_under("hh", even, &conditions, &options);
    send(&fixture, join(&fixture, 0, 1), &message, (size_t)(before + 1) * 1000);
    run(&fixture);
    ck_assert_double_eq_tol(message.departed, sent, 1e-9);
    ck_assert_double_eq_tol(message.arrived, sent + 0.020 + 0.300 + 0.001 + 0.010, 1e-9);
}

/* Connections whose congestion control backs off have a window, whatever the link
 * carries. */
UNIT_TEST(test_backing_off)
{
    const mtree_link_conditions_t conditions = {-1, LOSS, -1, -1, 0};
    mtree_network_options_t options = plain();
    fixture_t fixture = line_under("hh", even, &conditions, &options);
    send_op_t steady, backing_off;

    send(&fixture, join(&fixture, 0, 1), &steady, 1000000);
    run(&fixture);
    clear(&fixture);

    options.backs_off = true;
    fixture = line_under("hh", even, &conditions, &options);
    send(&fixture, join(&fixture, 0, 1), &backing_off, 1000000);
    run(&fixture);
    ck_assert_double_lt(steady.arrived, 1.1);
    /* 20 ms for each 5.8 packets. */
    ck_assert_double_gt(backing_off.arrived, 3.0);
    clear(&fixture);
}

UNIT_TEST(test_options)
{
    mtree_network_options_t options = plain();
    fixture_t fixture = line("hh", even, &options);
    mtree_network_t *network = NULL;
    const int hosts[] = {0, 1};

    options.packet_bytes = 0;
    unit_invalid(mtree_network_create(fixture.queue, fixture.topology, hosts, 2, &options,
                                      &network));
    options = plain();
    options.local_rate = 0.0;
    unit_invalid(mtree_network_create(fixture.queue, fixture.topology, hosts, 2, &options,
                                      &network));
    ck_assert_ptr_null(network);
    clear(&fixture);
}
