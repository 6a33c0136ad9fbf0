/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's operations and datatypes as a relay knows them. */
#ifndef COLL_MTREE_RELAY_NUMBERS_H
#define COLL_MTREE_RELAY_NUMBERS_H

#include "ompi/datatype/ompi_datatype.h"
#include "ompi/op/op.h"

#include <stdbool.h>
#include <stdint.h>

/* The type and operation of relay/fold.h that do what @a op does to @a dtype; both may be
 * NULL.  False: there are none.  The same on all ranks. */
bool coll_mtree_relay_numbers(const ompi_op_t *op, const ompi_datatype_t *dtype,
                              uint32_t *type_p, uint32_t *op_p);

#endif
