/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Who has called a collective: the program, by a function of MPI's, or Open MPI itself.
 */
#ifndef COLL_MTREE_BASE_CALLER_H
#define COLL_MTREE_BASE_CALLER_H

#include <stdbool.h>

/* Is @a code, to which a collective returns, of a function whose name is MPI_... or
 * PMPI_...?  Open MPI's other functions have none of these names, or none that is seen
 * outside of its library. */
bool coll_mtree_caller_is_program(const void *code);

#endif
