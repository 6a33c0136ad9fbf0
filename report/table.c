/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/table.h"

#include "base/arena.h"
#include "base/array.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MOST_CELL 320 /* bytes; what is longer is cut */

struct mtree_table {
    const char *columns;
    int num_columns, num_cells, room;
    const char **cells; /* [num_cells] */
    bool failed;        /* no memory for a cell */
    mtree_arena_t arena;
};

/* In the place of a table when there is no memory for one. */
static mtree_table_t no_table = {.columns = "", .failed = true};

mtree_table_t *mtree_table_create(const char *columns, const char *heads)
{
    mtree_table_t *table = calloc(1, sizeof(*table));

    if (table == NULL) {
        return &no_table;
    }
    table->columns = columns;
    table->num_columns = (int)strlen(columns);
    for (int column = 0; column < table->num_columns; column++) {
        int length = (int)strcspn(heads, "|");

        mtree_table_add(table, "%.*s", length, heads);
        heads += length + 1;
    }
    return table;
}

void mtree_table_destroy(mtree_table_t *table)
{
    if (table == NULL || table == &no_table) {
        return;
    }
    free(table->cells);
    mtree_arena_cleanup(&table->arena);
    free(table);
}

void mtree_table_add(mtree_table_t *table, const char *format, ...)
{
    char text[MOST_CELL];
    va_list args;

    if (table->failed ||
        mtree_array_reserve(&table->cells, &table->room, table->num_cells + 1,
                            sizeof(*table->cells)) != MTREE_OK) {
        table->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    table->cells[table->num_cells] = mtree_arena_strdup(&table->arena, text);
    table->failed = table->cells[table->num_cells] == NULL;
    table->num_cells += !table->failed;
}

bool mtree_table_has_rows(const mtree_table_t *table)
{
    return table->num_columns > 0 && table->num_cells > table->num_columns;
}

static int num_rows(const mtree_table_t *table)
{
    return table->num_columns == 0 ? 0 : table->num_cells / table->num_columns;
}

static const char *cell_at(const mtree_table_t *table, int row, int column)
{
    const char *cell = table->cells[row * table->num_columns + column];

    return strcmp(cell, "-") == 0 ? "" : cell;
}

/* Characters of UTF-8 text. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text != '\0'; text++) {
        width += ((unsigned char)*text & 0xc0) != 0x80;
    }
    return width;
}

/* The widest cell of a column; 0: all below the head are empty. */
static int column_width(const mtree_table_t *table, int column)
{
    int widest = 0;

    for (int row = 1; row < num_rows(table); row++) {
        int width = width_of(cell_at(table, row, column));

        widest = width > widest ? width : widest;
    }
    if (widest > 0 && width_of(cell_at(table, 0, column)) > widest) {
        widest = width_of(cell_at(table, 0, column));
    }
    return widest;
}

static void print_failure(const mtree_table_t *table, FILE *out)
{
    if (table->failed) {
        fputs("  (no memory for the whole table)\n", out);
    }
}

void mtree_table_print(const mtree_table_t *table, FILE *out)
{
    for (int row = 0; row < num_rows(table); row++) {
        int owed = 0; /* blanks, which the end of a line does without */

        for (int column = 0; column < table->num_columns; column++) {
            const char *cell = cell_at(table, row, column);
            int width = column_width(table, column);
            int blanks = width - width_of(cell);

            if (width == 0) {
                continue;
            }
            owed += 2 + (table->columns[column] == 'r' ? blanks : 0);
            if (cell[0] != '\0') {
                fprintf(out, "%*s%s", owed, "", cell);
                owed = 0;
            }
            owed += table->columns[column] == 'r' ? 0 : blanks;
        }
        fputc('\n', out);
    }
    print_failure(table, out);
}

void mtree_table_escape(const char *text, FILE *out)
{
    static const char letters[] = "&<>\"";
    static const char *const escapes[] = {"&amp;", "&lt;", "&gt;", "&quot;"};

    for (; *text != '\0'; text++) {
        const char *letter = strchr(letters, *text);

        if (letter != NULL) {
            fputs(escapes[letter - letters], out);
        } else {
            fputc(*text, out);
        }
    }
}

void mtree_table_write_html(const mtree_table_t *table, FILE *out)
{
    fputs("<div class=\"wide\"><table>\n", out);
    for (int row = 0; row < num_rows(table); row++) {
        const char *kind = row == 0 ? "th" : "td";

        fputs("<tr>", out);
        for (int column = 0; column < table->num_columns; column++) {
            if (column_width(table, column) == 0) {
                continue;
            }
            fprintf(out, "<%s%s>", kind,
                    table->columns[column] == 'r' ? " class=\"r\"" : "");
            mtree_table_escape(cell_at(table, row, column), out);
            fprintf(out, "</%s>", kind);
        }
        fputs("</tr>\n", out);
    }
    fputs("</table></div>\n", out);
    print_failure(table, out);
}
