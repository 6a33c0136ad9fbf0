/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/server.h"

#include "base/address.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "tcp/socket.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Jobs at most, whatever the user allows. */
#define MOST_JOBS 1024

/* Connections that one poll accepts. */
#define ACCEPTED 16

/* Seconds between two polls while there are dialers or deadlines. */
#define TIMED_POLL 0.02

/* Seconds between two lines about connections that were turned away. */
#define WARNING_INTERVAL 10.0

/* Seconds until the next connection is accepted after the system has refused one. */
#define REFUSED_PAUSE 0.1

/* Seconds that a greeting may take. */
#define GREETING_SECONDS 3.0

/* Bytes of an IPv6 address that name a network. */
#define NETWORK_BYTES 8

/* A connection whose peer has yet to prove that it knows the key of its job. */
typedef struct {
    int socket;
    mtree_address_t from; /* of IPv6 the network, since a host there has many addresses */
    double deadline;
    mtree_tcp_piece_t received;
    mtree_relay_hello_t hello;
    mtree_relay_greeting_t greeting;
} pending_t;

struct mtree_relay_server {
    mtree_relay_options_t options;
    mtree_relay_shared_t shared;
    int socket, waker;
    uint16_t port;
    int num_pending;
    pending_t pending[MTREE_RELAY_PENDING];
    mtree_list_t jobs;
    int num_jobs;
    uint64_t jobs_so_far, turned_away;
    double accepts; /* clock from which on connections are accepted */
    double warned;  /* clock of the last line about a connection turned away */
};

mtree_status_t mtree_relay_server_create(const mtree_relay_options_t *options,
                                         mtree_relay_server_t **server_p)
{
    mtree_relay_server_t *server = mtree_calloc(1, sizeof(*server));

    server->options = *options;
    if (server->options.most_jobs > MOST_JOBS) {
        server->options.most_jobs = MOST_JOBS;
    }
    server->shared.memory.most = (size_t)options->memory;
    server->shared.traffic = options->traffic;
    server->warned = -WARNING_INTERVAL;
    mtree_list_init(&server->jobs);
    server->socket = mtree_tcp_socket_listen(&options->ports, &server->port);
    if (server->socket < 0) {
        mtree_error("relay: port %d is not free", (int)options->ports.first);
        free(server);
        return MTREE_ERR_IO;
    }
    server->waker = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (server->waker < 0 || mtree_tcp_create(0, &server->shared.tcp) != MTREE_OK) {
        (void)close(server->waker);
        mtree_tcp_socket_close(server->socket);
        free(server);
        return MTREE_ERR_IO;
    }
    *server_p = server;
    return MTREE_OK;
}

uint16_t mtree_relay_server_port(const mtree_relay_server_t *server)
{
    return server->port;
}

void mtree_relay_server_set_secret(mtree_relay_server_t *server,
                                   const mtree_relay_key_t *secret)
{
    server->options.secret = *secret;
}

void mtree_relay_server_wake(mtree_relay_server_t *server)
{
    (void)eventfd_write(server->waker, 1);
}

/* Where connections of a socket come from that count together. */
static mtree_address_t source_of(int socket)
{
    mtree_address_t address = mtree_tcp_socket_peer(socket);
    struct in6_addr in;

    memcpy(&in, address.bytes, sizeof(in));
    if (address.family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&in)) {
        memset(address.bytes + NETWORK_BYTES, 0, sizeof(address.bytes) - NETWORK_BYTES);
    }
    return address;
}

/* Challenge who connects over @a socket.  False: the socket does not take it, or the
 * kernel gives no random bytes. */
static bool pending_init(pending_t *pending, int socket, double now)
{
    unsigned char bytes[MTREE_RELAY_CHALLENGE];

    *pending = (pending_t){
        .socket = socket, .from = source_of(socket), .deadline = now + GREETING_SECONDS};
    mtree_tcp_piece_expect(&pending->received, MTREE_RELAY_PROVED);
    if (mtree_crypto_draw(pending->greeting.nonce, MTREE_RELAY_NONCE) != MTREE_OK) {
        return false;
    }
    mtree_relay_magic_write(bytes);
    memcpy(bytes + MTREE_RELAY_MAGIC, pending->greeting.nonce, MTREE_RELAY_NONCE);
    return mtree_tcp_socket_send(socket, bytes, sizeof(bytes));
}

