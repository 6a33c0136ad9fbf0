/* SPDX-License-Identifier: BSD-3-Clause */
/* Hand-computed cases. */
#include "simulate/loss.h"
#include "tests/unit/simulate/line.h"

typedef struct {
    mtree_message_t message;
    double departed, arrived, acknowledged;
} send_op_t;

static void send_op_departed(mtree_message_t *message)
{
    ((send_op_t *)message)->departed = mtree_event_queue_now(queue);
}

static void send_op_arrived(mtree_message_t *message)
{
    ((send_op_t *)message)->arrived = mtree_event_queue_now(queue);
}

static void send_op_acknowledged(mtree_message_t *message)
{
    ((send_op_t *)message)->acknowledged = mtree_event_queue_now(queue);
}

static void send(mtree_connection_t *connection, send_op_t *send_op, size_t bytes)
{
    *send_op =
        (send_op_t){.message = {.bytes = bytes,
                                .departed = send_op_departed,
                                .arrived = send_op_arrived,
                                .acknowledged = mtree_network_acknowledges(connection)
                                                    ? send_op_acknowledged
                                                    : NULL}};
    mtree_network_send(connection, &send_op->message);
}

static mtree_connection_t *join(int from, int to)
{
    return mtree_network_connect(network, from, to);
}

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
        unit_near(seconds, expected);
    }
}

UNIT_EACH(test_times, cases)
{
    const mtree_link_conditions_t conditions = {cases[_i].mtu > 0 ? cases[_i].mtu : -1,
                                                -1, -1, -1, 0};
    mtree_network_options_t options = plain();
    mtree_connection_t *connection = NULL;
    send_op_t send_ops[2];

    options.header_bytes = cases[_i].header;
    options.ack_bytes = cases[_i].ack;
    options.window_bytes = cases[_i].window > 0 ? cases[_i].window : options.window_bytes;
    options.packet_bytes = cases[_i].packet > 0 ? cases[_i].packet : options.packet_bytes;
    options.local_rate = 80e6;
    options.local_latency = 0.002;
    line(cases[_i].kinds, cases[_i].rates, &conditions, &options);
    for (int i = 0; i < 2 && cases[_i].sends[i].bytes > 0; i++) {
        if (i == 0 || cases[_i].sends[i].to != cases[_i].sends[0].to) {
            connection = join(cases[_i].sends[i].from, cases[_i].sends[i].to);
        }
        send(connection, &send_ops[i], cases[_i].sends[i].bytes);
    }
    run();
    for (int i = 0; i < 2 && cases[_i].sends[i].bytes > 0; i++) {
        expect(send_ops[i].departed, cases[_i].sends[i].departed);
        expect(send_ops[i].arrived, cases[_i].sends[i].arrived);
    }
    for (int arc = 0; arc < 2 * topology->num_links && arc < 3; arc++) {
        expect(mtree_network_busy(network, arc), cases[_i].busy[arc]);
    }
}

/* A window that is enough for one direction is not for both: acknowledgements wait behind
 * the packets the other way. */
UNIT_TEST(test_acks_wait)
{
    mtree_network_options_t options = plain();
    send_op_t there, back;

    options.window_bytes = 22000;
    line("hh", even, NULL, &options);
    send(join(0, 1), &there, 100000);
    run();
    unit_near(there.departed, 0.100);

    line("hh", even, NULL, &options);
    send(join(0, 1), &there, 100000);
    send(join(1, 0), &back, 100000);
    run();
    ck_assert_double_gt(there.departed, 0.101);
    ck_assert_double_gt(back.departed, 0.101);
}

/* Messages of one connection arrive in order, whatever their sizes; on the fast links a
 * short one comes to be next to the end of the long one before it. */
UNIT_TEST(test_order)
{
    static const double rates[] = {RATE, 10 * RATE, 5 * RATE};
    const mtree_network_options_t options = plain();
    mtree_connection_t *connection;
    send_op_t send_ops[6];

    line("hshh", rates, NULL, &options);
    connection = join(0, 2);
    for (int i = 0; i < 6; i++) {
        send(connection, &send_ops[i], i % 2 == 0 ? 9000 : 10);
    }
    run();
    for (int i = 1; i < 6; i++) {
        ck_assert_double_ge(send_ops[i].arrived, send_ops[i - 1].arrived);
    }
}

