/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internet addresses of hosts and routers, IPv4 and IPv6.
 */
#ifndef MTREE_BASE_ADDRESS_H
#define MTREE_BASE_ADDRESS_H

#include "base/address_value.h"
#include "base/status.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

/* Long enough for every address as text, its NUL included. */
#define MTREE_ADDRESS_LENGTH INET6_ADDRSTRLEN

/* The address that @a text writes; one without a family when it writes none. */
mtree_address_t mtree_address_parse(const char *text);

/* Write @a address into @a buffer of MTREE_ADDRESS_LENGTH bytes, "*" when it is none;
 * returns it. */
const char *mtree_address_format(const mtree_address_t *address, char *buffer);

/* False when one of them is none. */
bool mtree_address_equals(const mtree_address_t *a, const mtree_address_t *b);

/* Is it an address that holds on one link only?  Such addresses have no routes. */
bool mtree_address_is_link_local(const mtree_address_t *address);

/* The address in @a from; none when it is of another family. */
mtree_address_t mtree_address_from_sockaddr(const struct sockaddr *from);

/* @a address with @a port as the system's calls take it; returns its length. */
socklen_t mtree_address_to_sockaddr(const mtree_address_t *address, int port,
                                    struct sockaddr_storage *to);

/* Bytes of an address of @a family. */
size_t mtree_address_bytes(sa_family_t family);

#endif
