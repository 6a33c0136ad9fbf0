/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings, as processes publish and compare them: what the process can do, and as text
 * the parameters that must be the same on all ranks.
 */
#ifndef COLL_MTREE_CONTROL_SETTINGS_H
#define COLL_MTREE_CONTROL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a process, or of those of a communicator together. */
typedef struct {
    uint32_t longest; /* bytes of a message that each can send */
    bool is_threaded; /* several threads of one may call MPI at once */
} coll_mtree_abilities_t;

/* Published as it is.  All zeros: another process has published none.  Older versions
 * published the lines alone, so they come first. */
typedef struct {
    char lines[504]; /* one line "NAME VALUE" per parameter, and a NUL */
    coll_mtree_abilities_t abilities;
} coll_mtree_settings_t;

/* Go on to the first of the lines at *own_p and *theirs_p that differ.  False: one of the
 * two ends before, so that it is no matter of a value. */
bool coll_mtree_settings_find_difference(const char **own_p, const char **theirs_p);

#endif
