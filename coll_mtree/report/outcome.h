/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What came of a job whose user named mtree.
 */
#ifndef COLL_MTREE_REPORT_OUTCOME_H
#define COLL_MTREE_REPORT_OUTCOME_H

/* At the end of the job, on rank 0: one line when none of its calls was served and no
 * line has said so before. */
void coll_mtree_outcome_tell(void);

#endif
