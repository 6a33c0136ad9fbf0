/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/server.h"

#include "base/address.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "tcp/socket.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Jobs at most, whatever the user allows. */
#define MOST_JOBS 1024

/* Seconds between two polls while there are dialers or deadlines. */
#define TIMED_POLL 0.02

/* Seconds between two lines about connections that were turned away. */
#define WARNING_INTERVAL 10.0

/* Seconds that a greeting may take. */
#define GREETING_SECONDS 3.0

struct mtree_relay_server {
    mtree_relay_options_t options;
    mtree_relay_shared_t shared;
    mtree_tcp_listener_t *listener;
    int waker;
    mtree_list_t jobs;
    int num_jobs;
    uint64_t jobs_so_far, turned_away;
    double warned; /* clock of the last line about a connection turned away */
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
    server->waker = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    server->listener = mtree_tcp_listener_create(&options->ports);
    if (server->listener == NULL) {
        mtree_error("relay: port %d is not free", (int)options->ports.first);
    }
    if (server->listener == NULL || server->waker < 0 ||
        mtree_tcp_create(0, &server->shared.tcp) != MTREE_OK) {
        mtree_relay_server_destroy(server);
        return MTREE_ERR_IO;
    }
    *server_p = server;
    return MTREE_OK;
}

uint16_t mtree_relay_server_port(const mtree_relay_server_t *server)
{
    return mtree_tcp_listener_port(server->listener);
}

void mtree_relay_server_set_secret(mtree_relay_server_t *server,
                                   const mtree_tcp_secret_t *secret)
{
    server->options.secret = *secret;
}

void mtree_relay_server_wake(mtree_relay_server_t *server)
{
    (void)eventfd_write(server->waker, 1);
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

/* The key of the job that who dials names. */
static void find_secret(void *arg, const unsigned char said[MTREE_TCP_SAID],
                        mtree_tcp_secret_t *secret)
{
    const mtree_relay_server_t *server = arg;
    mtree_relay_hello_t hello;

    (void)mtree_relay_hello_read(said, &hello);
    mtree_relay_job_key(&server->options.secret, &hello.job, secret);
}

/* Answer who has proved the key of its job, @a job (NULL: there is none); false: it is to
 * be turned away. */
static bool welcome(const mtree_relay_server_t *server, mtree_tcp_greeting_t *greeting,
                    const mtree_relay_hello_t *hello, const mtree_relay_job_t *job,
                    int socket)
{
    const bool begins = hello->purpose == MTREE_RELAY_CONTROL;
    mtree_relay_welcome_t welcome = {MTREE_RELAY_WELCOMED, server->shared.memory.most};
    unsigned char said[MTREE_TCP_SAID];

    /* All of a job is encrypted, or nothing. */
    if (begins == (job != NULL) ||
        (job != NULL && job->peers.hello.is_encrypted != hello->is_encrypted)) {
        welcome = (mtree_relay_welcome_t){MTREE_RELAY_UNKNOWN, 0};
    } else if (begins && server->num_jobs >= server->options.most_jobs) {
        welcome = (mtree_relay_welcome_t){MTREE_RELAY_FULL, 0};
    }
    mtree_relay_welcome_write(&welcome, said);
    return mtree_tcp_answer_send(greeting, said, socket) &&
           welcome.answer == MTREE_RELAY_WELCOMED;
}

/* Begin a job, or give the connection to its job. */
static mtree_tcp_admission_t admit(void *arg, mtree_tcp_greeting_t *greeting, int socket)
{
    mtree_relay_server_t *server = arg;
    char name[MTREE_ADDRESS_LENGTH];
    mtree_relay_hello_t hello;
    mtree_relay_job_t *job;
    const mtree_tls_key_t *key;
    mtree_tls_key_t own_key;
    bool is_admitted = true;

    if (mtree_relay_hello_read(greeting->said, &hello) != MTREE_OK) {
        return MTREE_TCP_REFUSED;
    }
    job = find_job(server, &hello.job);
    if (!welcome(server, greeting, &hello, job, socket)) {
        return MTREE_TCP_REFUSED;
    }
    key = mtree_tcp_greeting_key(greeting, hello.is_encrypted ? &greeting->secret : NULL,
                                 false, &own_key);
    (void)name_of(socket, name);
    if (job != NULL) {
        is_admitted =
            mtree_relay_peers_connect(&job->peers, hello.number, socket, key, name);
    } else {
        job = mtree_relay_job_create(&server->shared, &hello, &greeting->secret, socket,
                                     key, name);
        mtree_list_append(&server->jobs, &job->link);
        server->num_jobs++;
        server->jobs_so_far++;
    }
    explicit_bzero(&own_key, sizeof(own_key));
    return is_admitted ? MTREE_TCP_ADMITTED : MTREE_TCP_REFUSED;
}

static void turn_away(void *arg, int socket, const char *reason)
{
    mtree_relay_server_t *server = arg;
    const double now = mtree_clock_seconds();
    char name[MTREE_ADDRESS_LENGTH];

    server->turned_away++;
    if (now > server->warned + WARNING_INTERVAL) {
        server->warned = now;
        mtree_warn("turned away %s: %s", name_of(socket, name), reason);
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
    struct pollfd fds[MTREE_TCP_STRANGERS + MOST_JOBS + 3];
    eventfd_t wakes;
    mtree_list_t *link;
    bool is_timed;
    int count =
        mtree_tcp_listener_wait(server->listener, mtree_clock_seconds(), fds, &is_timed);

    fds[count++] = (struct pollfd){.fd = server->waker, .events = POLLIN};
    fds[count++] =
        (struct pollfd){.fd = mtree_tcp_descriptor(server->shared.tcp), .events = POLLIN};
    MTREE_LIST_FOR_EACH(link, &server->jobs)
    {
        const mtree_relay_job_t *job = MTREE_CONTAINER_OF(link, mtree_relay_job_t, link);

        is_timed = is_timed || mtree_relay_job_is_timed(job);
        seconds = job->has_more ? 0 : seconds;
        fds[count++] = (struct pollfd){.fd = job->channel.socket, .events = POLLIN};
    }
    seconds = fmin(seconds, mtree_tcp_patience(server->shared.tcp));
    seconds = is_timed ? fmin(seconds, TIMED_POLL) : seconds;
    (void)poll(fds, (nfds_t)count, (int)ceil(1000 * seconds));
    (void)eventfd_read(server->waker, &wakes);
}

void mtree_relay_server_poll(mtree_relay_server_t *server, double seconds)
{
    const mtree_tcp_reception_t reception = {.arg = server,
                                             .seconds = GREETING_SECONDS,
                                             .find_secret = find_secret,
                                             .admit = admit,
                                             .turn_away = turn_away};
    double now = mtree_clock_seconds();

    mtree_tcp_listener_poll(server->listener, &reception, now);
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

    *status =
        (mtree_relay_status_t){.jobs = server->num_jobs,
                               .pending = mtree_tcp_listener_pending(server->listener),
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
    mtree_tcp_listener_destroy(server->listener);
    (void)close(server->waker);
    mtree_tcp_destroy(server->shared.tcp);
    explicit_bzero(&server->options.secret, sizeof(server->options.secret));
    free(server);
}
