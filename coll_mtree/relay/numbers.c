/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/relay/numbers.h"

#include "relay/fold.h"

#define LONG          (sizeof(long) == 8 ? MTREE_RELAY_INT64 : MTREE_RELAY_INT32)
#define UNSIGNED_LONG (sizeof(long) == 8 ? MTREE_RELAY_UINT64 : MTREE_RELAY_UINT32)

/* -1: relays have no such type. */
static int type_of(const ompi_datatype_t *dtype)
{
    const struct {
        const ompi_datatype_t *theirs;
        int ours;
    } types[] = {{MPI_FLOAT, MTREE_RELAY_FLOAT},
                 {MPI_DOUBLE, MTREE_RELAY_DOUBLE},
                 {MPI_SIGNED_CHAR, MTREE_RELAY_INT8},
                 {MPI_SHORT, MTREE_RELAY_INT16},
                 {MPI_INT, MTREE_RELAY_INT32},
                 {MPI_LONG, LONG},
                 {MPI_LONG_LONG, MTREE_RELAY_INT64},
                 {MPI_INT8_T, MTREE_RELAY_INT8},
                 {MPI_INT16_T, MTREE_RELAY_INT16},
                 {MPI_INT32_T, MTREE_RELAY_INT32},
                 {MPI_INT64_T, MTREE_RELAY_INT64},
                 {MPI_UNSIGNED_CHAR, MTREE_RELAY_UINT8},
                 {MPI_UNSIGNED_SHORT, MTREE_RELAY_UINT16},
                 {MPI_UNSIGNED, MTREE_RELAY_UINT32},
                 {MPI_UNSIGNED_LONG, UNSIGNED_LONG},
                 {MPI_UNSIGNED_LONG_LONG, MTREE_RELAY_UINT64},
                 {MPI_UINT8_T, MTREE_RELAY_UINT8},
                 {MPI_UINT16_T, MTREE_RELAY_UINT16},
                 {MPI_UINT32_T, MTREE_RELAY_UINT32},
                 {MPI_UINT64_T, MTREE_RELAY_UINT64},
                 {MPI_BYTE, MTREE_RELAY_UINT8}};

    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (dtype == types[i].theirs) {
            return types[i].ours;
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
