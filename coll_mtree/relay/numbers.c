/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/numbers.h"

#include "relay/fold.h"

/* The integer type of @a bytes bytes; -1: relays have none. */
static int integer_of(size_t bytes, bool is_signed)
{
    switch (bytes) {
    case 1:
        return is_signed ? MTREE_RELAY_INT8 : MTREE_RELAY_UINT8;
    case 2:
        return is_signed ? MTREE_RELAY_INT16 : MTREE_RELAY_UINT16;
    case 4:
        return is_signed ? MTREE_RELAY_INT32 : MTREE_RELAY_UINT32;
    case 8:
        return is_signed ? MTREE_RELAY_INT64 : MTREE_RELAY_UINT64;
    default:
        return -1;
    }
}

/* -1: relays have no such type. */
static int type_of(const ompi_datatype_t *dtype)
{
    const ompi_datatype_t *const floats[] = {MPI_FLOAT, MPI_DOUBLE};
    const ompi_datatype_t *const integers[] = {
        MPI_SIGNED_CHAR, MPI_SHORT,   MPI_INT,     MPI_LONG,   MPI_LONG_LONG,
        MPI_INT8_T,      MPI_INT16_T, MPI_INT32_T, MPI_INT64_T};
    const ompi_datatype_t *const naturals[] = {MPI_UNSIGNED_CHAR,      MPI_UNSIGNED_SHORT,
                                               MPI_UNSIGNED,           MPI_UNSIGNED_LONG,
                                               MPI_UNSIGNED_LONG_LONG, MPI_UINT8_T,
                                               MPI_UINT16_T,           MPI_UINT32_T,
                                               MPI_UINT64_T,           MPI_BYTE};
    size_t bytes = dtype->super.size;

    for (size_t i = 0; i < sizeof(floats) / sizeof(floats[0]); i++) {
        if (dtype == floats[i]) {
            return i == 0 ? MTREE_RELAY_FLOAT : MTREE_RELAY_DOUBLE;
        }
    }
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        if (dtype == integers[i]) {
            return integer_of(bytes, true);
        }
    }
    for (size_t i = 0; i < sizeof(naturals) / sizeof(naturals[0]); i++) {
        if (dtype == naturals[i]) {
            return integer_of(bytes, false);
        }
    }
    return -1;
}

/* -1: relays have no such operation. */
static int op_of(const ompi_op_t *op)
{
    static const struct {
        int theirs, ours;
    } ops[] = {{OMPI_OP_SUM, MTREE_RELAY_SUM},   {OMPI_OP_PROD, MTREE_RELAY_PROD},
               {OMPI_OP_MIN, MTREE_RELAY_MIN},   {OMPI_OP_MAX, MTREE_RELAY_MAX},
               {OMPI_OP_BAND, MTREE_RELAY_BAND}, {OMPI_OP_BOR, MTREE_RELAY_BOR},
               {OMPI_OP_BXOR, MTREE_RELAY_BXOR}, {OMPI_OP_LAND, MTREE_RELAY_LAND},
               {OMPI_OP_LOR, MTREE_RELAY_LOR},   {OMPI_OP_LXOR, MTREE_RELAY_LXOR}};

    for (size_t i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
        if ((int)op->op_type == ops[i].theirs) {
            return ops[i].ours;
        }
    }
    return -1;
}

bool coll_mtree_relay_numbers(const ompi_op_t *op, const ompi_datatype_t *dtype,
                              uint32_t *type_p, uint32_t *op_p)
{
    int type = type_of(dtype),
        what = ompi_op_is_intrinsic((ompi_op_t *)op) ? op_of(op) : -1;

    if (type < 0 || what < 0 ||
        mtree_relay_fold((unsigned)type, (unsigned)what) == NULL) {
        return false;
    }
    if (type_p != NULL) {
        *type_p = (uint32_t)type;
        *op_p = (uint32_t)what;
    }
    return true;
}
