/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Cancelling: the end of long computations whose results nobody needs any more.
 *
 * There is one flag in a process.  Loops of the planner and the simulator that may take
 * longer than some ten milliseconds look at it; what contains them then returns
 * MTREE_ERR_CANCELLED, which is not logged.  It may leave a result that is of no use.
 */
#ifndef MTREE_BASE_CANCEL_H
#define MTREE_BASE_CANCEL_H

#include <stdbool.h>

/* Cancel all computations, until the flag is cleared; from any thread. */
void mtree_cancel_set(bool is_cancelled);

/* Are they cancelled?  From any thread; as cheap as reading a variable. */
bool mtree_cancel_is_set(void);

#endif
