/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netlab_cross: other traffic on a lab's links.
 *
 * It sends packets at a constant rate into the devices at the ends of links, where they
 * queue with all others to be shaped.  They are full packets of a protocol that nobody
 * receives, so the other end of the link drops them, and they do not yield to anything.
 *
 * Standard input: a line "NAMESPACE DEVICE BITS_PER_SECOND MTU" for each device, then an
 * empty line.  Answers "ready" and runs until it is ended by a signal.
 */
#include "config/mtree_config.h"

#include "base/array.h"
#include "base/log.h"
#include "base/status.h"
#include "tools/netlab/lines.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NAMESPACES    "/run/netns/"
#define ETHERTYPE     0x88b5 /* of local experiments (IEEE 802) */
#define NANOSECONDS   INT64_C(1000000000)
#define TICK_NS       1000000
#define LONGEST_LATE  (100 * TICK_NS) /* beyond this nothing is made up for */
#define SOCKET_BUFFER (4 << 20)
#define MOST_MTU      65535
#define MAX_NAME      256 /* as in traffic_add's format */

/* A device that is sent into. */
typedef struct {
    int socket;
    size_t frame_bytes;
    int64_t interval; /* between two frames, ns */
    int64_t due;      /* of the next one, CLOCK_MONOTONIC ns */
} sender_t;

typedef struct {
    sender_t *senders;
    int num_senders, sender_room;
} traffic_t;

/* What all frames hold: after the header, zeros. */
static union {
    struct ethhdr header;
    char bytes[ETH_HLEN + MOST_MTU];
} frame;

static int64_t clock_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * NANOSECONDS + time.tv_nsec;
}

/* Be in the network namespace @a name from now on. */
static mtree_status_t enter_namespace(const char *name)
{
    char path[sizeof(NAMESPACES) + MAX_NAME];
    mtree_status_t status = MTREE_OK;
    int fd;

    (void)snprintf(path, sizeof(path), NAMESPACES "%s", name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, CLONE_NEWNET) != 0) {
        mtree_error("cannot enter %s: %s", path, strerror(errno));
        status = MTREE_ERR_IO;
    }
    if (fd >= 0) {
        close(fd);
    }
    return status;
}

/* A packet socket that sends into @a device, through its queue. */
static mtree_status_t socket_open(const char *device, int *socket_p)
{
    struct sockaddr_ll address = {.sll_family = AF_PACKET,
                                  .sll_ifindex = (int)if_nametoindex(device)};
    int buffer = SOCKET_BUFFER;
    /* Protocol 0: it receives nothing. */
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0 || address.sll_ifindex == 0 ||
        bind(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        mtree_error("cannot open a packet socket on %s: %s", device, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return MTREE_ERR_IO;
    }
    /* Who may not force the size gets the system's largest buffer. */
    if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &buffer, sizeof(buffer)) != 0) {
        (void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
    }
    *socket_p = fd;
    return MTREE_OK;
}

/* Add the sender that @a line describes. */
static mtree_status_t traffic_add(void *data, const char *line)
{
    traffic_t *traffic = data;
    char name[MAX_NAME], device[IF_NAMESIZE];
    unsigned mtu;
    double rate;
    mtree_status_t status;
    sender_t *sender;

    if (sscanf(line, "%255s %15s %lf %u", name, device, &rate, &mtu) != 4 ||
        !(rate > 0) || mtu == 0 || mtu > MOST_MTU) {
        mtree_error("not a sender: '%s'; wanted NAMESPACE DEVICE BITS_PER_SECOND MTU",
                    line);
        return MTREE_ERR_INVALID;
    }
    if (mtree_array_reserve(&traffic->senders, &traffic->sender_room,
                            traffic->num_senders + 1,
                            sizeof(*traffic->senders)) != MTREE_OK) {
        mtree_error("no memory for a sender on %s", device);
        return MTREE_ERR_NO_MEMORY;
    }
    sender = &traffic->senders[traffic->num_senders++];
    sender->frame_bytes = ETH_HLEN + mtu;
    sender->interval =
        (int64_t)((double)sender->frame_bytes * 8 / rate * NANOSECONDS) + 1;
    sender->due = clock_now();
    status = enter_namespace(name);
    return status == MTREE_OK ? socket_open(device, &sender->socket) : status;
}

/* Send what is due at @a now.  What the device's queue does not take is lost. */
static void sender_send(sender_t *sender, int64_t now)
{
    if (sender->due < now - LONGEST_LATE) {
        sender->due = now;
    }
    for (; sender->due <= now; sender->due += sender->interval) {
        (void)send(sender->socket, frame.bytes, sender->frame_bytes, 0);
    }
}

static void traffic_run(traffic_t *traffic)
{
    for (int64_t now = clock_now();; now += TICK_NS) {
        struct timespec next = {.tv_sec = now / NANOSECONDS,
                                .tv_nsec = now % NANOSECONDS};

        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
        now = clock_now();
        for (int i = 0; i < traffic->num_senders; i++) {
            sender_send(&traffic->senders[i], now);
        }
    }
}

int main(void)
{
    traffic_t traffic = {0};

    frame.header.h_proto = htons(ETHERTYPE);
    /* The process ends by a signal: nothing is freed. */
    if (netlab_read_lines(traffic_add, &traffic) != MTREE_OK) {
        return 1;
    }
    netlab_say_ready();
    /* Whoever started it does not wait for it. */
    if (freopen("/dev/null", "w", stdout) == NULL ||
        freopen("/dev/null", "w", stderr) == NULL) {
        return 1;
    }
    traffic_run(&traffic);
    return 0;
}
