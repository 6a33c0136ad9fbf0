/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings as text, as processes publish and compare them: one line "NAME VALUE" per
 * parameter that must be the same on all ranks, then an empty line, then what the process
 * can do.
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

/* Write what a process publishes, whose lines are @a lines (with a newline at the end of
 * each), to @a text of @a size bytes.  False: it does not fit. */
bool coll_mtree_settings_write(const char *lines, coll_mtree_abilities_t abilities,
                               char *text, size_t size);

/*
 * Does @a theirs, which another process published (NULL: nothing), have the same lines as
 * @a lines, which are not ""?  Then *abilities_p is what it can do.
 */
bool coll_mtree_settings_equal(const char *lines, const char *theirs,
                               coll_mtree_abilities_t *abilities_p);

/* Two lines that differ, without their ends. */
typedef struct {
    const char *own, *theirs;
    int own_length, their_length;
} coll_mtree_settings_difference_t;

/* The first lines of @a lines and @a theirs that differ.  False: one of the two ends
 * before, or @a theirs is NULL, so that it is no matter of a value. */
bool coll_mtree_settings_find_difference(const char *lines, const char *theirs,
                                         coll_mtree_settings_difference_t *difference_p);

#endif
