/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums and the like of plain C types, as a relay makes them without MPI.
 */
#ifndef MTREE_RELAY_FOLD_H
#define MTREE_RELAY_FOLD_H

#include <stddef.h>

#define MTREE_RELAY_TYPES(_do)                                                           \
    _do(INT8, int8_t) _do(UINT8, uint8_t) _do(INT16, int16_t) _do(UINT16, uint16_t)      \
        _do(INT32, int32_t) _do(UINT32, uint32_t) _do(INT64, int64_t)                    \
            _do(UINT64, uint64_t) _do(FLOAT, float) _do(DOUBLE, double)

#define MTREE_RELAY_TYPE_VALUE(_name, _type) MTREE_RELAY_##_name,

typedef enum {
    MTREE_RELAY_NO_TYPE,
    MTREE_RELAY_TYPES(MTREE_RELAY_TYPE_VALUE) MTREE_RELAY_NUM_TYPES
} mtree_relay_type_t;

/* In the order of MPI's. */
typedef enum {
    MTREE_RELAY_MAX,
    MTREE_RELAY_MIN,
    MTREE_RELAY_SUM,
    MTREE_RELAY_PROD,
    MTREE_RELAY_LAND, /* of integers, as all that follow */
    MTREE_RELAY_BAND,
    MTREE_RELAY_LOR,
    MTREE_RELAY_BOR,
    MTREE_RELAY_LXOR,
    MTREE_RELAY_BXOR,
    MTREE_RELAY_NUM_OPS
} mtree_relay_op_t;

/* out[i] = a[i] op b[i] for @a count elements; out may be b. */
typedef void (*mtree_relay_fold_t)(const void *a, const void *b, void *out, size_t count);

/* The function of @a op and @a type; NULL: MPI has none, or they are no such numbers. */
mtree_relay_fold_t mtree_relay_fold(unsigned type, unsigned op);

/* Bytes of an element; 0: no such type. */
size_t mtree_relay_type_bytes(unsigned type);

#endif
