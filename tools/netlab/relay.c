/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netlab_relay: the latency, jitter and loss of a lab's links.
 *
 * netlab(1) splits each link that has one of them into two veth pairs.  Their inner ends
 * are in the namespace of this process, which holds every packet that arrives at one for
 * the link's latency and sends it out at the other.  The outer ends are shaped, so no
 * more arrives than the link carries.  The kernel's time stamps give each packet's time
 * of arrival, so it leaves in time even if this process was busy or not scheduled then.
 *
 * It uses packet sockets, since tap devices need /dev/net/tun, which only root may open
 * on many machines.  Packets keep their offload header, so that unfinished checksums and
 * large segments pass as they are.
 *
 * Standard input: a line "DEVICE DEVICE NANOSECONDS BITS_PER_SECOND LOSS REORDER JITTER"
 * for each link, then an empty line.  LOSS and REORDER are the parts of its packets, 0 to
 * 1, that are lost or leave before others that arrived earlier, JITTER the most
 * nanoseconds that a packet takes beyond the latency.  Answers "ready" and runs until
 * standard input ends.
 */
#include "config/mtree_config.h"

#include "base/array.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/status.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <malloc.h>
#include <net/if.h>
#include <sched.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NANOSECONDS      INT64_C(1000000000)
#define LONGEST_PACKET   (65536 + 64 + sizeof(struct virtio_net_hdr))
#define SPARE_BYTES      (1 << 20)
#define RECEIVE_BATCH    32
#define SEND_BATCH       32
#define LONGEST_AGE_NS   NANOSECONDS
#define DRAW_PERIOD_NS   10000000 /* the shortest between two draws of a jitter */
#define SOCKET_BUFFER    (4 << 20)
#define EVENT_BATCH      64
#define MAX_LINE         512
#define TICKS_PER_DELAY  8 /* of the shortest delay */
#define LONGEST_TICK_NS  500000
#define SHORTEST_TICK_NS 200000 /* a wake-up costs several microseconds */

/* What happens to the packets of a link.  Times are ns. */
typedef struct {
    int64_t delay;
    int64_t jitter; /* the most that a packet takes beyond the delay */
    double rate;    /* bits/s that arrive at most */
    double loss,
        reorder; /* the parts of packets that are lost, and that overtake others */
} conditions_t;

/*
 * What a direction adds to its delay: it moves evenly from one draw to the next, over at
 * least twice the largest jitter, so packets keep their order.
 */
typedef struct {
    int64_t since; /* when it was `from`; `to` one period later */
    int64_t from, to;
} jitter_t;

/* A packet on its way. */
typedef struct packet {
    struct packet *next;
    int64_t due; /* CLOCK_MONOTONIC, ns */
    size_t length;
    char bytes[];
} packet_t;

/* One direction of a link. */
typedef struct {
    int in, out; /* packet sockets */
    conditions_t conditions;
    jitter_t jitter;
    mtree_random_t random;  /* the same losses in each lab */
    packet_t *first, *last; /* in the order of their time */
    size_t held, most;      /* bytes of them */
} direction_t;

typedef struct {
    direction_t *directions;
    int num_directions, direction_room;
    int epoll;
    int64_t tick; /* between two rounds over all directions, ns */
} relay_t;

/* When the packet that @a message received arrived, CLOCK_MONOTONIC ns; @a wall_lag is
 * CLOCK_REALTIME minus that. */
static int64_t arrival_time(int64_t wall_lag, struct msghdr *message, int64_t now)
{
    struct cmsghdr *control = CMSG_FIRSTHDR(message);
    struct timespec stamp;
    int64_t arrival;

    if (control == NULL || control->cmsg_type != SCM_TIMESTAMPNS) {
        return now;
    }
    memcpy(&stamp, CMSG_DATA(control), sizeof(stamp));
    arrival = stamp.tv_sec * NANOSECONDS + stamp.tv_nsec - wall_lag;
    /* A wall clock that was set meanwhile must not hold packets back or send them at
     * once. */
    return (arrival > now || arrival < now - LONGEST_AGE_NS) ? now : arrival;
}

/* What a packet of @a direction that arrives at @a now takes beyond the latency. */
static int64_t direction_jitter(direction_t *direction, int64_t now)
{
    const int64_t most = direction->conditions.jitter;
    const int64_t period = 2 * most < DRAW_PERIOD_NS ? DRAW_PERIOD_NS : 2 * most;
    jitter_t *jitter = &direction->jitter;

    if (most == 0) {
        return 0;
    }
    if (now >= jitter->since + period) {
        /* After a pause nothing is on its way that could be overtaken. */
        jitter->since = now < jitter->since + 2 * period ? jitter->since + period : now;
        jitter->from = jitter->to;
        jitter->to = (int64_t)(mtree_random_fraction(&direction->random) * (double)most);
    }
    return jitter->from + (int64_t)((double)(jitter->to - jitter->from) *
                                    (double)(now - jitter->since) / (double)period);
}

