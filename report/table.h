/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of a report's page: the same cells as text and as HTML.
 */
#ifndef MTREE_REPORT_TABLE_H
#define MTREE_REPORT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

typedef struct mtree_table mtree_table_t;

/*
 * A table whose columns are aligned as the letters of @a columns, l or r, a static text,
 * with @a heads, one per column with '|' between them.  Never NULL: without memory it
 * stays empty, and has a line about that where it is written.
 */
mtree_table_t *mtree_table_create(const char *columns, const char *heads);

/* Free; NULL is allowed. */
void mtree_table_destroy(mtree_table_t *table);

/* The next cell, row by row.  "-" is an empty one. */
void mtree_table_add(mtree_table_t *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Does it have rows besides its head? */
bool mtree_table_has_rows(const mtree_table_t *table);

/* Write it, indented by two blanks; columns that are empty below their head are left out.
 */
void mtree_table_print(const mtree_table_t *table, FILE *out);
void mtree_table_write_html(const mtree_table_t *table, FILE *out);

/* Write @a text with what HTML takes for its own escaped. */
void mtree_table_escape(const char *text, FILE *out);

#endif
