/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When two names are of the same host: letters have no case (RFC 4343), a dot at the end
 * says only that a name is complete, and addresses are compared as addresses.
 */
#ifndef MTREE_BASE_HOST_NAME_H
#define MTREE_BASE_HOST_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Orders names as strcmp() does; 0: they are of the same host. */
int mtree_host_name_compare(const char *a, const char *b);

/* The length of the name up to the first dot; of an address all of it. */
size_t mtree_host_name_label(const char *name);

/* Are the names equal up to the first dot, as those of one host with and without its
 * domain are?  Addresses never are. */
bool mtree_host_name_same_label(const char *a, const char *b);

#endif
