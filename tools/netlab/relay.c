/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netlab_relay: the latency of a lab's links, where the kernel has no netem.
 *
 * netlab(1) splits each link that has a latency into two veth pairs.  Their inner ends
 * are in the namespace of this process, which holds every packet that arrives at one for
 * the link's latency and sends it out at the other.  The outer ends are shaped, so no
 * more arrives than the link carries.  The kernel's time stamps give each packet's time
 * of arrival, so it leaves in time even if this process was busy or not scheduled then.
 *
 * It uses packet sockets, since tap devices need /dev/net/tun, which only root may open
 * on many machines.  Packets keep their offload header, so that unfinished checksums and
 * large segments pass as they are.
 *
 * Standard input: a line "DEVICE DEVICE NANOSECONDS BITS_PER_SECOND LOSS REORDER" for
 * each link, then an empty line.  LOSS and REORDER are the parts of its packets, 0 to 1,
 * that are lost or leave before others that arrived earlier.  Answers "ready" and runs
 * until standard input ends.
 */
#include "config/mtree_config.h"

#include "base/array.h"
#include "base/log.h"
#include "base/status.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <sched.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NANOSECONDS      INT64_C(1000000000)
#define LONGEST_PACKET   (65536 + 64 + sizeof(struct virtio_net_hdr))
#define RING_SPARE       (1 << 20)
#define SOCKET_BUFFER    (4 << 20)
#define RECEIVE_BATCH    32
#define SEND_BATCH       32
#define EVENT_BATCH      64
#define TICKS_PER_DELAY  8 /* of the shortest delay */
#define LONGEST_TICK_NS  500000
#define SHORTEST_TICK_NS 200000 /* a wake-up costs several microseconds */
#define LONGEST_AGE_NS   NANOSECONDS
#define MAX_LINE         256

/* A packet in a ring, followed by its `length` bytes; the next one starts at a multiple
 * of 8. */
typedef struct {
    int64_t due; /* CLOCK_MONOTONIC, ns */
    uint64_t length;
} record_t;

/*
 * One direction of a link: packets in the order of their time.  The ring's memory is
 * mapped twice in a row, so that each record is contiguous.  `head` and `tail` count
 * bytes and only grow, except that both go back to zero when the ring runs empty (which
 * keeps using the same, warm, pages).
 */
typedef struct {
    int in, out; /* packet sockets */
    int64_t delay;
    double loss, reorder;
    uint64_t random; /* the generator's state: the same losses in each lab */
    char *ring;
    uint64_t ring_size, head, tail;
} direction_t;

typedef struct {
    direction_t *directions;
    int num_directions, direction_room;
    int epoll;
    int64_t tick;     /* between two rounds over all rings, ns */
    int64_t wall_lag; /* CLOCK_REALTIME minus CLOCK_MONOTONIC, ns */
} relay_t;

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

static mtree_status_t ring_create(direction_t *direction, uint64_t bytes)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t size = (bytes + page - 1) / page * page;
    int memory = memfd_create("netlab ring", MFD_CLOEXEC);
    char *ring = MAP_FAILED;

    if (memory >= 0 && ftruncate(memory, (off_t)size) == 0) {
        ring = mmap(NULL, 2 * size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    for (uint64_t half = 0; half < 2 && ring != MAP_FAILED; half++) {
        if (mmap(ring + half * size, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                 memory, 0) == MAP_FAILED) {
            ring = MAP_FAILED;
        }
    }
    if (memory >= 0) {
        close(memory);
    }
    if (ring == MAP_FAILED) {
        mtree_error("no memory for %" PRIu64 " bytes of packets on their way: %m", size);
        return MTREE_ERR_NO_MEMORY;
    }
    direction->ring = ring;
    direction->ring_size = size;
    return MTREE_OK;
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

/* When the packet that @a message received arrived, CLOCK_MONOTONIC ns. */
static int64_t arrival_time(const relay_t *relay, struct msghdr *message, int64_t now)
{
    struct cmsghdr *control = CMSG_FIRSTHDR(message);
    struct timespec stamp;
    int64_t arrival;

    if (control == NULL || control->cmsg_type != SCM_TIMESTAMPNS) {
        return now;
    }
    memcpy(&stamp, CMSG_DATA(control), sizeof(stamp));
    arrival = stamp.tv_sec * NANOSECONDS + stamp.tv_nsec - relay->wall_lag;
    /* A wall clock that was set meanwhile must not hold packets back or send them at
     * once. */
    return (arrival > now || arrival < now - LONGEST_AGE_NS) ? now : arrival;
}

/* True for @a part of all packets. */
static bool direction_draw(direction_t *direction, double part)
{
    direction->random = direction->random * UINT64_C(6364136223846793005) + 1;
    return (double)(direction->random >> 33) < part * (double)(1U << 31);
}

/* Receive what has arrived for @a direction.  A full ring drops, as any full queue. */
static void direction_receive(const relay_t *relay, direction_t *direction, int64_t now)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct timespec))];
    static char dropped[LONGEST_PACKET];

    for (int i = 0; i < RECEIVE_BATCH; i++) {
        uint64_t used = direction->tail - direction->head;
        int fits = direction->ring_size - used >= sizeof(record_t) + LONGEST_PACKET;
        char *place = direction->ring + direction->tail % direction->ring_size;
        record_t *entry = (record_t *)place;
        struct iovec vector = {.iov_base = fits ? place + sizeof(*entry) : dropped,
                               .iov_len = LONGEST_PACKET};
        struct msghdr message = {.msg_iov = &vector,
                                 .msg_iovlen = 1,
                                 .msg_control = control,
                                 .msg_controllen = sizeof(control)};
        ssize_t length = recvmsg(direction->in, &message, 0);

        if (length < 0) {
            return;
        }
        if (fits && !direction_draw(direction, direction->loss)) {
            entry->due = arrival_time(relay, &message, now) + direction->delay;
            entry->length = (uint64_t)length;
            direction->tail += (sizeof(*entry) + entry->length + 7) & ~UINT64_C(7);
        }
    }
}