/* Read what has come.  1: the peer has proved that it knows the key; 0: not yet; -1: it
 * will not, for *reason_p, and one of another key was sent a welcome of zeros: it hears
 * nothing from which the secret could be guessed. */
static int pending_greet(pending_t *pending, const mtree_relay_key_t *secret, double now,
                         const char **reason_p)
{
    mtree_relay_greeting_t *greeting = &pending->greeting;
    const unsigned char *bytes = pending->received.bytes;
    const unsigned char no_welcome[MTREE_RELAY_WELCOME] = {0};
    int received = mtree_tcp_piece_receive(&pending->received, pending->socket);

    *reason_p = pending->received.count < MTREE_RELAY_MAGIC
                    ? NULL
                    : mtree_relay_magic_fault(bytes);
    if (*reason_p != NULL) {
        return -1;
    }
    if (received <= 0) {
        *reason_p = received == 0
                        ? "its greeting did not come in time"
                        : "it closed the connection before its greeting was complete";
        return received < 0 || now > pending->deadline ? -1 : 0;
    }
    if (mtree_relay_hello_read(bytes, &pending->hello) != MTREE_OK) {
        *reason_p = "it sent no greeting of mtree";
        return -1;
    }
    memcpy(greeting->hello, bytes, MTREE_RELAY_HELLO);
    mtree_relay_job_key(secret, &pending->hello.job, &greeting->key);
    if (!mtree_relay_hello_is_proved(greeting, bytes)) {
        *reason_p = "it has another secret";
        (void)mtree_tcp_socket_send(pending->socket, no_welcome, sizeof(no_welcome));
        return -1;
    }
    return 1;
}

/* The last word to who has proved it; false: the socket does not take it. */
static bool pending_welcome(const pending_t *pending, mtree_relay_answer_t what,
                            uint64_t memory)
{
    const mtree_relay_welcome_t welcome = {what, memory};
    unsigned char bytes[MTREE_RELAY_WELCOME];

    mtree_relay_welcome_write(&pending->greeting, &welcome, bytes);
    return mtree_tcp_socket_send(pending->socket, bytes, sizeof(bytes));
}

/* Of @a num connections, the oldest first, the oldest one from where most come. */
static int pending_dispensable(const pending_t *pending, int num)
{
    int most = 0, dispensable = 0;

    for (int i = 0; i < num; i++) {
        int count = 0;

        for (int j = 0; j < num; j++) {
            count += mtree_address_equals(&pending[j].from, &pending[i].from);
        }
        if (count > most) {
            most = count;
            dispensable = i;
        }
    }
    return dispensable;
}

static mtree_relay_job_t *find_job(const mtree_relay_server_t *server,
                                   const mtree_relay_job_id_t *id)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &server->jobs)
    {
        mtree_relay_job_t *job = MTREE_CONTAINER_OF(link, mtree_relay_job_t, link);

        if (memcmp(&job->peers.hello.job, id, sizeof(*id)) == 0) {
            return job;
        }
    }
    return NULL;
}

static void end_job(mtree_relay_server_t *server, mtree_relay_job_t *job)
{
    server->num_jobs--;
    mtree_relay_job_destroy(job);
}

static const char *name_of(int socket, char name[MTREE_ADDRESS_LENGTH])
{
    const mtree_address_t address = mtree_tcp_socket_peer(socket);

    return mtree_address_format(&address, name);
}

/* Its proof is right: begin a job, or give the connection to its job.  False: the socket
 * is to be closed. */
