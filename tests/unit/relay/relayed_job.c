/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/relay/relayed_job.h"
#include "tests/unit/runner.h"

#include "base/clock.h"
#include "relay/fold.h"
#include "tcp/socket.h"

/* Seconds that anything may take. */
#define PATIENCE 20.0

struct relayed_job job;

static mtree_status_t rank_send(mtree_transport_t *transport, int peer, int tag,
                                const void *buffer, size_t count, bool synchronous,
                                mtree_completion_t *done)
{
    relayed_rank_t *rank = (relayed_rank_t *)transport;
    mtree_tcp_key_t key = mtree_relay_call_key(&job.start);

    return mtree_tcp_send(mtree_tcp_session_begin(rank->peers[peer], &key, peer, 0, rank),
                          (uint32_t)tag, buffer, count * job.start.call.unit_bytes,
                          synchronous, done);
}

static mtree_status_t rank_recv(mtree_transport_t *transport, int peer, int tag,
                                void *buffer, size_t count, mtree_completion_t *done)
{
    relayed_rank_t *rank = (relayed_rank_t *)transport;
    mtree_tcp_key_t key = mtree_relay_call_key(&job.start);

    return mtree_tcp_recv(mtree_tcp_session_begin(rank->peers[peer], &key, peer, 0, rank),
                          (uint32_t)tag, buffer, count * job.start.call.unit_bytes, done);
}

static double rank_now(mtree_transport_t *transport)
{
    (void)transport;
    return mtree_clock_seconds();
}

static const mtree_transport_ops_t rank_ops = {
    .send = rank_send, .recv = rank_recv, .now = rank_now};

/* One tree: rank 0, the relays one below the other, the other ranks below the last. */
static mtree_plan_t *chain_plan(int ranks, int relays)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    static const char *const addresses[] = {"x:1", "y:2"};
    mtree_plan_t *plan =
        mtree_plan_create(MTREE_ALLREDUCE, "chain", ranks + relays, names, 1);

    unit_ok(mtree_plan_add_relays(plan, relays, addresses));
    plan->trees[0].rate = 1e9;
    plan->trees[0].share = 1;
    for (int r = 1; r < ranks; r++) {
        plan->trees[0].parent[r] = ranks + relays - 1;
    }
    for (int i = 0; i < relays; i++) {
        plan->trees[0].parent[ranks + i] = i == 0 ? 0 : ranks + i - 1;
    }
    return plan;
}

bool relayed_encrypts, relayed_cuts;
int relayed_most_peers;
size_t relayed_chunk;

int relayed_dial(int i, const mtree_relay_hello_t *hello, const mtree_tcp_secret_t *key)
{
    double now = mtree_clock_seconds();
    mtree_relay_dialer_t *dialer =
        mtree_relay_dialer_create(job.addresses[i], hello, key, now, PATIENCE);
    int answer, socket = -1;

    do {
        relayed_poll();
        answer = mtree_relay_dialer_poll(dialer, mtree_clock_seconds());
    } while (answer == 0);
    job.reason = dialer->reason;
    if (answer > 0) {
        socket = mtree_tcp_dialer_take(&dialer->attempts);
        ck_assert((dialer->key != NULL) == hello->is_encrypted);
        if (hello->is_encrypted) {
            job.tls_key = *dialer->key;
        }
        ck_assert_uint_gt(dialer->welcome.memory, 0);
    }
    mtree_relay_dialer_destroy(dialer);
    return socket;
}

void relayed_tell_plan(int i, uint32_t number)
{
    uint32_t peers[RELAYED_RANKS + RELAYED_RELAYS];
    unsigned char *bytes;
    size_t length;

    for (int r = 0; r < job.num_ranks; r++) {
        peers[r] = (uint32_t)r;
    }
    for (int j = 0; j < job.num_relays; j++) {
        peers[job.num_ranks + j] = MTREE_RELAY_IS_RELAY | (uint32_t)j;
        free(job.plan->relays[j]);
        job.plan->relays[j] = strdup(relayed_cuts ? "nowhere:1" : job.addresses[j]);
    }
    unit_ok(mtree_relay_plan_write(job.plan, number, job.num_ranks, job.placement->host,
                                   peers, &bytes, &length));
    unit_ok(mtree_relay_channel_send(&job.channels[i], MTREE_RELAY_PLAN, bytes, length));
    free(bytes);
}

int relayed_enter(int i, int number)
{
    const mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_DATA,
                                       .number = (uint32_t)number,
                                       .is_encrypted = relayed_encrypts,
                                       .job = job.id};
    int socket = relayed_dial(i, &hello, &job.key);

    ck_assert_msg(socket >= 0, "rank %d: %s", number, job.reason);
    return socket;
}

