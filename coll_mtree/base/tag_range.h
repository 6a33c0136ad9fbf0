/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which tags a communicator's calls take next, among those that Open MPI leaves free.
 *
 * Tags are negative; @a limit is how many the PML distinguishes and Open MPI sets aside for
 * nonblocking collectives.  Open MPI counts from -1 down; mtree has the far half, of
 * which one half is for calls and one for persistent requests.  Each half is used again
 * from its beginning when it ends.
 */
#ifndef COLL_MTREE_BASE_TAG_RANGE_H
#define COLL_MTREE_BASE_TAG_RANGE_H

#include <stdbool.h>

/* One communicator's; zeros are its initial value. */
typedef struct {
    int taken[2]; /* so far, of the tags of calls and of those of persistent requests */
} coll_mtree_tag_range_t;

/* Most tags that can be taken at a time. */
int coll_mtree_tag_range_most(int limit);

/* The first of @a count tags, at most coll_mtree_tag_range_most(); the others are the
 * next lower ones. */
int coll_mtree_tag_range_take(coll_mtree_tag_range_t *range, int limit, int count,
                              bool persistent);

#endif
