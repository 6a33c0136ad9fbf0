/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The form of reports, which the component writes and mtree(1) reads (docs/report.md).
 */
#ifndef MTREE_REPORT_FORMAT_H
#define MTREE_REPORT_FORMAT_H

/* The value of "format"; another number means that names have changed. */
#define MTREE_REPORT_FORMAT "mtree-report 4"

#endif
