/* SPDX-License-Identifier: BSD-3-Clause */
#include "simulate/pt2pt.h"
#include "tests/unit/simulate/line.h"

/* Between three hosts on a line. */
static mtree_pt2pt_t *pt2pt;

typedef struct {
    mtree_completion_t completion;
    int calls;
    double time;
    mtree_status_t status;
} done_t;

static void done(mtree_completion_t *self, mtree_status_t status)
{
    done_t *note = (done_t *)self;

    note->calls++;
    note->time = mtree_event_queue_now(queue);
    note->status = status;
}

static mtree_completion_t *watch(done_t *note)
{
    *note = (done_t){.completion.func = done};
    return &note->completion;
}

static void make(mtree_pt2pt_options_t options)
{
    const mtree_network_options_t of_network = plain();

    line("hhh", even, NULL, &of_network);
    pt2pt = mtree_pt2pt_create(queue, network, &options);
}

static void clear(void)
{
    mtree_pt2pt_destroy(pt2pt);
    pt2pt = NULL;
    line_forget();
}

static void send(int from, int to, int tag, const void *buffer, size_t count,
                 bool synchronous, done_t *note)
{
    mtree_transport_t *transport = mtree_pt2pt_transport(pt2pt, from);

    unit_ok(transport->ops->send(transport, to, tag, buffer, count, synchronous,
                                 watch(note)));
}

static void recv(int rank, int from, int tag, void *buffer, size_t count, done_t *note)
{
    mtree_transport_t *transport = mtree_pt2pt_transport(pt2pt, rank);

    unit_ok(transport->ops->recv(transport, from, tag, buffer, count, watch(note)));
}

static const mtree_pt2pt_options_t one_each = {
    .num_ranks = 3, .ranks_per_host = 1, .unit_bytes = 1, .control_bytes = 0};

#define ANY -1.0

/* One or two messages that are given at once, and when they are sent and received. */
static const struct {
    mtree_pt2pt_options_t options; /* 0: as of one_each */
    double pace;                   /* bits/s from rank 0 to rank 1; 0: any */
    double computes[2];            /* seconds, of ranks 0 and 1 */
    struct {
        int from, to;
        size_t bytes; /* 0: there is no second message */
        bool synchronous;
        double sent, received;
    } messages[2];
} cases[] = {
    /* A send is over at once, a synchronous one when the word of the match is back. */
    {.messages = {{0, 1, 2000, false, 0, 0.012}, {0, 1, 3000, true, 0.025, 0.015}}},
    /* Each message costs both ranks some time, one after the other. */
    {.options.cost.message = 0.004,
     .messages = {{0, 1, 1000, false, 0.004, 0.004 + 0.011 + 0.004},
                  {0, 1, 1000, false, 0.008, 0.008 + 0.011 + 0.004}}},
    /* Over the eager limit: 1000 bytes go, 10 ms later they match, 10 ms later the rest
     * may go. */
    {.options.eager_bytes = 1000,
     .messages = {{0, 1, 5000, false, 0.011 + 0.010 + 0.004, 0.011 + 0.010 + 0.014}}},
    /* Connections of mtree's own send all of it at once. */
    {.options = {.eager_bytes = 1000, .streams = true},
     .messages = {{0, 1, 5000, true, 0.005 + 0.020, 0.005 + 0.010}}},
    /* The word of a match comes behind the 30 ms of data that its rank had to send
     * before; a stream's acknowledgement waits for the two packets that have left the
     * connection.
     */
    {.messages = {{1, 0, 30000, false, 0, ANY}, {0, 1, 1000, true, 0.040, 0.011}}},
    {.options.streams = true,
     .messages = {{1, 0, 30000, false, 0, ANY},
                  {0, 1, 1000, true, 0.014 + 0.010, 0.011}}},
    /* Packets of 1000 bytes leave each 4 ms; over Open MPI's connections all at once. */
    {.pace = 2e6, .messages = {{0, 1, 10000, false, 0, 0.010 + 0.010}}},
    {.options.streams = true,
     .pace = 2e6,
     .messages = {{0, 1, 10000, false, 0, 0.032 + 0.002 + 0.010}}},
    /* What a rank computes delays what it does next. */
    {.computes = {0.5, 1.0}, .messages = {{0, 1, 1000, false, 0.5, 1.0}}},
    /* Two ranks per host: those of one host do not meet the link. */
    {.options = {.num_ranks = 4, .ranks_per_host = 2},
     .messages = {{0, 1, 1000, false, 0, 1e-6 + 8000 / 40e9},
                  {1, 3, 1000, false, 0, 0.011}}},
};

