/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/channel.h"

#include "base/array.h"
#include "base/bytes.h"
#include "tcp/socket.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

/* "mtC" and the version. */
#define MAGIC  UINT32_C(0x6d744301)
#define HEADER 12

/* Bytes that are read at a time. */
#define READ 65536

void mtree_relay_channel_init(mtree_relay_channel_t *channel, int socket,
                              const mtree_tls_key_t *key)
{
    *channel = (mtree_relay_channel_t){.socket = socket};
    /* The beginning of a call does not wait until a plan before it is acknowledged. */
    (void)mtree_tcp_socket_tune(socket, NULL);
    if (key != NULL) {
        channel->tls = mtree_tls_create(socket, key);
    }
}

void mtree_relay_channel_cleanup(mtree_relay_channel_t *channel)
{
    if (channel->socket >= 0) {
        mtree_tcp_socket_close(channel->socket);
    }
    mtree_tls_destroy(channel->tls);
    free(channel->in);
    free(channel->out);
    *channel = (mtree_relay_channel_t){.socket = -1};
}

/* As send(2) of what is to go out. */
static ssize_t channel_write(mtree_relay_channel_t *channel)
{
    const size_t length = (size_t)channel->out_length;

    return channel->tls == NULL
               ? send(channel->socket, channel->out, length, MSG_NOSIGNAL)
               : mtree_tls_write(channel->tls, channel->out, length);
}

static mtree_status_t channel_flush(mtree_relay_channel_t *channel)
{
    while (channel->out_length > 0) {
        ssize_t sent = channel_write(channel);

        if (sent < 0) {
            return mtree_tcp_socket_is_later() ? MTREE_OK : MTREE_ERR_IO;
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
    mtree_array_reserve(&channel->out, &channel->out_capacity, (int)total, 1);
    header = channel->out + channel->out_length;
    mtree_put32(header, MAGIC);
    mtree_put32(header + 4, kind);
    mtree_put32(header + 8, (uint32_t)length);
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
    kind = mtree_get32(bytes + 4);
    payload = mtree_get32(bytes + 8);
    if (mtree_get32(bytes) != MAGIC || kind >= MTREE_RELAY_NUM_KINDS ||
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

/* Read some of what has come: 1; 0: there is nothing; -1: the other end is gone. */
static int channel_read(mtree_relay_channel_t *channel)
{
    unsigned char *place;
    ssize_t count;

    if (channel->socket < 0) {
        return -1;
    }
    mtree_array_reserve(&channel->in, &channel->in_capacity, channel->in_length + READ,
                        1);
    place = channel->in + channel->in_length;
    count = channel->tls == NULL ? recv(channel->socket, place, READ, 0)
                                 : mtree_tls_read(channel->tls, place, READ);
    channel->in_length += count > 0 ? (int)count : 0;
    return count > 0 ? 1 : count < 0 && mtree_tcp_socket_is_later() ? 0 : -1;
}

int mtree_relay_channel_poll(mtree_relay_channel_t *channel,
                             mtree_relay_message_t *message)
{
    size_t taken = 0;
    int result, read = 1;

    channel->in_length -= channel->taken;
    if (channel->taken > 0) {
        memmove(channel->in, channel->in + channel->taken, (size_t)channel->in_length);
        channel->taken = 0;
    }
    result = mtree_relay_message_read(channel->in, (size_t)channel->in_length, message,
                                      &taken);
    if (result == 0 && channel_flush(channel) != MTREE_OK) {
        return -1;
    }
    /* Until there is nothing more: poll(2) does not tell of what was read already. */
    while (result == 0 && (read = channel_read(channel)) > 0) {
        result = mtree_relay_message_read(channel->in, (size_t)channel->in_length,
                                          message, &taken);
    }
    if (read < 0) {
        return -1;
    }
    channel->taken = (int)taken;
    return result;
}
