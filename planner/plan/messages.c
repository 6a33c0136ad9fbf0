/* SPDX-License-Identifier: BSD-3-Clause */
#include "planner/plan/messages.h"

#include "planner/program/build.h"

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

static void list_sends(const mtree_program_t *program, int host, mtree_arena_t *arena,
                       mtree_messages_t *messages)
{
    for (size_t i = 0; i < program->num_steps; i++) {
        const mtree_step_t *step = &program->steps[i];

        if (step->kind == MTREE_STEP_SEND) {
            mtree_message_t *message = MTREE_ARENA_APPEND(
                arena, messages->list, messages->count, messages->capacity);

            *message = (mtree_message_t){host, step->peer, (double)step->count / UNITS};
        }
    }
}

/* Build the programs, and list what they send.  Each host is the only rank, and so the
 * leader, of itself.  Without @a keep none stays. */
static host_t *build_hosts(const mtree_plan_t *plan, bool keep, mtree_arena_t *arena,
                           mtree_messages_t *messages)
{
    const mtree_program_kind_t kind = mtree_program_find(plan->algorithm);
    mtree_program_job_t job = {.collective = plan->collective,
                               .root = plan->root,
                               .units = UNITS,
                               .num_ranks = plan->num_hosts,
                               .num_hosts = plan->num_hosts,
                               .order = plan->order,
                               .shape = plan->shape,
                               .parent = -1};
    host_t *hosts;
    int *self;

    MTREE_ARENA_ARRAY(arena, self, (size_t)plan->num_hosts);
    MTREE_ARENA_ARRAY(arena, hosts, (size_t)plan->num_hosts);
    for (int host = 0; host < plan->num_hosts; host++) {
        self[host] = host;
    }
    job.host = job.leader = self;
    for (job.rank = 0; job.rank < plan->num_hosts; job.rank++) {
        mtree_program_t *program = &hosts[job.rank].program;

        program->without_copies = true;
        mtree_program_build(kind, &job, program);
        list_sends(program, job.rank, arena, messages);
        if (!keep) {
            mtree_program_clear(program);
        }
    }
    return hosts;
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
static void match_receives(host_t *hosts, int to, size_t *next)
{
    host_t *host = &hosts[to];

    for (size_t i = 0; i < host->program.num_steps; i++) {
        const mtree_step_t *step = &host->program.steps[i];

        if (step->kind == MTREE_STEP_RECV) {
            host->match[i] = next_send(&hosts[step->peer], next[step->peer], to);
            next[step->peer] = host->match[i] + 1;
        }
    }
}

/* Go on to the first message that has not been sent yet. */
static bool advance(host_t *hosts, int number, const mtree_routes_t *routes,
                    double overhead)
{
    host_t *host = &hosts[number];
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
        sender = &hosts[waited->peer];
        if (sender->at <= host->match[step->request]) {
            break;
        }
        host->now = fmax(host->now, sender->arrival[host->match[step->request]]);
    }
    return host->at > before;
}

static double longest_chain(host_t *hosts, int num_hosts, const mtree_routes_t *routes,
                            double overhead, mtree_arena_t *arena)
{
    double seconds = 0.0;
    bool moves = true;
    size_t *next;

    MTREE_ARENA_ARRAY(arena, next, (size_t)num_hosts);
    for (int h = 0; h < num_hosts; h++) {
        MTREE_ARENA_ARRAY(arena, hosts[h].arrival, hosts[h].program.num_steps);
        MTREE_ARENA_ARRAY(arena, hosts[h].match, hosts[h].program.num_steps);
        memset(next, 0, (size_t)num_hosts * sizeof(*next));
        match_receives(hosts, h, next);
    }
    while (moves) {
        moves = false;
        for (int h = 0; h < num_hosts; h++) {
            moves = advance(hosts, h, routes, overhead) || moves;
        }
    }
    for (int h = 0; h < num_hosts; h++) {
        seconds = fmax(seconds, hosts[h].now);
    }
    return seconds;
}

mtree_messages_t mtree_plan_program_messages(const mtree_plan_t *plan,
                                             const mtree_routes_t *routes,
                                             double overhead, mtree_arena_t *arena)
{
    mtree_messages_t messages = {0};
    host_t *hosts = build_hosts(plan, routes != NULL, arena, &messages);

    if (routes != NULL) {
        messages.chain = longest_chain(hosts, plan->num_hosts, routes, overhead, arena);
    }
    for (int h = 0; h < plan->num_hosts; h++) {
        mtree_program_clear(&hosts[h].program);
    }
    return messages;
}
