/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lists of host names as Slurm writes them: "login,n[0-15,20],rack[0-3]n[00-17]".
 */
#ifndef MTREE_TOOLS_HOST_LIST_H
#define MTREE_TOOLS_HOST_LIST_H

#include "base/status.h"

#define HOST_LIST_MAX 16384 /* names of one list */

typedef mtree_status_t (*host_list_func_t)(void *data, const char *name);

/*
 * Call @a func with each name of @a list, in its order, until it fails; its status then.
 * Numbers have as many digits as the first of their range; several brackets give every
 * combination.  A list that is not of this form: MTREE_ERR_INVALID, not logged, and
 * *why_p says what is wrong; it is not touched otherwise.
 */
mtree_status_t host_list_expand(const char *list, host_list_func_t func, void *data,
                                const char **why_p);

#endif