int relayed_connect(void)
{
    const mtree_address_t here = mtree_address_parse("127.0.0.1");
    int fd =
        mtree_tcp_socket_connect(NULL, &here, mtree_relay_server_port(job.servers[0]), 0);

    ck_assert_int_ge(fd, 0);
    while (mtree_tcp_socket_connected(fd) == 0) {}
    return fd;
}

mtree_relay_status_t relayed_status(void)
{
    mtree_relay_status_t status;

    mtree_relay_server_status(job.servers[0], &status);
    return status;
}

static void rank_create(int r)
{
    relayed_rank_t *rank = &job.ranks[r];
    int relay = r == 0 ? 0 : job.num_relays - 1, socket = relayed_enter(relay, r);

    rank->transport = (mtree_transport_t){.ops = &rank_ops};
    rank->rank = r;
    unit_ok(mtree_tcp_create(0, &rank->tcp));
    rank->peers[job.num_ranks + relay] =
        mtree_tcp_peer_create(rank->tcp, "the relay", 0, NULL);
    mtree_tcp_peer_connect(rank->peers[job.num_ranks + relay], socket,
                           relayed_encrypts ? &job.tls_key : NULL);
}

void relayed_create(int num_ranks, int num_relays, uint64_t memory)
{
    const int host[] = {0, 1, 2, 3};
    mtree_relay_options_t options = {
        .most_jobs = 1, .memory = memory, .traffic = {.most_peers = relayed_most_peers}};

    relayed_destroy();
    job.num_ranks = num_ranks;
    job.num_relays = num_relays;
    memset(job.secret.bytes, 7, sizeof(job.secret.bytes));
    unit_ok(mtree_crypto_draw(job.id.bytes, sizeof(job.id.bytes)));
    mtree_relay_job_key(&job.secret, &job.id, &job.key);
    options.secret = job.secret;
    job.plan = chain_plan(num_ranks, num_relays);
    unit_ok(mtree_placement_create_relayed(num_ranks, num_ranks + num_relays, num_relays,
                                           host, NULL, &job.placement));
    for (int i = 0; i < num_relays; i++) {
        mtree_relay_hello_t hello = {.purpose = MTREE_RELAY_CONTROL,
                                     .number = (uint32_t)i,
                                     .is_encrypted = relayed_encrypts,
                                     .job = job.id};
        int socket;

        unit_ok(mtree_relay_server_create(&options, &job.servers[i]));
        (void)snprintf(job.addresses[i], sizeof(job.addresses[i]), "127.0.0.1:%d",
                       mtree_relay_server_port(job.servers[i]));
        socket = relayed_dial(i, &hello, &job.key);
        ck_assert_msg(socket >= 0, "relay %d: %s", i, job.reason);
        mtree_relay_channel_init(&job.channels[i], socket,
                                 relayed_encrypts ? &job.tls_key : NULL);
    }
    for (int i = 0; i < num_relays; i++) {
        relayed_tell_plan(i, 1);
    }
    for (int r = 0; r < num_ranks; r++) {
        rank_create(r);
    }
}

void relayed_create_usual(void)
{
    relayed_create(2, 1, RELAYED_MEMORY);
}

static void operation_ended(mtree_operation_t *operation, mtree_status_t status,
                            void *arg)
{
    relayed_rank_t *rank = arg;

    (void)operation;
    rank->has_ended = true;
    if (status != MTREE_OK) {
        job.status = status;
    }
}

static void fold_add(void *arg, const void *a, const void *b, void *out, size_t count)
{
    (void)arg;
    mtree_relay_fold(MTREE_RELAY_INT32, MTREE_RELAY_SUM)(a, b, out, count);
}

static void rank_begin(int r)
{
    relayed_rank_t *rank = &job.ranks[r];
    const mtree_call_t *call = &job.start.call;
    bool reduces = mtree_collective_goes_up(call->collective);
    mtree_operation_data_t data = {.input = job.vectors.input[r],
                                   .output = job.vectors.output[r],
                                   .extent = (ptrdiff_t)call->unit_bytes,
                                   .span = call->unit_bytes,
                                   .fold = reduces ? fold_add : NULL};
    mtree_plan_part_t *part = mtree_plan_part_create(job.plan, r);

    unit_ok(mtree_layout_create(part, job.placement, call, r, &rank->layout));
    mtree_plan_part_destroy(part);
    rank->has_ended = false;
    mtree_operation_start(rank->layout, &rank->transport, &data, operation_ended, rank,
                          &rank->operation);
}

