/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in network order, at any address. */
#ifndef MTREE_BASE_BYTES_H
#define MTREE_BASE_BYTES_H

#include <arpa/inet.h>
#include <stdint.h>
#include <string.h>

static inline void mtree_put32(unsigned char *bytes, uint32_t number)
{
    number = htonl(number);
    memcpy(bytes, &number, sizeof(number));
}

static inline uint32_t mtree_get32(const unsigned char *bytes)
{
    uint32_t number;

    memcpy(&number, bytes, sizeof(number));
    return ntohl(number);
}

static inline void mtree_put64(unsigned char *bytes, uint64_t number)
{
    mtree_put32(bytes, (uint32_t)(number >> 32));
    mtree_put32(bytes + 4, (uint32_t)number);
}

static inline uint64_t mtree_get64(const unsigned char *bytes)
{
    return (uint64_t)mtree_get32(bytes) << 32 | mtree_get32(bytes + 4);
}

#endif
