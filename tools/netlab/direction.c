/* SPDX-License-Identifier: BSD-3-Clause */
#include "config/mtree_config.h"

#include "tools/netlab/direction.h"

#include "base/log.h"

#include <inttypes.h>
#include <linux/virtio_net.h>
#include <stdalign.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_PACKET (65536 + 64 + sizeof(struct virtio_net_hdr))
#define RING_SPARE     (1 << 20)
#define RECEIVE_BATCH  32
#define SEND_BATCH     32
#define LONGEST_AGE_NS NETLAB_NANOSECONDS
#define DRAW_PERIOD_NS 10000000 /* the shortest between two draws of a jitter */

/* A packet in a ring, followed by its `length` bytes; the next one starts at a multiple
 * of 8. */
typedef struct {
    int64_t due; /* CLOCK_MONOTONIC, ns */
    uint64_t length;
} record_t;

static mtree_status_t ring_create(netlab_direction_t *direction, uint64_t bytes)
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

/* When the packet that @a message received arrived, CLOCK_MONOTONIC ns. */
static int64_t arrival_time(int64_t wall_lag, struct msghdr *message, int64_t now)
{
    struct cmsghdr *control = CMSG_FIRSTHDR(message);
    struct timespec stamp;
    int64_t arrival;

    if (control == NULL || control->cmsg_type != SCM_TIMESTAMPNS) {
        return now;
    }
    memcpy(&stamp, CMSG_DATA(control), sizeof(stamp));
    arrival = stamp.tv_sec * NETLAB_NANOSECONDS + stamp.tv_nsec - wall_lag;
    /* A wall clock that was set meanwhile must not hold packets back or send them at
     * once. */
    return (arrival > now || arrival < now - LONGEST_AGE_NS) ? now : arrival;
}

/* What a packet of @a direction that arrives at @a now takes beyond the latency. */
static int64_t direction_jitter(netlab_direction_t *direction, int64_t now)
{
    netlab_jitter_t *jitter = &direction->jitter;

    if (direction->conditions.jitter == 0) {
        return 0;
    }
    if (now >= jitter->since + jitter->period) {
        /* After a pause nothing is on its way that could be overtaken. */
        jitter->since = now < jitter->since + 2 * jitter->period
                            ? jitter->since + jitter->period
                            : now;
        jitter->from = jitter->to;
        jitter->to = (int64_t)(mtree_random_fraction(&direction->random) *
                               (double)direction->conditions.jitter);
    }
    return jitter->from +
           (int64_t)((double)(jitter->to - jitter->from) * (double)(now - jitter->since) /
                     (double)jitter->period);
}

/* True when a packet of any length fits into the ring at its tail. */
static bool direction_has_room(const netlab_direction_t *direction)
{
    return direction->ring_size - (direction->tail - direction->head) >=
           sizeof(record_t) + LONGEST_PACKET;
}

/* The record that the next packet gets. */
static record_t *direction_next(const netlab_direction_t *direction)
{
    return (record_t *)(direction->ring + direction->tail % direction->ring_size);
}

/* Keep the packet of @a length bytes that is in the next record. */
static void direction_keep(netlab_direction_t *direction, int64_t due, uint64_t length)
{
    record_t *entry = direction_next(direction);

    entry->due = due;
    entry->length = length;
    direction->tail += (sizeof(*entry) + length + 7) & ~UINT64_C(7);
}

mtree_status_t netlab_direction_init(netlab_direction_t *direction, int in, int out,
                                     const netlab_conditions_t *conditions, uint64_t seed)
{
    int64_t longest = conditions->delay + conditions->jitter;
    /* Twice what is in flight, since small packets have as much overhead as data. */
    double bytes =
        2 * conditions->rate / 8 * (double)longest / (double)NETLAB_NANOSECONDS +
        RING_SPARE;

    *direction = (netlab_direction_t){.in = in, .out = out, .conditions = *conditions};
    mtree_random_init(&direction->random, seed);
    direction->jitter.period =
        2 * conditions->jitter < DRAW_PERIOD_NS ? DRAW_PERIOD_NS : 2 * conditions->jitter;
    return ring_create(direction, (uint64_t)bytes);
}

void netlab_direction_receive(netlab_direction_t *direction, int64_t wall_lag,
                              int64_t now)
{
    alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(struct timespec))];
    static char dropped[LONGEST_PACKET];

    for (int i = 0; i < RECEIVE_BATCH; i++) {
        bool fits = direction_has_room(direction);
        char *place = fits ? (char *)(direction_next(direction) + 1) : dropped;
        struct iovec vector = {.iov_base = place, .iov_len = LONGEST_PACKET};
        struct msghdr message = {.msg_iov = &vector,
                                 .msg_iovlen = 1,
                                 .msg_control = control,
                                 .msg_controllen = sizeof(control)};
        ssize_t length = recvmsg(direction->in, &message, 0);
        int64_t due;

        if (length < 0) {
            return;
        }
        if (!fits ||
            (direction->conditions.loss > 0 &&
             mtree_random_fraction(&direction->random) < direction->conditions.loss)) {
            continue;
        }
        due = arrival_time(wall_lag, &message, now);
        due += direction->conditions.delay + direction_jitter(direction, due);
        direction_keep(direction, due, (uint64_t)length);
    }
}

/* The first packet of @a direction, or NULL. */
static record_t *direction_first(const netlab_direction_t *direction)
{
    return direction->head == direction->tail
               ? NULL
               : (record_t *)(direction->ring + direction->head % direction->ring_size);
}

/* Have the last of @a count packets that leave together leave first. */
static void direction_reorder(netlab_direction_t *direction, struct iovec *vectors,
                              int count)
{
    if (count > 1 &&
        mtree_random_fraction(&direction->random) < direction->conditions.reorder) {
        struct iovec last = vectors[count - 1];

        memmove(vectors + 1, vectors, (size_t)(count - 1) * sizeof(*vectors));
        vectors[0] = last;
    }
}

bool netlab_direction_send(netlab_direction_t *direction, int64_t until)
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
        /* What the device does not take is lost. */
        for (int sent = 0; sent < count;) {
            int more =
                sendmmsg(direction->out, messages + sent, (unsigned)(count - sent), 0);

            sent += (more > 0) ? more : 1;
        }
    } while (count == SEND_BATCH);
    if (direction->head == direction->tail) {
        direction->head = direction->tail = 0;
    }
    return direction_first(direction) != NULL;
}
