/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables of links, one line "u<TAB>v<TAB>capacity_mbps<TAB>latency_ms" per link, with "-"
 * for what is not known; lines "# key: value" describe the network.
 */
#include "tools/import/formats.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

#define MAX_FIELDS 8
#define MAX_LINE   4096

typedef mtree_status_t (*line_func_t)(import_t *import, char *line, int number);

/* Cut @a line at its tabs; the number of fields, at most MAX_FIELDS. */
static int cut(char *line, char **fields)
{
    int count = 0;
    char *tab;

    while (count < MAX_FIELDS) {
        fields[count++] = line;
        tab = strchr(line, '\t');
        if (tab == NULL) {
            break;
        }
        *tab = '\0';
        line = tab + 1;
    }
    return count;
}

static bool is_known(const char *field)
{
    return *field != '\0' && strcmp(field, "-") != 0;
}

static mtree_status_t take_heading(import_t *import, char *line)
{
    static const char *const kept[] = {"description:", "source:", "license:", NULL};

    line += strspn(line, "# \t");
    if (strncmp(line, "name:", 5) == 0) {
        return import_set_name(import, line + 5 + strspn(line + 5, " \t"));
    }
    if (strncmp(line, "directed:", 9) == 0) {
        import->directed = (strstr(line, "yes") != NULL);
    }
    for (int i = 0; kept[i] != NULL; ++i) {
        if (strncmp(line, kept[i], strlen(kept[i])) == 0) {
            return import_comment(import, line, strlen(line));
        }
    }
    return MTREE_OK;
}

/* The fields of a line under their keys, but those that are not known. */
static import_record_t take_fields(import_t *import, const char *const keys[4],
                                   char **fields, int count, int number)
{
    import_record_t record;

    import_record_init(&record);
    for (int i = 0; i < count && i < 4; i++) {
        if (is_known(fields[i])) {
            (void)import_record_take(&record, import, keys[i], fields[i], number);
        }
    }
    return record;
}

static mtree_status_t take_link(import_t *import, char *line, int number)
{
    static const char *const keys[] = {"source", "target", "capacity", "latency"};
    import_record_t record;
    char *fields[MAX_FIELDS];
    int count;

    if (*line == '#') {
        return take_heading(import, line);
    }
    count = cut(line, fields);
    if (count < 2) {
        mtree_error("%s:%d: two nodes with a tab between them are needed", import->file,
                    number);
        return MTREE_ERR_INVALID;
    }
    record = take_fields(import, keys, fields, count, number);
    return import_add_link(import, &record, number);
}

static mtree_status_t take_node(import_t *import, char *line, int number)
{
    static const char *const keys[] = {"id", "label", "lat", "lon"};
    import_record_t record;
    char *fields[MAX_FIELDS];
    int count;

    if (*line == '#') {
        return MTREE_OK;
    }
    count = cut(line, fields);
    /* Nodes without links are of no use; labels of the others are. */
    if (json_object_get(import->places, fields[0]) == NULL) {
        return MTREE_OK;
    }
    record = take_fields(import, keys, fields, count, number);
    return import_add_node(import, &record, number);
}

static mtree_status_t each_line(import_t *import, const char *text, size_t length,
                                line_func_t func)
{
    const char *end = text + length;
    mtree_status_t status = MTREE_OK;
    int number = 1;
    char line[MAX_LINE];
    const char *newline;
    size_t size;

    for (; text < end && status == MTREE_OK; ++number) {
        newline = memchr(text, '\n', (size_t)(end - text));
        size = (size_t)(((newline != NULL) ? newline : end) - text);
        if (size >= sizeof(line) || memchr(text, '\0', size) != NULL) {
            mtree_error("%s:%d: not a line of a table (over %d bytes, or a NUL in it)",
                        import->file, number, MAX_LINE);
            return MTREE_ERR_INVALID;
        }
        memcpy(line, text, size);
        line[size] = '\0';
        line[strcspn(line, "\r")] = '\0';
        text += size + (newline != NULL);
        if (*line != '\0') {
            status = func(import, line, number);
        }
    }
    return status;
}

mtree_status_t import_tsv(import_t *import, const char *text, size_t length)
{
    return each_line(import, text, length, take_link);
}

mtree_status_t import_tsv_nodes(import_t *import, const char *file, const char *text,
                                size_t length)
{
    const char *links_file = import->file;
    mtree_status_t status;

    import->file = file;
    status = each_line(import, text, length, take_node);
    import->file = links_file;
    return status;
}
