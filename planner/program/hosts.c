/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/program/hosts.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

/* Units of the vector: so many that parts of it are in proportion. */
#define UNITS ((size_t)1 << 20)

/* One host on its way through its program. */
typedef struct {
    mtree_program_t program;
    size_t at;
    double now;
    double *arrival; /* [num_steps] of what is sent */
    size_t *match;   /* [num_steps] of a receive: the step of its sender */
} host_t;

typedef struct {
    const mtree_program_hosts_t *of;
    int *self; /* [num_hosts] each its own number */
    host_t *hosts;
    mtree_arena_t arena;
} chain_t;

static void build_host(const mtree_program_hosts_t *hosts, const int *self, int host,
                       mtree_program_t *program)
{
    const mtree_program_job_t job = {.collective = hosts->collective,
                                     .root = hosts->root,
                                     .units = UNITS,
                                     .num_ranks = hosts->num_hosts,
                                     .num_hosts = hosts->num_hosts,
                                     .host = self,
                                     .order = hosts->order,
                                     .shape = hosts->shape,
                                     .leader = self,
                                     .rank = host,
                                     .parent = -1};

    *program = (mtree_program_t){.without_copies = true};
    mtree_program_build(hosts->kind, &job, program);
}

static int *number_hosts(mtree_arena_t *arena, int num_hosts)
{
    int *self;

    MTREE_ARENA_ARRAY(arena, self, (size_t)num_hosts);
    for (int host = 0; host < num_hosts; host++) {
        self[host] = host;
    }
    return self;
}

static void visit_sends(const mtree_program_t *program, int host,
                        mtree_program_visit_t visit, void *arg)
{
    for (size_t i = 0; i < program->num_steps; i++) {
        const mtree_step_t *step = &program->steps[i];

        if (step->kind == MTREE_STEP_SEND) {
            visit(arg, host, step->peer, (double)step->count / UNITS);
        }
    }
}

void mtree_program_messages(const mtree_program_hosts_t *hosts,
                            mtree_program_visit_t visit, void *arg)
{
    mtree_arena_t arena = {0};
    const int *self = number_hosts(&arena, hosts->num_hosts);

    for (int host = 0; host < hosts->num_hosts; host++) {
        mtree_program_t program;

        build_host(hosts, self, host, &program);
        visit_sends(&program, host, visit, arg);
        mtree_program_clear(&program);
    }
    mtree_arena_cleanup(&arena);
}

/* The first step from @a at on of what @a from sends to @a to. */
static size_t next_send(const host_t *from, size_t at, int to)
{
    while (from->program.steps[at].kind != MTREE_STEP_SEND ||
           from->program.steps[at].peer != to) {
        at++;
    }
    return at;
}

/* Find for each receive of @a to the step that sends it: between two hosts messages keep
 * their order.  @a next is zeros, [num_hosts]. */
static void match_receives(chain_t *chain, int to, size_t *next)
{
    host_t *host = &chain->hosts[to];

    for (size_t i = 0; i < host->program.num_steps; i++) {
        const mtree_step_t *step = &host->program.steps[i];

        if (step->kind == MTREE_STEP_RECV) {
            host->match[i] = next_send(&chain->hosts[step->peer], next[step->peer], to);
            next[step->peer] = host->match[i] + 1;
        }
    }
}

/* Go on to the first message that has not been sent yet. */
static bool advance(chain_t *chain, int number, const mtree_routes_t *routes,
                    double overhead)
{
    host_t *host = &chain->hosts[number];
    const size_t before = host->at;

    for (; host->at < host->program.num_steps; host->at++) {
        const mtree_step_t *step = &host->program.steps[host->at], *waited;
        const host_t *sender;

        if (step->kind == MTREE_STEP_SEND) {
            host->arrival[host->at] =
                host->now + mtree_routes_latency(routes, number, step->peer) + overhead;
            continue;
        }
        waited = &host->program.steps[step->request];
        if (step->kind != MTREE_STEP_WAIT || waited->kind != MTREE_STEP_RECV) {
            continue;
        }
        sender = &chain->hosts[waited->peer];
        if (sender->at <= host->match[step->request]) {
            break;
        }
        host->now = fmax(host->now, sender->arrival[host->match[step->request]]);
    }
    return host->at > before;
}

static void build_all(chain_t *chain)
{
    const int num_hosts = chain->of->num_hosts;
    size_t *next;

    MTREE_ARENA_ARRAY(&chain->arena, next, (size_t)num_hosts);
    for (int h = 0; h < num_hosts; h++) {
        host_t *host = &chain->hosts[h];

        build_host(chain->of, chain->self, h, &host->program);
        MTREE_ARENA_ARRAY(&chain->arena, host->arrival, host->program.num_steps);
        MTREE_ARENA_ARRAY(&chain->arena, host->match, host->program.num_steps);
    }
    for (int h = 0; h < num_hosts; h++) {
        memset(next, 0, (size_t)num_hosts * sizeof(*next));
        match_receives(chain, h, next);
    }
}

double mtree_program_chain(const mtree_program_hosts_t *hosts,
                           const mtree_routes_t *routes, double overhead,
                           mtree_program_visit_t visit, void *arg)
{
    chain_t chain = {.of = hosts};
    double seconds = 0.0;
    bool moves = true;

    chain.self = number_hosts(&chain.arena, hosts->num_hosts);
    MTREE_ARENA_ARRAY(&chain.arena, chain.hosts, (size_t)hosts->num_hosts);
    build_all(&chain);
    for (int h = 0; h < hosts->num_hosts; h++) {
        visit_sends(&chain.hosts[h].program, h, visit, arg);
    }
    while (moves) {
        moves = false;
        for (int h = 0; h < hosts->num_hosts; h++) {
            moves = advance(&chain, h, routes, overhead) || moves;
        }
    }
    for (int h = 0; h < hosts->num_hosts; h++) {
        seconds = fmax(seconds, chain.hosts[h].now);
        mtree_program_clear(&chain.hosts[h].program);
    }
    mtree_arena_cleanup(&chain.arena);
    return seconds;
}
