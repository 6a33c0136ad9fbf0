/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a report's page shows, for its two forms, text and HTML.
 */
#ifndef MTREE_REPORT_PAGE_H
#define MTREE_REPORT_PAGE_H

#include "report/table.h"

#include <jansson.h>

/* Members of objects, 0 and "" where there is none of that type. */
double mtree_page_number(const json_t *object, const char *key);
const char *mtree_page_text(const json_t *object, const char *key);

/* What @a by served of @a calls; NULL: nothing. */
const json_t *mtree_page_served_by(const json_t *calls, const char *by);

/* One of the two numbers of a link, @a direction 0: from its `from` to its `to`. */
double mtree_page_direction(const json_t *link, const char *key, size_t direction);

/* Has @a link no capacity any more?  Then no plan uses it. */
bool mtree_page_link_is_gone(const json_t *link);

/*
 * Writes one line of the page, without its end, about the job, or about number @a number
 * of what the line is about.
 */
typedef void (*mtree_page_line_t)(const json_t *report, size_t number, FILE *out);

/* The lines about the job as a whole, and those about a topology, some of which may be
 * empty; each list ends with NULL. */
extern const mtree_page_line_t mtree_page_job_lines[], mtree_page_map_lines[];

/* What @a line writes, malloc'ed; NULL: no memory. */
char *mtree_page_line_text(mtree_page_line_t line, const json_t *report, size_t number);

/* The ranks, the date and how long; the time in calls that mtree served; that of
 * planning, connecting and Open MPI's calls; what the calls were expected to take. */
void mtree_page_job(const json_t *report, size_t unused, FILE *out);
void mtree_page_served(const json_t *report, size_t unused, FILE *out);
void mtree_page_beside(const json_t *report, size_t unused, FILE *out);
void mtree_page_forecast(const json_t *report, size_t unused, FILE *out);

/* "b4: 12 hosts, 19 links, from b4.dot" of a topology; "MPI_COMM_WORLD: 12 ranks on 12
 * hosts". */
void mtree_page_topology(const json_t *report, size_t topology, FILE *out);
void mtree_page_communicator(const json_t *report, size_t communicator, FILE *out);

/* Where the calls found the network otherwise than the map has it, by more than a factor
 * of two: which calls and links; nothing where they agree. */
void mtree_page_disagreement(const json_t *report, size_t topology, FILE *out);
bool mtree_page_disagrees(const json_t *report, size_t topology);

/* The plan of @a calls; NULL: there is none. */
const json_t *mtree_page_plan_of(const json_t *report, const json_t *calls);

/* Of the calls over @a plan those that moved most; NULL: there are none. */
const json_t *mtree_page_calls_of_plan(const json_t *report, const json_t *plan);

/* "allreduce 8 MB-16 MB", "bcast 1 KB-2 KB root 3": what one line of calls is about,
 * at most @a length bytes into @a buffer. */
const char *mtree_page_calls_name(const json_t *calls, char *buffer, size_t length);

/* The tables: a communicator's calls; why some of them fell back; a topology's links; the
 * trees of @a plan, and what they gave in mtree_page_calls_of_plan(). */
mtree_table_t *mtree_page_calls(const json_t *report, const json_t *communicator);
mtree_table_t *mtree_page_fallbacks(const json_t *communicator);
mtree_table_t *mtree_page_links(const json_t *topology);
mtree_table_t *mtree_page_trees(const json_t *report, const json_t *plan);

#endif
