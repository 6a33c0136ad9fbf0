/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slurm's topology.conf, as its tree plugin reads it: a line for each switch,
 * "SwitchName=NAME Nodes=LIST" or "SwitchName=NAME Switches=LIST", with "#" comments; a
 * backslash at the end of a line continues it.
 */
#include "tools/import/formats.h"

#include "tools/host_list.h"

#include "base/log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_LINE (1 << 20)

/* The values of a line, which point into it. */
typedef struct {
    char *name, *nodes, *switches, *speed;
} line_t;

/* The list that take_member() is given name by name. */
typedef struct {
    import_t *import;
    const line_t *line;
    int number; /* of the line */
    bool are_switches;
} listing_t;

static mtree_status_t mark_switch(import_t *import, const char *name, int number)
{
    mtree_status_t status;
    int node;

    status = import_node(import, name, number, &node);
    if (status == MTREE_OK) {
        import->nodes[node].is_switch = true;
    }
    return status;
}

/* One name of a list: a link joins it to the line's switch. */
static mtree_status_t take_member(void *data, const char *name)
{
    const listing_t *listing = data;
    import_t *import = listing->import;
    const line_t *line = listing->line;
    mtree_status_t status = MTREE_OK;
    import_record_t record;

    if (listing->are_switches) {
        status = mark_switch(import, name, listing->number);
    }
    if (status != MTREE_OK) {
        return status;
    }
    import_record_init(&record);
    (void)import_record_take(&record, import, "source", line->name, listing->number);
    (void)import_record_take(&record, import, "target", name, listing->number);
    /* Slurm does not define a speed's unit, so a bare number is not used. */
    if (line->speed != NULL && line->speed[strspn(line->speed, "0123456789.")] != '\0') {
        (void)import_record_take(&record, import, "capacity", line->speed,
                                 listing->number);
    }
    return import_add_link(import, &record, listing->number);
}

static mtree_status_t take_list(import_t *import, const line_t *line, int number,
                                const char *list, bool are_switches)
{
    listing_t listing = {import, line, number, are_switches};
    const char *why = NULL;
    mtree_status_t status;

    status = host_list_expand(list, take_member, &listing, &why);
    if (why != NULL) {
        mtree_error("%s:%d: the list '%.60s': %s", import->file, number, list, why);
    }
    return status;
}

/* The value of one "Key=value" into @a line; keys are Slurm's, in any case. */
static mtree_status_t take_pair(const import_t *import, line_t *line, char *pair,
                                int number)
{
    char *value = strchr(pair, '=');
    const struct {
        const char *key;
        char **value_p;
    } keys[] = {{"SwitchName", &line->name},
                {"Nodes", &line->nodes},
                {"Switches", &line->switches},
                {"LinkSpeed", &line->speed}};

    if (value == NULL) {
        mtree_error("%s:%d: '%.60s' is no Key=value", import->file, number, pair);
        return MTREE_ERR_INVALID;
    }
    *value++ = '\0';
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        if (strcasecmp(pair, keys[i].key) == 0) {
            *keys[i].value_p = value;
            return MTREE_OK;
        }
    }
    mtree_error("%s:%d: %.60s is no key of a tree's switch (SwitchName, Nodes, Switches, "
                "LinkSpeed); other topologies of Slurm are not read",
                import->file, number, pair);
    return MTREE_ERR_INVALID;
}

static mtree_status_t take_line(import_t *import, char *text, int number)
{
    mtree_status_t status = MTREE_OK;
    line_t line = {0};
    char *pair, *rest = text;

    while (status == MTREE_OK && (pair = strtok_r(rest, " \t\r\n", &rest)) != NULL) {
        status = take_pair(import, &line, pair, number);
    }
    if (status != MTREE_OK || (line.name == NULL && line.nodes == NULL &&
                               line.switches == NULL && line.speed == NULL)) {
        return status;
    }
    if (line.name == NULL || (line.nodes == NULL && line.switches == NULL)) {
        mtree_error("%s:%d: a switch needs SwitchName=, and Nodes= or Switches=",
                    import->file, number);
        return MTREE_ERR_INVALID;
    }
    status = mark_switch(import, line.name, number);
    if (status == MTREE_OK && line.nodes != NULL) {
        status = take_list(import, &line, number, line.nodes, false);
    }
    if (status == MTREE_OK && line.switches != NULL) {
        status = take_list(import, &line, number, line.switches, true);
    }
    return status;
}

/* Copy a line of *@a text_p without its comment, and the lines that continue it, to @a
 * line, and move *@a text_p behind them; returns how many they are. */
static int join_lines(const char **text_p, const char *end, char *line)
{
    const char *text = *text_p;
    size_t length = 0;
    int count = 0;
    bool continues = true;

    while (continues && text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t size = (size_t)(((newline != NULL) ? newline : end) - text);
        const char *comment = memchr(text, '#', size);
        size_t kept = (comment != NULL) ? (size_t)(comment - text) : size;

        while (kept > 0 && isspace((unsigned char)text[kept - 1])) {
            --kept;
        }
        continues = kept > 0 && text[kept - 1] == '\\';
        kept -= continues;
        memcpy(line + length, text, kept);
        length += kept;
        line[length++] = ' ';
        text += size + (newline != NULL);
        ++count;
    }
    line[length] = '\0';
    *text_p = text;
    return count;
}

mtree_status_t import_slurm(import_t *import, const char *text, size_t length)
{
    const char *end = text + length;
    mtree_status_t status = MTREE_OK;
    char *line;
    int number = 1, count;

    if (memchr(text, '\0', length) != NULL || length > MAX_LINE) {
        mtree_error("%s: not a topology.conf (a NUL in it, or over %d bytes)",
                    import->file, MAX_LINE);
        return MTREE_ERR_INVALID;
    }
    line = malloc(2 * length + 2);
    if (line == NULL) {
        mtree_error("%s: out of memory", import->file);
        return MTREE_ERR_NO_MEMORY;
    }
    while (status == MTREE_OK && text < end) {
        count = join_lines(&text, end, line);
        status = take_line(import, line, number);
        number += count;
    }
    free(line);
    return status;
}
