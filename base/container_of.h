/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a member to the structure that holds it.
 */
#ifndef MTREE_BASE_CONTAINER_OF_H
#define MTREE_BASE_CONTAINER_OF_H

#include <stddef.h>

/* The @a _type whose @a _member is at @a _pointer. */
#define MTREE_CONTAINER_OF(_pointer, _type, _member)                                     \
    ((_type *)(void *)((char *)(_pointer)-offsetof(_type, _member)))

#endif
