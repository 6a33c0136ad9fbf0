/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The three forms of a collective: blocking, nonblocking, persistent (an extension of
 * Open MPI 4.1's).
 */
#ifndef MTREE_TESTS_MPI_FORMS_H
#define MTREE_TESTS_MPI_FORMS_H

#include <mpi.h>
#include <mpi-ext.h>

#ifdef OMPI_HAVE_MPI_EXT_PCOLLREQ
#define MTREE_PERSISTENT_NAME(_name) MPIX_##_name##_init
#else
#define MTREE_PERSISTENT_NAME(_name) MPI_##_name##_init
#endif

typedef enum {
    MTREE_BLOCKING_FORM,
    MTREE_NONBLOCKING_FORM,
    MTREE_PERSISTENT_FORM,
    MTREE_FORMS
} mtree_form_t;

/* Call the function for @a _form with the same arguments; @a _rc and @a _request are set.
 */
#define MTREE_CALL_ONE(_rc, _form, _request, _blocking, _nonblocking, _persistent, ...)  \
    do {                                                                                 \
        if ((_form) == MTREE_BLOCKING_FORM) {                                            \
            (_rc) = _blocking(__VA_ARGS__);                                              \
        } else if ((_form) == MTREE_NONBLOCKING_FORM) {                                  \
            (_rc) = _nonblocking(__VA_ARGS__, (_request));                               \
        } else {                                                                         \
            (_rc) = _persistent(__VA_ARGS__, MPI_INFO_NULL, (_request));                 \
        }                                                                                \
    } while (0)

#define MTREE_CALL_FORM(_rc, _form, _request, _name, _lower, ...)                        \
    MTREE_CALL_ONE(_rc, _form, _request, MPI_##_name, MPI_I##_lower,                     \
                   MTREE_PERSISTENT_NAME(_name), __VA_ARGS__)

#endif
