/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An Internet address as a value, without the system's headers, whose names (accept,
 * send) not every unit wants; base/address.h has what is done with it.
 */
#ifndef MTREE_BASE_ADDRESS_VALUE_H
#define MTREE_BASE_ADDRESS_VALUE_H

typedef struct {
    unsigned short family;   /* AF_INET, AF_INET6, or AF_UNSPEC: no address */
    unsigned char bytes[16]; /* in network order; the rest is zero */
} mtree_address_t;

#endif
