/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree relay: forward and combine what calls of jobs send through this host.
 */
#include "relay/server.h"
#include "tools/options.h"

#include "base/clock.h"
#include "base/log.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#define DEFAULT_PORT   7471
#define DEFAULT_JOBS   8
#define DEFAULT_MEMORY ((size_t)1 << 30)

/* Descriptors that are no job's. */
#define OWN_DESCRIPTORS (MTREE_TCP_STRANGERS + 32)

/* Seconds of the longest sleep. */
#define SLEEP 0.5

typedef struct {
    int port, jobs;
    const char *secret;
    size_t memory;
    double rate, status;
    bool json;
} arguments_t;

static volatile sig_atomic_t is_over;

static void note_signal(int number)
{
    (void)number;
    is_over = 1;
}

static void print_status(const mtree_relay_server_t *server, bool with_json)
{
    mtree_relay_status_t status;

    mtree_relay_server_status(server, &status);
    if (with_json) {
        (void)command_print_json(
            json_pack("{s:i, s:i, s:i, s:i, s:i, s:I, s:I, s:I, s:I, s:I, s:I}", "port",
                      (int)mtree_relay_server_port(server), "jobs", status.jobs, "calls",
                      status.calls, "peers", status.peers, "pending", status.pending,
                      "memory", (json_int_t)status.memory, "jobs_so_far",
                      (json_int_t)status.jobs_so_far, "calls_so_far",
                      (json_int_t)status.done.calls, "bytes_so_far",
                      (json_int_t)status.done.bytes, "failed_so_far",
                      (json_int_t)status.done.failed, "turned_away",
                      (json_int_t)status.turned_away),
            stdout);
    } else {
        printf("port %d: %d jobs (%" PRIu64 " so far), %d peers; calls: %d under way, "
               "%" PRIu64 " done, %" PRIu64 " failed; %" PRIu64 " bytes in use; "
               "%" PRIu64 " connections turned away\n",
               (int)mtree_relay_server_port(server), status.jobs, status.jobs_so_far,
               status.peers, status.calls, status.done.calls, status.done.failed,
               status.memory, status.turned_away);
    }
    (void)fflush(stdout);
}

/* Until a signal ends it. */
static void serve(mtree_relay_server_t *server, const arguments_t *arguments)
{
    double next =
        mtree_clock_seconds() + (arguments->status > 0 ? arguments->status : INFINITY);

    print_status(server, arguments->json);
    while (!is_over) {
        mtree_relay_server_poll(server,
                                fmin(SLEEP, fmax(0, next - mtree_clock_seconds())));
        if (mtree_clock_seconds() >= next) {
            next += arguments->status;
            print_status(server, arguments->json);
        }
    }
    print_status(server, arguments->json);
}

/* Open as many files as the system lets, and share them evenly: connections of each of
 * @a jobs jobs. */
static int share_descriptors(int jobs)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return 0;
    }
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    return (int)fmax(1, fmin(INT_MAX, ((double)limit.rlim_cur - OWN_DESCRIPTORS) / jobs));
}

static void run_relay(const arguments_t *arguments)
{
    const struct sigaction action = {.sa_handler = note_signal};
    mtree_relay_options_t options = {
        .ports = {(uint16_t)arguments->port, (uint16_t)arguments->port},
        .most_jobs = arguments->jobs,
        .memory = arguments->memory,
        .traffic = {.most_peers = share_descriptors(arguments->jobs),
                    .rate = arguments->rate}};
    mtree_relay_server_t *server;

    command_must(mtree_relay_secret_read(arguments->secret, &options.secret));
    mtree_log_set(NULL, NULL, MTREE_LOG_INFO);
    command_must(mtree_relay_server_create(&options, &server));
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
    serve(server, arguments);
    mtree_relay_server_destroy(server);
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"secret", 's', OPTION_TEXT, offsetof(arguments_t, secret), .argument = "FILE",
         .help = "secret that jobs must know; only its owner may read the file"},
        {"port", 'p', OPTION_WHOLE, offsetof(arguments_t, port), .argument = "N",
         .help = "port to listen on (default 7471); 0: any free one, which the first "
                 "line names",
         .most = 65535},
        {"jobs", 'n', OPTION_WHOLE, offsetof(arguments_t, jobs), .argument = "N",
         .help = "jobs at a time (default 8); more are refused", .least = 1,
         .most = 1024},
        {"memory", 'm', OPTION_SIZE, offsetof(arguments_t, memory), .argument = "SIZE",
         .help = "memory of all calls under way (default 1G); more are refused",
         .example = "256M", .not_zero = true},
        {"rate", 'r', OPTION_RATE, offsetof(arguments_t, rate), .argument = "RATE",
         .help = "bits/s to each peer at most (default: no limit)", .example = "1Gbps"},
        {"status", 'S', OPTION_TIME, offsetof(arguments_t, status), .argument = "TIME",
         .help = "time between two lines of status (default: one at each end)",
         .example = "10s"},
        {"json", 'j', OPTION_FLAG, offsetof(arguments_t, json),
         .help = "print the status as JSON, one object per line"},
        {0}};
    arguments_t arguments = {
        .port = DEFAULT_PORT, .jobs = DEFAULT_JOBS, .memory = DEFAULT_MEMORY};
    const option_group_t groups[] = {{options, .data = &arguments}, {0}};

    options_parse(&command_relay, groups, argc, argv);
    if (arguments.secret == NULL) {
        return command_misuse(&command_relay, "--secret FILE is needed");
    }
    run_relay(&arguments);
    return COMMAND_OK;
}

const command_t command_relay = {
    .name = "relay",
    .summary = "forward and combine for jobs that run elsewhere",
    .usage = "--secret FILE [OPTION]...",
    .help = "Serve jobs that know the secret, on a host on which none of their processes "
            "run,\n"
            "until a signal ends it. The topology file of a job names the host's vertex "
            "with\n"
            "relay=\"host:port\". The beginning and end of each job are logged.\n",
    .examples = {"mtree relay --secret ~/.mtree/secret",
                 "mtree relay --secret secret --port 7000 --rate 1Gbps"},
    .needs = "it takes options alone",
    .run = run,
};
