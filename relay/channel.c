/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/channel.h"

#include "base/array.h"
#include "relay/bytes.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* "mtC" and the version. */
#define MAGIC  UINT32_C(0x6d744301)
#define HEADER 12

/* Bytes that are read at a time. */
#define READ 65536

void mtree_relay_channel_init(mtree_relay_channel_t *channel, int socket)
{
    *channel = (mtree_relay_channel_t){.socket = socket};
}

void mtree_relay_channel_cleanup(mtree_relay_channel_t *channel)
{
    if (channel->socket >= 0) {
        (void)close(channel->socket);
    }
    free(channel->in);
    free(channel->out);
    *channel = (mtree_relay_channel_t){.socket = -1};
}

static bool is_later(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static mtree_status_t channel_flush(mtree_relay_channel_t *channel)
{
    while (channel->out_length > 0) {
        ssize_t sent = send(channel->socket, channel->out, (size_t)channel->out_length,
                            MSG_NOSIGNAL);

        if (sent < 0) {
            return is_later() ? MTREE_OK : MTREE_ERR_IO;
        }
        channel->out_length -= (int)sent;
        memmove(channel->out, channel->out + sent, (size_t)channel->out_length);
    }
    return MTREE_OK;
}

mtree_status_t mtree_relay_channel_send(mtree_relay_channel_t *channel,
                                        mtree_relay_kind_t kind, const void *bytes,
                                        size_t length)
{
    size_t total = (size_t)channel->out_length + HEADER + length;
    unsigned char *header;

    if (channel->socket < 0 || length > MTREE_RELAY_LONGEST - HEADER ||
        total > 2 * MTREE_RELAY_LONGEST) {
        return MTREE_ERR_IO;
    }
    if (mtree_array_reserve(&channel->out, &channel->out_capacity, (int)total, 1) !=
        MTREE_OK) {
        return MTREE_ERR_NO_MEMORY;
    }
    header = channel->out + channel->out_length;
    mtree_relay_put32(header, MAGIC);
    mtree_relay_put32(header + 4, kind);
    mtree_relay_put32(header + 8, (uint32_t)length);
    if (length > 0) {
        memcpy(header + HEADER, bytes, length);
    }
    channel->out_length = (int)total;
    return channel_flush(channel);
}

int mtree_relay_message_read(const unsigned char *bytes, size_t length,
                             mtree_relay_message_t *message, size_t *taken_p)
{
    uint32_t kind, payload;

    if (length < HEADER) {
        return 0;
    }
    kind = mtree_relay_get32(bytes + 4);
    payload = mtree_relay_get32(bytes + 8);
    if (mtree_relay_get32(bytes) != MAGIC || kind >= MTREE_RELAY_NUM_KINDS ||
        payload > MTREE_RELAY_LONGEST - HEADER) {
        return -1;
    }
    if (length - HEADER < payload) {
        return 0;
    }
    *message = (mtree_relay_message_t){(mtree_relay_kind_t)kind, bytes + HEADER, payload};
    *taken_p = HEADER + payload;
    return 1;
}

/* Read what has come; false: the other end is gone. */
static bool channel_read(mtree_relay_channel_t *channel)
{
    ssize_t count;

    if (mtree_array_reserve(&channel->in, &channel->in_capacity,
                            channel->in_length + READ, 1) != MTREE_OK) {
        return false;
    }
    count = recv(channel->socket, channel->in + channel->in_length, READ, 0);
    channel->in_length += count > 0 ? (int)count : 0;
    return count > 0 || (count < 0 && is_later());
}

int mtree_relay_channel_poll(mtree_relay_channel_t *channel,
                             mtree_relay_message_t *message)
{
    size_t taken = 0;
    int result;

    channel->in_length -= channel->taken;
    if (channel->taken > 0) {
        memmove(channel->in, channel->in + channel->taken, (size_t)channel->in_length);
        channel->taken = 0;
    }
    result = mtree_relay_message_read(channel->in, (size_t)channel->in_length, message,
                                      &taken);
    if (result == 0) {
        if (channel_flush(channel) != MTREE_OK || !channel_read(channel)) {
            return -1;
        }
        result = mtree_relay_message_read(channel->in, (size_t)channel->in_length,
                                          message, &taken);
    }
    channel->taken = (int)taken;
    return result;
}
