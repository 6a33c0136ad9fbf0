/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Members of a report's objects, any of which may be missing, or of another type.
 */
#ifndef MTREE_REPORT_MEMBERS_H
#define MTREE_REPORT_MEMBERS_H

#include <jansson.h>

/* The value of "format"; another number means that names have changed. */
#define MTREE_REPORT_FORMAT "mtree-report 2"

/* 0 and "" where there is none of that type. */
double mtree_report_number(const json_t *object, const char *key);
const char *mtree_report_text(const json_t *object, const char *key);

/* One of the two numbers of a link, @a direction 0: from its `from` to its `to`. */
double mtree_report_direction(const json_t *link, const char *key, size_t direction);

#endif
