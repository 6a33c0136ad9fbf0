/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Debian's Open MPI packages leave this header out; all that other headers use of it is
 * this conversion, which is the value itself where a Fortran INTEGER is a C int.
 */
#ifndef MTREE_SHIM_FINT_2_INT_H
#define MTREE_SHIM_FINT_2_INT_H

#define OMPI_INT_2_FINT(a) (a)
#define OMPI_FINT_2_INT(a) (a)

#endif