typedef struct {
    mtree_timer_t timer;
    mtree_connection_t *connection;
    send_op_t send_op;
} later_t;

static void send_later(mtree_timer_t *timer)
{
    later_t *later = (later_t *)timer;

    send(later->connection, &later->send_op, 2000);
}

/* A burst of 3000 bytes passes two links at once, the rest of 5000 at the rate; after a
 * pause of a millisecond 1000 bytes of 2000 pass at once. */
UNIT_TEST(test_burst)
{
    const mtree_link_conditions_t conditions = {-1, -1, -1, -1, 3000};
    const mtree_network_options_t options = plain();
    later_t later = {.timer.func = send_later};
    send_op_t first;

    line("hsh", even, &conditions, &options);
    later.connection = join(0, 1);
    send(later.connection, &first, 5000);
    mtree_event_queue_add(queue, &later.timer, 0.003);
    run();
    unit_near(first.arrived, 0.002 + 0.020);
    unit_near(later.send_op.arrived, 0.004 + 0.020);
}

#define LOSS 0.02

static const mtree_link_conditions_t lossy = {-1, LOSS, -1, -1, 0};

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
    const int before = packets_before_a_loss();
    const mtree_network_options_t options = plain();
    const double sent = before * 0.001;
    mtree_connection_t *connection;
    send_op_t first, lost, last;

    line("hh", even, &lossy, &options);
    connection = join(0, 1);
    ck_assert(mtree_network_loses(network));
    send(connection, &first, (size_t)before * 1000);
    send(connection, &lost, 1000);
    send(connection, &last, 1000);
    run();
    unit_near(first.arrived, sent + 0.010);
    unit_near(first.acknowledged, sent + 0.020);
    unit_near(last.departed, sent + 0.002);
    unit_near(lost.arrived, sent + 0.002 + 0.020 + 0.001 + 0.010);
    unit_near(last.arrived, lost.arrived);
    /* As many bytes as up to its end have arrived when the third one has. */
    unit_near(lost.acknowledged, sent + 0.002 + 0.020);
    unit_near(last.acknowledged, lost.arrived + 0.010);
    unit_near(mtree_network_busy(network, 0), sent + 0.003);
}

/* Nothing comes behind the lost packet: it goes again a timeout after its acknowledgement
 * would have been back. */
UNIT_TEST(test_tail_loss)
{
    const int before = packets_before_a_loss();
    mtree_network_options_t options = plain();
    send_op_t message;
    double sent = (before + 1) * 0.001;

    options.timeout = 0.3;
    line("hh", even, &lossy, &options);
    send(join(0, 1), &message, (size_t)(before + 1) * 1000);
    run();
    unit_near(message.departed, sent);
    unit_near(message.arrived, sent + 0.020 + 0.300 + 0.001 + 0.010);
}

/* Connections whose congestion control backs off have a window, whatever the link
 * carries. */
UNIT_TEST(test_backing_off)
{
    mtree_network_options_t options = plain();
    send_op_t message;

    line("hh", even, &lossy, &options);
    send(join(0, 1), &message, 1000000);
    run();
    ck_assert_double_lt(message.arrived, 1.1);

    options.backs_off = true;
    line("hh", even, &lossy, &options);
    send(join(0, 1), &message, 1000000);
    run();
    /* 20 ms for each 5.8 packets. */
    ck_assert_double_gt(message.arrived, 3.0);
}

UNIT_TEST(test_options)
{
    mtree_network_options_t options = plain();
    mtree_network_t *refused = NULL;

    line("hh", even, NULL, &options);
    options.packet_bytes = 0;
    unit_invalid(mtree_network_create(queue, topology, hosts, 2, &options, &refused));
    options = plain();
    options.local_rate = 0.0;
    unit_invalid(mtree_network_create(queue, topology, hosts, 2, &options, &refused));
    ck_assert_ptr_null(refused);
}

UNIT_FIXTURE(NULL, line_forget)