static void expect(const done_t *note, double seconds)
{
    ck_assert_int_eq(note->calls, 1);
    if (seconds != ANY) {
        unit_near(note->time, seconds);
    }
}

UNIT_EACH(test_times, cases)
{
    const int num = cases[_i].messages[1].bytes > 0 ? 2 : 1;
    mtree_pt2pt_options_t options = cases[_i].options;
    done_t sent[2], received[2];

    options.num_ranks = options.num_ranks > 0 ? options.num_ranks : one_each.num_ranks;
    options.ranks_per_host = options.ranks_per_host > 0 ? options.ranks_per_host : 1;
    options.unit_bytes = one_each.unit_bytes;
    make(options);
    if (cases[_i].pace > 0) {
        mtree_pt2pt_pace(pt2pt, 0, 1, cases[_i].pace);
    }
    for (int m = 0; m < num; m++) {
        recv(cases[_i].messages[m].to, cases[_i].messages[m].from, 0, NULL,
             cases[_i].messages[m].bytes, &received[m]);
    }
    mtree_pt2pt_compute(pt2pt, 0, cases[_i].computes[0]);
    for (int m = 0; m < num; m++) {
        send(cases[_i].messages[m].from, cases[_i].messages[m].to, 0, NULL,
             cases[_i].messages[m].bytes, cases[_i].messages[m].synchronous, &sent[m]);
        ck_assert_int_eq(sent[m].calls, 0);
    }
    mtree_pt2pt_compute(pt2pt, 1, cases[_i].computes[1]);
    run();
    for (int m = 0; m < num; m++) {
        expect(&sent[m], cases[_i].messages[m].sent);
        expect(&received[m], cases[_i].messages[m].received);
    }
    ck_assert_uint_eq(mtree_pt2pt_messages(pt2pt), (size_t)num);
}

typedef struct {
    mtree_timer_t event;
    done_t *note;
    uint32_t *word;
} late_t;

/* Messages that carry data. */
static void tell(int tag, const uint32_t *word, done_t *note)
{
    mtree_transport_t *transport = mtree_pt2pt_control(pt2pt, 0);

    unit_ok(
        transport->ops->send(transport, 1, tag, word, sizeof(*word), false, watch(note)));
}

static void hear(int tag, uint32_t *word, done_t *note)
{
    mtree_transport_t *transport = mtree_pt2pt_control(pt2pt, 1);

    unit_ok(transport->ops->recv(transport, 0, tag, word, sizeof(*word), watch(note)));
}

static void recv_late(mtree_timer_t *event)
{
    late_t *late = (late_t *)event;

    hear(7, late->word, late->note);
}

/*
 * First in, first out for a pair and a tag, whether the receive or the message is there
 * first; the bytes are those at the time of the send, although the buffer is used again.
 */
UNIT_TEST(test_matching)
{
    mtree_pt2pt_options_t options = one_each;
    uint32_t word = 1, got[4] = {0};
    done_t notes[8];
    late_t late;

    options.unit_bytes = sizeof(uint32_t);
    make(options);
    late = (late_t){.event.func = recv_late, .note = &notes[7], .word = &got[3]};
    hear(5, &got[2], &notes[0]);
    hear(7, &got[0], &notes[1]);
    hear(7, &got[1], &notes[2]);
    for (word = 1; word <= 3; word++) {
        tell(7, &word, &notes[2 + word]);
    }
    word = 4;
    tell(5, &word, &notes[6]);
    word = 99;
    mtree_event_queue_add(queue, &late.event, 1.0);
    run();
    ck_assert_int_eq(got[0], 1);
    ck_assert_int_eq(got[1], 2);
    ck_assert_int_eq(got[2], 4);
    ck_assert_int_eq(got[3], 3);
    unit_near(notes[7].time, 1.0);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(notes[i].calls, 1);
    }
}

UNIT_TEST(test_errors)
{
    mtree_transport_t *transport;
    static done_t note, sent, received; /* still under way when it is cleared */

    make(one_each);
    transport = mtree_pt2pt_transport(pt2pt, 0);
    unit_invalid(transport->ops->send(transport, 3, 0, NULL, 1, false, watch(&note)));
    unit_invalid(transport->ops->recv(transport, -1, 0, NULL, 1, watch(&note)));
    /* A receive of another length than the message's is a mistake of the schedule. */
    recv(1, 0, 0, NULL, 10, &received);
    send(0, 1, 0, NULL, 11, false, &sent);
    ck_assert_int_eq(mtree_event_queue_run(queue), MTREE_ERR_TRANSPORT);
}

UNIT_FIXTURE(NULL, clear)
