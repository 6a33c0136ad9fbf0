/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a peer may send over TCP.  Before each piece there are two bytes: the connection
 * that it comes on, and its length.  Whatever comes, messages end or wait, nothing is
 * written beyond what was received into, and all memory is freed.
 */
#include "tests/fuzz/fuzz.h"

#include "tcp/tcp.h"

#include <sys/socket.h>
#include <unistd.h>

enum { CONNECTIONS = 2, RECEIVES = 6, BYTES = 100 };

static int num_ended;

static void receive_ended(mtree_completion_t *self, mtree_status_t status)
{
    (void)self;
    (void)status;
    num_ended++;
}

static void poll_all(mtree_tcp_t *tcp)
{
    (void)mtree_tcp_poll(tcp);
    (void)mtree_tcp_hand_out(tcp);
}

/* What is left when the peer has failed is for nobody. */
static void feed(mtree_tcp_t *tcp, const int *sockets, const uint8_t *data, size_t size)
{
    while (size >= 2) {
        size_t length = data[1] < size - 2 ? data[1] : size - 2;

        (void)send(sockets[data[0] % CONNECTIONS], data + 2, length,
                   MSG_NOSIGNAL | MSG_DONTWAIT);
        poll_all(tcp);
        data += 2 + length;
        size -= 2 + length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const mtree_tcp_key_t key = {1, 2, 3};
    mtree_completion_t done[RECEIVES];
    char *bytes[RECEIVES];
    int mine[CONNECTIONS], theirs[CONNECTIONS], num_begun = 0;
    mtree_tcp_session_t *session;
    mtree_tcp_peer_t *peer;
    mtree_tcp_t *tcp;

    fuzz_start();
    for (int i = 0; i < CONNECTIONS; i++) {
        int pair[2];

        fuzz_expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
        mine[i] = pair[0];
        theirs[i] = pair[1];
    }
    fuzz_expect(mtree_tcp_create(0, &tcp) == MTREE_OK);
    peer = mtree_tcp_peer_create(tcp, "the peer", 0, NULL);
    for (int i = 0; i < CONNECTIONS; i++) {
        mtree_tcp_peer_connect(peer, mine[i], NULL);
    }
    session = mtree_tcp_session_begin(peer, &key, 0, 0, NULL);
    num_ended = 0;
    for (int i = 0; i < RECEIVES; i++) {
        bytes[i] = malloc(BYTES);
        done[i].func = receive_ended;
        num_begun += mtree_tcp_recv(session, (uint32_t)i / 3, bytes[i], BYTES,
                                    &done[i]) == MTREE_OK;
    }
    feed(tcp, theirs, data, size);
    for (int i = 0; i < CONNECTIONS; i++) {
        (void)close(theirs[i]);
    }
    poll_all(tcp);
    /* Both connections are closed by now. */
    fuzz_expect(num_ended == num_begun);
    mtree_tcp_destroy(tcp);
    for (int i = 0; i < RECEIVES; i++) {
        free(bytes[i]);
    }
    return 0;
}