/* @a seed tells directions apart. */
static direction_t direction_of(int in, int out, const conditions_t *conditions,
                                uint64_t seed)
{
    const double seconds =
        (double)(conditions->delay + conditions->jitter) / (double)NANOSECONDS;
    direction_t direction = {.in = in, .out = out, .conditions = *conditions};

    /* Twice what is in flight, since small packets have as much overhead as data. */
    direction.most = (size_t)(2 * conditions->rate / 8 * seconds) + SPARE_BYTES;
    mtree_random_init(&direction.random, seed);
    return direction;
}

/* Keep @a packet until it is due, unless it is lost; more than fits is dropped, as by any
 * full queue. */
static void direction_keep(direction_t *direction, packet_t *packet)
{
    const size_t bytes = sizeof(*packet) + packet->length;

    if (direction->held + bytes > direction->most ||
        (direction->conditions.loss > 0 &&
         mtree_random_fraction(&direction->random) < direction->conditions.loss)) {
        free(packet);
        return;
    }
    packet->due += direction->conditions.delay + direction_jitter(direction, packet->due);
    packet = mtree_realloc(packet, bytes);
    packet->next = NULL;
    *(direction->first == NULL ? &direction->first : &direction->last->next) = packet;
    direction->last = packet;
    direction->held += bytes;
}

/* Receive what has arrived at @a now. */
static void direction_receive(direction_t *direction, int64_t wall_lag, int64_t now)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct timespec))];

    for (int i = 0; i < RECEIVE_BATCH; i++) {
        packet_t *packet = mtree_malloc(sizeof(*packet) + LONGEST_PACKET);
        struct iovec vector = {.iov_base = packet->bytes, .iov_len = LONGEST_PACKET};
        struct msghdr message = {.msg_iov = &vector,
                                 .msg_iovlen = 1,
                                 .msg_control = control,
                                 .msg_controllen = sizeof(control)};
        ssize_t length = recvmsg(direction->in, &message, 0);

        if (length < 0) {
            free(packet);
            return;
        }
        packet->length = (size_t)length;
        packet->due = arrival_time(wall_lag, &message, now);
        direction_keep(direction, packet);
    }
}

/* Have the last of @a count packets that leave together leave first. */
static void direction_reorder(direction_t *direction, struct iovec *vectors, int count)
{
    if (count > 1 &&
        mtree_random_fraction(&direction->random) < direction->conditions.reorder) {
        struct iovec last = vectors[count - 1];

        memmove(vectors + 1, vectors, (size_t)(count - 1) * sizeof(*vectors));
        vectors[0] = last;
    }
}

/* Take the next packets that are due up to @a until; how many, at most SEND_BATCH. */
static int direction_take(direction_t *direction, int64_t until,
                          packet_t *packets[SEND_BATCH])
{
    int count = 0;

    while (count < SEND_BATCH && direction->first != NULL &&
           direction->first->due <= until) {
        packet_t *packet = direction->first;

        direction->first = packet->next;
        direction->held -= sizeof(*packet) + packet->length;
        packets[count++] = packet;
    }
    return count;
}

/* Send what is due up to @a until.  Returns whether packets are left. */
static bool direction_send(direction_t *direction, int64_t until)
{
    packet_t *packets[SEND_BATCH];
    struct mmsghdr messages[SEND_BATCH];
    struct iovec vectors[SEND_BATCH];
    int count;

    do {
        count = direction_take(direction, until, packets);
        for (int i = 0; i < count; i++) {
            vectors[i] = (struct iovec){.iov_base = packets[i]->bytes,
                                        .iov_len = packets[i]->length};
            messages[i] =
                (struct mmsghdr){.msg_hdr = {.msg_iov = &vectors[i], .msg_iovlen = 1}};
            direction_reorder(direction, vectors, i + 1);
        }
        /* What the device does not take is lost. */
        for (int sent = 0; sent < count;) {
            int more =
                sendmmsg(direction->out, messages + sent, (unsigned)(count - sent), 0);

            sent += (more > 0) ? more : 1;
        }
        for (int i = 0; i < count; i++) {
            free(packets[i]);
        }
    } while (count == SEND_BATCH);
    return direction->first != NULL;
}

static int64_t clock_now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return time.tv_sec * NANOSECONDS + time.tv_nsec;
}

static void sleep_until(int64_t when)
{
    struct timespec time = {.tv_sec = when / NANOSECONDS, .tv_nsec = when % NANOSECONDS};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

/* A packet socket on @a device with time stamps and offload headers. */
static mtree_status_t socket_open(const char *device, int *socket_p)
{
    struct sockaddr_ll address = {.sll_family = AF_PACKET,
                                  .sll_protocol = htons(ETH_P_ALL),
                                  .sll_ifindex = (int)if_nametoindex(device)};
    int on = 1;
    int buffer = SOCKET_BUFFER;
    /* Protocol 0: nothing arrives before bind() sets the device. */
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || address.sll_ifindex == 0) {
        goto err;
    }
    /* Who may not force the size gets the system's largest buffer. */
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof(buffer)) != 0 &&
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer)) != 0) {
        goto err;
    }
    if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &on, sizeof(on)) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) != 0 ||
        setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &on, sizeof(on)) != 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        goto err;
    }
    *socket_p = fd;
    return MTREE_OK;