static bool admit(mtree_relay_server_t *server, const pending_t *pending)
{
    mtree_relay_job_t *job = find_job(server, &pending->hello.job);
    bool begins = pending->hello.purpose == MTREE_RELAY_CONTROL;
    bool is_encrypted = pending->hello.is_encrypted;
    mtree_tls_key_t key;
    char name[MTREE_ADDRESS_LENGTH];

    /* All of a job is encrypted, or nothing. */
    if (begins == (job != NULL) ||
        (job != NULL && job->peers.hello.is_encrypted != is_encrypted)) {
        (void)pending_welcome(pending, MTREE_RELAY_UNKNOWN, 0);
        return false;
    }
    if (begins && server->num_jobs >= server->options.most_jobs) {
        (void)pending_welcome(pending, MTREE_RELAY_FULL, 0);
        return false;
    }
    if (!pending_welcome(pending, MTREE_RELAY_WELCOMED, server->shared.memory.most)) {
        return false;
    }
    mtree_relay_tls_key(&pending->greeting, true, &key);
    (void)name_of(pending->socket, name);
    if (!begins) {
        return mtree_relay_peers_connect(&job->peers, pending->hello.number,
                                         pending->socket, is_encrypted ? &key : NULL,
                                         name);
    }
    job = mtree_relay_job_create(&server->shared, &pending->hello, &pending->greeting.key,
                                 pending->socket, is_encrypted ? &key : NULL, name);
    mtree_list_append(&server->jobs, &job->link);
    server->num_jobs++;
    server->jobs_so_far++;
    return true;
}

/* Forget connection @a i, whose socket is closed or another's. */
static void pending_forget(mtree_relay_server_t *server, int i)
{
    server->num_pending--;
    memmove(&server->pending[i], &server->pending[i + 1],
            (size_t)(server->num_pending - i) * sizeof(pending_t));
}

/* Turn connection @a i away, for @a reason (NULL: it has heard why). */
static void pending_drop(mtree_relay_server_t *server, int i, const char *reason,
                         double now)
{
    const int socket = server->pending[i].socket;
    char name[MTREE_ADDRESS_LENGTH];

    server->turned_away += reason != NULL;
    if (reason != NULL && now > server->warned + WARNING_INTERVAL) {
        server->warned = now;
        mtree_warn("turned away %s: %s", name_of(socket, name), reason);
    }
    mtree_tcp_socket_close(socket);
    pending_forget(server, i);
}

/* Go on with the greeting of connection @a i. */
static void pending_poll(mtree_relay_server_t *server, int i, double now)
{
    pending_t *pending = &server->pending[i];
    const char *reason = NULL;
    int greeted = pending_greet(pending, &server->options.secret, now, &reason);

    if (greeted > 0 && admit(server, pending)) {
        pending_forget(server, i);
    } else if (greeted != 0) {
        pending_drop(server, i, reason, now);
    }
}

/* Without descriptors the system refuses at once, again and again. */
static void accept_connections(mtree_relay_server_t *server, double now)
{
    int socket = 0, accepted = 0;
    bool taken;

    while (now >= server->accepts && accepted++ < ACCEPTED &&
           (socket = mtree_tcp_socket_accept(server->socket)) >= 0) {
        if (server->num_pending == MTREE_RELAY_PENDING) {
            pending_drop(server,
                         pending_dispensable(server->pending, server->num_pending),
                         "too many connections have sent no greeting", now);
        }
        taken = pending_init(&server->pending[server->num_pending], socket, now);
        server->num_pending++;
        if (!taken) {
            pending_drop(server, server->num_pending - 1, "it takes no challenge", now);
        }
    }
    if (socket < 0 && (errno == EMFILE || errno == ENFILE)) {
        server->accepts = now + REFUSED_PAUSE;
    }
}

static void reap(mtree_relay_server_t *server)
{
    mtree_list_t *link;

    MTREE_LIST_FOR_EACH(link, &server->jobs)
    {
        mtree_relay_job_reap(MTREE_CONTAINER_OF(link, mtree_relay_job_t, link));
    }
}

