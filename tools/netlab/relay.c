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
#include "base/status.h"
#include "tools/netlab/direction.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define SOCKET_BUFFER    (4 << 20)
#define EVENT_BATCH      64
#define MAX_LINE         512
#define TICKS_PER_DELAY  8 /* of the shortest delay */
#define LONGEST_TICK_NS  500000
#define SHORTEST_TICK_NS 200000 /* a wake-up costs several microseconds */

typedef struct {
    netlab_direction_t *directions;
    int num_directions, direction_room;
    int epoll;
    int64_t tick;     /* between two rounds over all rings, ns */
    int64_t wall_lag; /* CLOCK_REALTIME minus CLOCK_MONOTONIC, ns */
} relay_t;

static int64_t clock_now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return time.tv_sec * NETLAB_NANOSECONDS + time.tv_nsec;
}

static void sleep_until(int64_t when)
{
    struct timespec time = {.tv_sec = when / NETLAB_NANOSECONDS,
                            .tv_nsec = when % NETLAB_NANOSECONDS};

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
        left = netlab_direction_send(&relay->directions[i], until) || left;
    }
    return left;
}

/* Have epoll report @a fd as @a direction, which is NULL for standard input. */
static mtree_status_t relay_watch(relay_t *relay, int fd, netlab_direction_t *direction)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = direction};

    if (epoll_ctl(relay->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
        mtree_error("cannot watch a descriptor: %m");
        return MTREE_ERR_IO;
    }
    return MTREE_OK;
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
    netlab_conditions_t conditions;
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
        netlab_direction_t *direction = &relay->directions[relay->num_directions++];

        status = netlab_direction_init(direction, sockets[i], sockets[1 - i], &conditions,
                                       (uint64_t)relay->num_directions);
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
    if (status == MTREE_OK) {
        status = relay_watch(relay, STDIN_FILENO, NULL);
    }
    for (int i = 0; i < relay->num_directions && status == MTREE_OK; i++) {
        status = relay_watch(relay, relay->directions[i].in, &relay->directions[i]);
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
    int64_t now = clock_now(CLOCK_MONOTONIC);
    bool held = false;

    for (;;) {
        if (held) {
            sleep_until(now + relay->tick);
        }
        int count = epoll_wait(relay->epoll, events, EVENT_BATCH, held ? 0 : -1);

        now = clock_now(CLOCK_MONOTONIC);
        relay->wall_lag = clock_now(CLOCK_REALTIME) - now;
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr == NULL) {
                return;
            }
            netlab_direction_receive(events[i].data.ptr, relay->wall_lag, now);
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

    if (relay_configure(&relay) != MTREE_OK) {
        return 1;
    }
    say_ready();
    relay_run(&relay);
    return 0;
}
