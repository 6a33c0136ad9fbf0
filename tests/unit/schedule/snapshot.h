/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory that can be put back: for tests that go on from one state in several ways.
 *
 * Between snapshot_begin() and snapshot_end() whatever this program's own code allocates
 * comes from one region (the linker's --wrap sends malloc and its kin here, see
 * schedule/Makefile.inc), so a copy of the region is a copy of all that was made.
 */
#ifndef MTREE_TESTS_UNIT_SCHEDULE_SNAPSHOT_H
#define MTREE_TESTS_UNIT_SCHEDULE_SNAPSHOT_H

#include <stddef.h>

typedef struct {
    char *bytes;
    size_t length, room;
} snapshot_t;

void snapshot_begin(void);

/* From here on everything comes from the heap again, and what the region held is gone. */
void snapshot_end(void);

/* Starts with all members 0, or as it was left; taken as often as needed. */
void snapshot_take(snapshot_t *snapshot);
void snapshot_restore(const snapshot_t *snapshot);
void snapshot_free(snapshot_t *snapshot);

#endif
