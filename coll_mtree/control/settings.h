/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings as text, as processes publish and compare them: one line "NAME VALUE" per
 * parameter that must be the same on all ranks, then an empty line, then the longest
 * message that the process can send.
 */
#ifndef COLL_MTREE_CONTROL_SETTINGS_H
#define COLL_MTREE_CONTROL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Write what a process publishes, whose lines are @a lines (with a newline at the end of
 * each) and whose messages hold @a longest bytes, to @a text of @a size bytes.  False: it
 * does not fit. */
bool coll_mtree_settings_write(const char *lines, uint32_t longest, char *text,
                               size_t size);

/*
 * Does @a theirs, which another process published (NULL: nothing), have the same lines as
 * @a lines, which are not ""?  Then *longest_p is what its messages hold.
 */
bool coll_mtree_settings_equal(const char *lines, const char *theirs,
                               uint32_t *longest_p);

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
