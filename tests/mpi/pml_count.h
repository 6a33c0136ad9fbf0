/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What this rank sends through Open MPI's PML.  (pml/monitoring of Open MPI 4.1 has no
 * variables to read.)
 */
#ifndef TESTS_MPI_PML_COUNT_H
#define TESTS_MPI_PML_COUNT_H

#include <stddef.h>

#define PML_COUNT_MOST_RANKS 64

typedef struct {
    size_t messages, empty; /* with and without data */
    size_t bytes;
} pml_sent_t;

/* To each rank of MPI_COMM_WORLD, since pml_count_begin() or the last reset; reset it by
 * overwriting it with zeros. */
extern pml_sent_t pml_sent[PML_COUNT_MOST_RANKS];

/* Count from now on.  After MPI_Init, in a job of at most PML_COUNT_MOST_RANKS. */
void pml_count_begin(void);

/* Messages since then, on all communicators. */
extern size_t pml_sent_all;

#endif