static void poll_jobs(mtree_relay_server_t *server, double now)
{
    mtree_list_t *link, *next;

    MTREE_LIST_FOR_EACH_SAFE(link, next, &server->jobs)
    {
        mtree_relay_job_t *job = MTREE_CONTAINER_OF(link, mtree_relay_job_t, link);

        if (!mtree_relay_job_poll(job, now)) {
            end_job(server, job);
        }
    }
}

/* Until something happens, or @a seconds are over. */
static void sleep_until(const mtree_relay_server_t *server, double seconds)
{
    struct pollfd fds[MTREE_RELAY_PENDING + MOST_JOBS + 3];
    nfds_t count = 0;
    eventfd_t wakes;
    mtree_list_t *link;
    bool accepts = mtree_clock_seconds() >= server->accepts;
    bool is_timed = server->num_pending > 0 || !accepts;

    fds[count++] = (struct pollfd){.fd = accepts ? server->socket : -1, .events = POLLIN};
    fds[count++] = (struct pollfd){.fd = server->waker, .events = POLLIN};
    fds[count++] =
        (struct pollfd){.fd = mtree_tcp_descriptor(server->shared.tcp), .events = POLLIN};
    for (int i = 0; i < server->num_pending; i++) {
        fds[count++] = (struct pollfd){.fd = server->pending[i].socket, .events = POLLIN};
    }
    MTREE_LIST_FOR_EACH(link, &server->jobs)
    {
        const mtree_relay_job_t *job = MTREE_CONTAINER_OF(link, mtree_relay_job_t, link);

        is_timed = is_timed || mtree_relay_job_is_timed(job);
        seconds = job->has_more ? 0 : seconds;
        fds[count++] = (struct pollfd){.fd = job->channel.socket, .events = POLLIN};
    }
    seconds = fmin(seconds, mtree_tcp_patience(server->shared.tcp));
    seconds = is_timed ? fmin(seconds, TIMED_POLL) : seconds;
    (void)poll(fds, count, (int)ceil(1000 * seconds));
    (void)eventfd_read(server->waker, &wakes);
}

void mtree_relay_server_poll(mtree_relay_server_t *server, double seconds)
{
    double now = mtree_clock_seconds();

    accept_connections(server, now);
    for (int i = server->num_pending - 1; i >= 0; i--) {
        pending_poll(server, i, now);
    }
    poll_jobs(server, now);
    if (mtree_tcp_poll(server->shared.tcp) + mtree_tcp_hand_out(server->shared.tcp) ==
        0) {
        sleep_until(server, seconds);
    }
    while (mtree_tcp_hand_out(server->shared.tcp) > 0) {}
    reap(server);
}

void mtree_relay_server_status(const mtree_relay_server_t *server,
                               mtree_relay_status_t *status)
{
    mtree_list_t *link;

    *status = (mtree_relay_status_t){.jobs = server->num_jobs,
                                     .pending = server->num_pending,
                                     .memory = server->shared.memory.used,
                                     .jobs_so_far = server->jobs_so_far,
                                     .turned_away = server->turned_away,
                                     .done = server->shared.done};
    MTREE_LIST_FOR_EACH(link, &server->jobs)
    {
        const mtree_relay_job_t *job = MTREE_CONTAINER_OF(link, mtree_relay_job_t, link);

        status->calls += job->num_calls;
        status->peers += job->peers.count;
        status->memory += job->peers.budget.used; /* what came before its call began */
    }
}

void mtree_relay_server_destroy(mtree_relay_server_t *server)
{
    if (server == NULL) {
        return;
    }
    while (!mtree_list_is_empty(&server->jobs)) {
        end_job(server, MTREE_CONTAINER_OF(server->jobs.next, mtree_relay_job_t, link));
    }
    for (int i = 0; i < server->num_pending; i++) {
        mtree_tcp_socket_close(server->pending[i].socket);
    }
    mtree_tcp_socket_close(server->socket);
    (void)close(server->waker);
    mtree_tcp_destroy(server->shared.tcp);
    explicit_bzero(&server->options.secret, sizeof(server->options.secret));
    free(server);
}
