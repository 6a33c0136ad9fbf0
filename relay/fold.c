/* SPDX-License-Identifier: BSD-3-Clause */
#include "relay/fold.h"

#include <stdint.h>

#define DEFINE(_type, _name, _result)                                                    \
    static void _name(const void *a, const void *b, void *out, size_t count)             \
    {                                                                                    \
        const _type *x = a, *y = b;                                                      \
        _type *z = out;                                                                  \
                                                                                         \
        for (size_t i = 0; i < count; i++) {                                             \
            z[i] = (_type)(_result);                                                     \
        }                                                                                \
    }

/* Without overflow of signed types: sums and products are made in @a _wide. */
#define DEFINE_NUMBERS(_type, _wide)                                                     \
    DEFINE(_type, sum_##_type, (_wide)x[i] + (_wide)y[i])                                \
    DEFINE(_type, prod_##_type, (_wide)x[i] * (_wide)y[i])                               \
    DEFINE(_type, min_##_type, x[i] < y[i] ? x[i] : y[i])                                \
    DEFINE(_type, max_##_type, x[i] > y[i] ? x[i] : y[i])

#define DEFINE_INTEGERS(_type)                                                           \
    DEFINE_NUMBERS(_type, uint64_t)                                                      \
    DEFINE(_type, band_##_type, x[i] & y[i])                                             \
    DEFINE(_type, bor_##_type, x[i] | y[i])                                              \
    DEFINE(_type, bxor_##_type, x[i] ^ y[i])                                             \
    DEFINE(_type, land_##_type, x[i] && y[i])                                            \
    DEFINE(_type, lor_##_type, x[i] || y[i])                                             \
    DEFINE(_type, lxor_##_type, !x[i] != !y[i])

DEFINE_INTEGERS(int8_t)
DEFINE_INTEGERS(uint8_t)
DEFINE_INTEGERS(int16_t)
DEFINE_INTEGERS(uint16_t)
DEFINE_INTEGERS(int32_t)
DEFINE_INTEGERS(uint32_t)
DEFINE_INTEGERS(int64_t)
DEFINE_INTEGERS(uint64_t)
DEFINE_NUMBERS(float, float)
DEFINE_NUMBERS(double, double)

/* In the order of mtree_relay_op_t. */
#define NUMBERS(_type) max_##_type, min_##_type, sum_##_type, prod_##_type
#define INTEGERS(_type)                                                                  \
    NUMBERS(_type), land_##_type, band_##_type, lor_##_type, bor_##_type, lxor_##_type,  \
        bxor_##_type

static const mtree_relay_fold_t folds[MTREE_RELAY_NUM_TYPES][MTREE_RELAY_NUM_OPS] = {
    [MTREE_RELAY_INT8] = {INTEGERS(int8_t)},
    [MTREE_RELAY_UINT8] = {INTEGERS(uint8_t)},
    [MTREE_RELAY_INT16] = {INTEGERS(int16_t)},
    [MTREE_RELAY_UINT16] = {INTEGERS(uint16_t)},
    [MTREE_RELAY_INT32] = {INTEGERS(int32_t)},
    [MTREE_RELAY_UINT32] = {INTEGERS(uint32_t)},
    [MTREE_RELAY_INT64] = {INTEGERS(int64_t)},
    [MTREE_RELAY_UINT64] = {INTEGERS(uint64_t)},
    [MTREE_RELAY_FLOAT] = {NUMBERS(float)},
    [MTREE_RELAY_DOUBLE] = {NUMBERS(double)},
};

mtree_relay_fold_t mtree_relay_fold(unsigned type, unsigned op)
{
    return type < MTREE_RELAY_NUM_TYPES && op < MTREE_RELAY_NUM_OPS ? folds[type][op]
                                                                    : NULL;
}

#define TYPE_BYTES(_name, _type) [MTREE_RELAY_##_name] = sizeof(_type),

size_t mtree_relay_type_bytes(unsigned type)
{
    static const size_t bytes[] = {MTREE_RELAY_TYPES(TYPE_BYTES)};

    return type < MTREE_RELAY_NUM_TYPES ? bytes[type] : 0;
}