err:
    mtree_error("cannot open a packet socket on %s: %m", device);
    if (fd >= 0) {
        close(fd);
    }
    return MTREE_ERR_IO;
}

/* Send everything that is due up to @a until.  Returns whether packets are left. */
static bool relay_send(relay_t *relay, int64_t until)
{
    bool left = false;

    for (int i = 0; i < relay->num_directions; i++) {
        left = direction_send(&relay->directions[i], until) || left;
    }
    return left;
}

/* The tick that suits a link of @a delay too. */
static int64_t tick_for(int64_t tick, int64_t delay)
{
    int64_t wanted = delay / TICKS_PER_DELAY;

    wanted = (wanted < SHORTEST_TICK_NS) ? SHORTEST_TICK_NS : wanted;
    return (wanted < tick) ? wanted : tick;
}

/* Add the link that @a line describes. */
static mtree_status_t relay_add_link(relay_t *relay, const char *line)
{
    char devices[2][IF_NAMESIZE];
    int sockets[2];
    conditions_t conditions;
    mtree_status_t status = MTREE_OK;

    if (sscanf(line, "%15s %15s %" SCNd64 " %lf %lf %lf %" SCNd64, devices[0], devices[1],
               &conditions.delay, &conditions.rate, &conditions.loss, &conditions.reorder,
               &conditions.jitter) != 7 ||
        conditions.delay < 0 || conditions.jitter < 0 || !(conditions.rate >= 0) ||
        !(conditions.loss >= 0 && conditions.loss <= 1) || !(conditions.reorder >= 0)) {
        mtree_error("not a link: '%s'; wanted DEVICE DEVICE NANOSECONDS BITS_PER_SECOND "
                    "LOSS REORDER JITTER",
                    line);
        return MTREE_ERR_INVALID;
    }
    mtree_array_reserve(&relay->directions, &relay->direction_room,
                        relay->num_directions + 2, sizeof(*relay->directions));
    relay->tick = tick_for(relay->tick, conditions.delay);
    for (int i = 0; i < 2 && status == MTREE_OK; i++) {
        status = socket_open(devices[i], &sockets[i]);
    }
    for (int i = 0; i < 2 && status == MTREE_OK; i++) {
        const int number = ++relay->num_directions;

        relay->directions[number - 1] =
            direction_of(sockets[i], sockets[1 - i], &conditions, (uint64_t)number);
    }
    return status;
}

/* Read the links.  The process ends with the lab, and so does what it holds: nothing is
 * freed. */
static mtree_status_t relay_configure(relay_t *relay)
{
    char line[MAX_LINE];
    mtree_status_t status = MTREE_OK;

    while (status == MTREE_OK && fgets(line, sizeof(line), stdin) != NULL &&
           line[0] != '\n') {
        line[strcspn(line, "\n")] = '\0';
        status = relay_add_link(relay, line);
    }
    relay->epoll = epoll_create1(EPOLL_CLOEXEC);
    /* Standard input first, as none of the directions. */
    for (int i = -1; i < relay->num_directions && status == MTREE_OK; i++) {
        direction_t *direction = i < 0 ? NULL : &relay->directions[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = direction};
        const int fd = i < 0 ? STDIN_FILENO : direction->in;

        if (epoll_ctl(relay->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
            mtree_error("cannot watch a descriptor: %m");
            status = MTREE_ERR_IO;
        }
    }
    return status;
}

/*
 * Copy packets until standard input ends.  While packets are held this wakes once per
 * tick for all directions, not once per packet: the time stamps make up for reading late.
 */
static void relay_run(relay_t *relay)
{
    struct epoll_event events[EVENT_BATCH];
    int64_t now = clock_now(CLOCK_MONOTONIC), wall_lag;
    bool held = false;

    for (;;) {
        if (held) {
            sleep_until(now + relay->tick);
        }
        int count = epoll_wait(relay->epoll, events, EVENT_BATCH, held ? 0 : -1);

        now = clock_now(CLOCK_MONOTONIC);
        wall_lag = clock_now(CLOCK_REALTIME) - now;
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr == NULL) {
                return;
            }
            direction_receive(events[i].data.ptr, wall_lag, now);
        }
        /* What is due before the middle of the coming tick is nearer to its time now. */
        held = relay_send(relay, now + relay->tick / 2);
    }
}

/* Say that this program is ready, and have it run before ranks that spin, which must not
 * delay packets.  Without root that is denied, and the scheduler's preference for
 * processes that sleep much must suffice. */
static void say_ready(void)
{
    const struct sched_param priority = {.sched_priority = 1};

    (void)sched_setscheduler(0, SCHED_FIFO, &priority);
    (void)prctl(PR_SET_TIMERSLACK, 1);
    puts("ready");
    fflush(stdout);
}

int main(void)
{
    relay_t relay = {.tick = LONGEST_TICK_NS};

    /* Memory of packets that have left serves the next ones. */
    (void)mallopt(M_TRIM_THRESHOLD, INT_MAX);
    if (relay_configure(&relay) != MTREE_OK) {
        return 1;
    }
    say_ready();
    relay_run(&relay);
    return 0;
}
