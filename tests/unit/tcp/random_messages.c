/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/tcp/random_messages.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 400, MOST_SESSIONS = 2 };

typedef struct {
    loop_message_t sent, received;
    int session;
    uint32_t tag;
    size_t length;
    unsigned char *from, *to;
} passed_t;

static const random_messages_t *drawn;
static passed_t passed[2][MOST]; /* [end that sends] */
static int num_sent[2], num_posted[2];
static mtree_tcp_session_t *sessions[2][MOST_SESSIONS];
static unsigned long long state;

unsigned long random_draw(unsigned long below)
{
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (unsigned long)(state >> 33) % below;
}

void random_seed(int seed)
{
    state = (unsigned long long)seed + 1;
}

static unsigned char byte_of(int end, int message, size_t at)
{
    return (unsigned char)(at * 7 + at / 251 + (size_t)message * 13 + (size_t)end);
}

static size_t draw_length(void)
{
    static const unsigned long shorts[] = {1, 100};

    return random_draw(4) == 0 ? random_draw(shorts[random_draw(2)])
                               : random_draw(drawn->longest);
}

static void draw_message(int end, int i)
{
    passed_t *message = &passed[end][i];

    *message = (passed_t){.session = (int)random_draw((unsigned long)drawn->sessions),
                          .tag = (uint32_t)random_draw((unsigned long)drawn->tags),
                          .length = draw_length(),
                          .from = malloc(drawn->longest),
                          .to = calloc(1, drawn->longest)};
    for (size_t at = 0; at < message->length; at++) {
        message->from[at] = byte_of(end, i, at);
    }
}

void random_messages_begin(loop_t *loop, const random_messages_t *how)
{
    ck_assert(how->messages <= MOST && how->sessions <= MOST_SESSIONS);
    drawn = how;
    for (int end = 0; end < 2; end++) {
        num_sent[end] = num_posted[end] = 0;
        for (int i = 0; i < how->sessions; i++) {
            sessions[end][i] =
                loop_session(loop, end, &(mtree_tcp_key_t){1, 2, (uint32_t)i});
        }
        for (int i = 0; i < how->messages; i++) {
            draw_message(end, i);
        }
    }
}

static void spoil_sent(int end)
{
    for (int i = 0; i < num_sent[end]; i++) {
        passed_t *message = &passed[end][i];

        if (message->sent.has_ended && message->from != NULL) {
            unit_ok(message->sent.status);
            memset(message->from, 0xee, message->length);
            free(message->from);
            message->from = NULL;
        }
    }
}

void random_messages_step(void)
{
    int end = (int)random_draw(2);
    passed_t *message;

    if (random_draw(2) == 0 && num_sent[end] < drawn->messages) {
        message = &passed[end][num_sent[end]++];
        unit_ok(mtree_tcp_send(sessions[end][message->session], message->tag,
                               message->from, message->length, random_draw(2) == 0,
                               loop_begin(&message->sent)));
    } else if (num_posted[1 - end] < drawn->messages) {
        message = &passed[1 - end][num_posted[1 - end]++];
        unit_ok(mtree_tcp_recv(sessions[end][message->session], message->tag, message->to,
                               drawn->longest, loop_begin(&message->received)));
    }
    spoil_sent(0);
    spoil_sent(1);
}

bool random_messages_have_ended(void)
{
    for (int i = 0; i < 2 * drawn->messages; i++) {
        const passed_t *message = &passed[i % 2][i / 2];

        if (!message->sent.has_ended || !message->received.has_ended) {
            return false;
        }
    }
    return true;
}

static void verify(int end, int i)
{
    passed_t *message = &passed[end][i];
    size_t at = 0;

    unit_ok(message->sent.status);
    unit_ok(message->received.status);
    ck_assert(message->received.done.empty == (message->length == 0));
    while (at < message->length && message->to[at] == byte_of(end, i, at)) {
        at++;
    }
    ck_assert_uint_eq(at, message->length);
    free(message->from);
    free(message->to);
}

void random_messages_verify(void)
{
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < drawn->messages; i++) {
            verify(end, i);
        }
        for (int i = 0; i < drawn->sessions; i++) {
            mtree_tcp_session_end(sessions[end][i]);
        }
    }
}
