/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines for the user.  What the rooms below log (base/log.h) goes to Open MPI's output,
 * as far as coll_mtree_verbose wants it.
 */
#ifndef COLL_MTREE_BASE_LOG_H
#define COLL_MTREE_BASE_LOG_H

#include "coll_mtree/coll_mtree.h"

#include "base/list.h"
#include "base/log.h"

/* When the component is opened and closed. */
void coll_mtree_log_open(void);
void coll_mtree_log_close(void);

/* One line on rank 0 of a communicator when coll_mtree_verbose is at least @a level. */
void coll_mtree_verbose(ompi_communicator_t *comm, int level, const char *format, ...)
    __opal_attribute_format__(__printf__, 3, 4);

/* The level of a line that says why @a comm is not served: 0 for the world of a job whose
 * user named mtree or a map, else 1. */
int coll_mtree_fallback_level(ompi_communicator_t *comm);

/* Is a line about @a topic, a string that stays, the first one of this process?  From any
 * thread. */
bool coll_mtree_log_is_first(const char *topic);

/*
 * What @a what sends between hosts goes over Open MPI's connections, for @a reason, a
 * clause that follows "since" and stays in memory.  Where encryption is asked for rank 0
 * of @a comm says it, each reason once.
 */
void coll_mtree_not_encrypted(ompi_communicator_t *comm, const char *what,
                              const char *reason);

/*
 * The code of a call of @a function, @a root ("": none, or of no matter), on @a comm for
 * which the plan of rank 0, which is one for @a planned, cannot be: the program's ranks
 * make different calls.  The first logs a line.
 */
int coll_mtree_different_calls(ompi_communicator_t *comm, const char *function,
                               const char *root, const char *planned);

/*
 * Open MPI's output is for threads of the program alone: keep the lines that this thread
 * logs in the list @a lines, which is empty at first, until the next call with NULL.
 */
void coll_mtree_log_keep(mtree_list_t *lines);

/* Write the lines that were kept, and empty the list. */
void coll_mtree_log_write(mtree_list_t *lines);

#endif