void relayed_begin(mtree_collective_t collective, int root, size_t units)
{
    bool reduces = mtree_collective_goes_up(collective);
    unsigned char bytes[MTREE_RELAY_START_BYTES];

    job.start =
        (mtree_relay_start_t){.plan = 1,
                              .number = job.start.number + 1,
                              .context = 5,
                              .call = {.collective = collective,
                                       .root = root,
                                       .units = reduces ? units : units * sizeof(int32_t),
                                       .unit_bytes = reduces ? sizeof(int32_t) : 1,
                                       .chunk_bytes = relayed_chunk},
                              .type = MTREE_RELAY_INT32,
                              .op = MTREE_RELAY_SUM};
    job.vectors = (vectors_t){
        .collective = collective, .root = root, .ranks = job.num_ranks, .units = units};
    for (int r = 1; r <= job.num_ranks; r++) {
        job.vectors.blocks[r] = units * (size_t)r / (size_t)job.num_ranks;
    }
    vectors_fill(&job.vectors);
    job.status = MTREE_OK;
    mtree_relay_start_write(&job.start, bytes);
    for (int i = 0; i < job.num_relays; i++) {
        (void)mtree_relay_channel_send(&job.channels[i], MTREE_RELAY_START, bytes,
                                       sizeof(bytes));
    }
    for (int r = 0; r < job.num_ranks; r++) {
        rank_begin(r);
    }
}

static void poll_rank(relayed_rank_t *rank)
{
    (void)mtree_tcp_poll(rank->tcp);
    (void)mtree_tcp_hand_out(rank->tcp);
}

void relayed_poll(void)
{
    for (int i = 0; i < job.num_relays; i++) {
        mtree_relay_message_t message;

        if (job.servers[i] != NULL) {
            mtree_relay_server_poll(job.servers[i], 0);
        }
        if (job.channels[i].socket > 0 &&
            mtree_relay_channel_poll(&job.channels[i], &message) > 0) {
            job.num_refused += message.kind == MTREE_RELAY_REFUSED;
            if (message.kind == MTREE_RELAY_UNREACHED) {
                ck_assert_uint_eq(message.length, MTREE_RELAY_UNREACHED_BYTES);
                ck_assert_int_eq(job.num_refused, 0);
                job.num_unreached++;
                job.unreached = message.bytes[3];
            }
        }
    }
    for (int r = 0; r < job.num_ranks; r++) {
        if (job.ranks[r].tcp != NULL) {
            poll_rank(&job.ranks[r]);
        }
    }
}

bool relayed_finish(void)
{
    double end = mtree_clock_seconds() + PATIENCE;
    int ended = 0;

    while (ended < job.num_ranks && mtree_clock_seconds() < end) {
        relayed_poll();
        ended = 0;
        for (int r = 0; r < job.num_ranks; r++) {
            ended += job.ranks[r].has_ended;
        }
    }
    return ended == job.num_ranks;
}

void relayed_kill(int i)
{
    mtree_relay_server_destroy(job.servers[i]);
    job.servers[i] = NULL;
}

void relayed_verify(void)
{
    unit_ok(job.status);
    for (int r = 0; r < job.num_ranks; r++) {
        vectors_verify(&job.vectors, r);
    }
}

void relayed_end(void)
{
    mtree_tcp_key_t key = mtree_relay_call_key(&job.start);

    for (int r = 0; r < job.num_ranks; r++) {
        relayed_rank_t *rank = &job.ranks[r];

        for (int i = 0; i < rank->layout->num_peers; i++) {
            mtree_tcp_session_end(rank->peers[rank->layout->peers[i].rank], &key,
                                  job.status != MTREE_OK);
        }
        poll_rank(rank);
        mtree_operation_free(rank->operation);
        mtree_layout_destroy(rank->layout);
    }
    vectors_free(&job.vectors);
}

void relayed_call(mtree_collective_t collective, int root, size_t units)
{
    relayed_begin(collective, root, units);
    ck_assert(relayed_finish());
    relayed_verify();
    relayed_end();
}

void relayed_refused_call(size_t units)
{
    relayed_begin(MTREE_ALLREDUCE, 0, units);
    while (job.num_refused == 0) {
        relayed_poll();
    }
    job.status = MTREE_ERR_TRANSPORT;
    relayed_end();
}

void relayed_destroy(void)
{
    for (int r = 0; r < job.num_ranks; r++) {
        mtree_tcp_destroy(job.ranks[r].tcp);
    }
    for (int i = 0; i < job.num_relays; i++) {
        mtree_relay_channel_cleanup(&job.channels[i]);
        mtree_relay_server_destroy(job.servers[i]);
    }
    mtree_placement_destroy(job.placement);
    mtree_plan_destroy(job.plan);
    memset(&job, 0, sizeof(job));
}