/* The first packet of @a direction, or NULL. */
static record_t *direction_first(const direction_t *direction)
{
    return direction->head == direction->tail
               ? NULL
               : (record_t *)(direction->ring + direction->head % direction->ring_size);
}

/* Have the last of @a count packets that leave together leave first. */
static void direction_reorder(direction_t *direction, struct iovec *vectors, int count)
{
    if (count > 1 && direction_draw(direction, direction->reorder)) {
        struct iovec last = vectors[count - 1];

        memmove(vectors + 1, vectors, (size_t)(count - 1) * sizeof(*vectors));
        vectors[0] = last;
    }
}

/* Send what is due up to @a until.  What the device does not take is lost. */
static void direction_send(direction_t *direction, int64_t until)
{
    struct mmsghdr messages[SEND_BATCH];
    struct iovec vectors[SEND_BATCH];
    int count;

    do {
        record_t *entry = direction_first(direction);

        for (count = 0; count < SEND_BATCH && entry != NULL && entry->due <= until;
             count++) {
            vectors[count] =
                (struct iovec){.iov_base = entry + 1, .iov_len = entry->length};
            messages[count] = (struct mmsghdr){
                .msg_hdr = {.msg_iov = &vectors[count], .msg_iovlen = 1}};
            direction_reorder(direction, vectors, count + 1);
            direction->head += (sizeof(*entry) + entry->length + 7) & ~UINT64_C(7);
            entry = direction_first(direction);
        }
        for (int sent = 0; sent < count;) {
            int more =
                sendmmsg(direction->out, messages + sent, (unsigned)(count - sent), 0);

            sent += (more > 0) ? more : 1;
        }
    } while (count == SEND_BATCH);
    if (direction->head == direction->tail) {
        direction->head = direction->tail = 0;
    }
}

/* Send everything that is due up to @a until.  Returns whether packets are left. */
static bool relay_send(relay_t *relay, int64_t until)
{
    bool left = false;

    for (int i = 0; i < relay->num_directions; i++) {
        direction_send(&relay->directions[i], until);
        left = left || direction_first(&relay->directions[i]) != NULL;
    }
    return left;
}

/* Have epoll report @a fd as @a direction, which is NULL for standard input. */
static mtree_status_t relay_watch(relay_t *relay, int fd, direction_t *direction)
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
    int64_t delay;
    double rate, loss, reorder;
    mtree_status_t status = MTREE_OK;

    if (sscanf(line, "%15s %15s %" SCNd64 " %lf %lf %lf", devices[0], devices[1], &delay,
               &rate, &loss, &reorder) != 6 ||
        delay < 0 || !(rate >= 0) || !(loss >= 0) || !(reorder >= 0)) {
        mtree_error("not a link: '%s'; wanted DEVICE DEVICE NANOSECONDS BITS_PER_SECOND "
                    "LOSS REORDER",
                    line);
        return MTREE_ERR_INVALID;
    }
    if (mtree_array_reserve(&relay->directions, &relay->direction_room,
                            relay->num_directions + 2,
                            sizeof(*relay->directions)) != MTREE_OK) {
        mtree_error("no memory for link %s %s", devices[0], devices[1]);
        return MTREE_ERR_NO_MEMORY;
    }
    relay->tick = tick_for(relay->tick, delay);
    for (int i = 0; i < 2 && status == MTREE_OK; i++) {
        status = socket_open(devices[i], &sockets[i]);
    }
    for (int i = 0; i < 2 && status == MTREE_OK; i++) {
        direction_t *direction = &relay->directions[relay->num_directions++];
        /* Twice what is in flight, since small packets have as much overhead as data. */
        double bytes = 2 * rate / 8 * (double)delay / (double)NANOSECONDS + RING_SPARE;

        *direction = (direction_t){.in = sockets[i],
                                   .out = sockets[1 - i],
                                   .delay = delay,
                                   .loss = loss,
                                   .reorder = reorder,
                                   .random = (uint64_t)relay->num_directions};
        status = ring_create(direction, (uint64_t)bytes);
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
            direction_receive(relay, events[i].data.ptr, now);
        }
        /* What is due before the middle of the coming tick is nearer to its time now. */
        held = relay_send(relay, now + relay->tick / 2);
    }
}

int main(void)
{
    struct sched_param priority = {.sched_priority = 1};
    relay_t relay = {.tick = LONGEST_TICK_NS};

    if (relay_configure(&relay) != MTREE_OK) {
        return 1;
    }
    /* Ranks that spin must not delay packets.  Without root this is denied, and the
     * scheduler's preference for processes that sleep much must suffice. */
    (void)sched_setscheduler(0, SCHED_FIFO, &priority);
    (void)prctl(PR_SET_TIMERSLACK, 1);
    puts("ready");
    fflush(stdout);
    relay_run(&relay);
    return 0;
}
