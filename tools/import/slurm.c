/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slurm's topology.conf: a line for each switch, "SwitchName=NAME Nodes=LIST" or
 * "SwitchName=NAME Switches=LIST", as its tree plugin reads it, for each block,
 * "BlockName=NAME Nodes=LIST", and "BlockSizes=LIST", as its block plugin does, or for
 * each ring, "RingName=NAME Nodes=LIST".  Values may be quoted, and '=' have blanks
 * around it.  "#" begins a comment, a backslash at the end of a line continues it, and
 * "Include FILE" stands for the lines of that file.
 */
#include "tools/import/formats.h"
#include "tools/import/slurm_topology.h"

#include "base/file.h"
#include "base/log.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_LINE     (1 << 20)
#define MAX_INCLUDED 8 /* files in each other */
#define BLANKS       " \t\r\n"

/* A file, and the topology that it and the files around it say. */
typedef struct {
    slurm_topology_t *topology;
    int depth; /* of files around it */
} file_t;

/* The values of a line, which point into it. */
typedef struct {
    char *name, *nodes, *switches, *speed; /* of a switch, and nodes of a block */
    char *block, *sizes, *ring;
} line_t;

/* Keep @a value under @a key, which is one of Slurm's, in any case. */
static mtree_status_t take_pair(const import_t *import, line_t *line, const char *key,
                                char *value, int number)
{
    const struct {
        const char *key;
        char **value_p;
    } keys[] = {{"SwitchName", &line->name},   {"Nodes", &line->nodes},
                {"Switches", &line->switches}, {"LinkSpeed", &line->speed},
                {"BlockName", &line->block},   {"BlockSizes", &line->sizes},
                {"RingName", &line->ring}};

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); ++i) {
        if (strcasecmp(key, keys[i].key) == 0) {
            *keys[i].value_p = value;
            return MTREE_OK;
        }
    }
    mtree_error("%s:%d: %.60s is no key of a switch (SwitchName, Nodes, Switches, "
                "LinkSpeed), of blocks (BlockName, Nodes, BlockSizes) or of a ring "
                "(RingName, Nodes); other topologies of Slurm are not read",
                import->file, number, key);
    return MTREE_ERR_INVALID;
}

/* Cut the next "Key=value" from *@a text_p; false: there is no '=' or no end of a quoted
 * value. */
static bool cut_pair(char **text_p, char **key_p, char **value_p)
{
    char *key_end = *text_p + strcspn(*text_p, "=" BLANKS), *value, *end;
    bool is_quoted;

    value = key_end + strspn(key_end, BLANKS);
    if (*value != '=') {
        return false;
    }
    value += 1 + strspn(value + 1, BLANKS);
    is_quoted = *value == '"';
    value += is_quoted;
    end = value + strcspn(value, is_quoted ? "\"" : BLANKS);
    if (is_quoted && *end == '\0') {
        return false;
    }
    *key_p = *text_p;
    *value_p = value;
    *text_p = end + (*end != '\0');
    *key_end = *end = '\0';
    return true;
}

static mtree_status_t take_switch(slurm_topology_t *topology, const line_t *line,
                                  int number)
{
    const slurm_group_t group = {line->name, line->nodes, line->switches, line->speed};

    if (line->name == NULL || (line->nodes == NULL && line->switches == NULL)) {
        mtree_error("%s:%d: a switch needs SwitchName=, and Nodes= or Switches=",
                    topology->import->file, number);
        return MTREE_ERR_INVALID;
    }
    return slurm_topology_add_switch(topology, &group, number);
}

static mtree_status_t take_block(slurm_topology_t *topology, const line_t *line,
                                 int number)
{
    const slurm_group_t group = {.name = line->block, .nodes = line->nodes};

    if (line->nodes == NULL || line->name != NULL || line->switches != NULL) {
        mtree_error("%s:%d: a block needs BlockName= and Nodes=", topology->import->file,
                    number);
        return MTREE_ERR_INVALID;
    }
    return slurm_topology_add_block(topology, &group, number);
}

static mtree_status_t take_sizes(slurm_topology_t *topology, char *sizes, int number)
{
    mtree_status_t status = MTREE_OK;
    char *size;

    while (status == MTREE_OK && (size = strtok_r(sizes, ",", &sizes)) != NULL) {
        status = slurm_topology_add_size(topology, size, number);
    }
    return status;
}

static mtree_status_t take_ring(slurm_topology_t *topology, const line_t *line,
                                int number)
{
    const slurm_group_t group = {.name = line->ring, .nodes = line->nodes};

    if (line->nodes == NULL || line->name != NULL || line->switches != NULL) {
        mtree_error("%s:%d: a ring needs RingName= and Nodes=", topology->import->file,
                    number);
        return MTREE_ERR_INVALID;
    }
    return slurm_topology_add_torus(topology, &group, NULL, number);
}

static mtree_status_t take_groups(slurm_topology_t *topology, const line_t *line,
                                  int number)
{
    mtree_status_t status = MTREE_OK;

    if (line->sizes != NULL) {
        status = take_sizes(topology, line->sizes, number);
    }
    if (status != MTREE_OK) {
        return status;
    }
    if (line->block != NULL) {
        return take_block(topology, line, number);
    }
    if (line->ring != NULL) {
        return take_ring(topology, line, number);
    }
    return line->name != NULL || line->nodes != NULL || line->switches != NULL ||
                   line->speed != NULL
               ? take_switch(topology, line, number)
               : MTREE_OK;
}

static mtree_status_t take_file(const file_t *file, const char *text, size_t length);

/* The lines of the file @a name, which is in the folder of the one that includes it
 * unless its name begins with '/'. */
static mtree_status_t include(const file_t *file, const char *name, int number)
{
    const file_t inner = {file->topology, file->depth + 1};
    import_t *import = file->topology->import;
    const char *outer = import->file, *slash = strrchr(outer, '/');
    mtree_status_t status;
    char path[4096], *text;
    size_t length;

    if (inner.depth > MAX_INCLUDED) {
        mtree_error("%s:%d: more than %d files include each other", outer, number,
                    MAX_INCLUDED);
        return MTREE_ERR_LIMIT;
    }
    (void)snprintf(path, sizeof(path), "%.*s%s",
                   *name == '/' || slash == NULL ? 0 : (int)(slash - outer) + 1, outer,
                   name);
    status = mtree_file_read(path, &text, &length);
    if (status == MTREE_OK) {
        import->file = path;
        status = take_file(&inner, text, length);
        import->file = outer;
        free(text);
    }
    return status;
}

static mtree_status_t take_line(const file_t *file, char *text, int number)
{
    mtree_status_t status = MTREE_OK;
    line_t line = {0};
    char *key, *value;

    text += strspn(text, BLANKS);
    if (strncasecmp(text, "Include", 7) == 0 && text[7] != '\0' &&
        strchr(BLANKS, text[7]) != NULL) {
        text += 7 + strspn(text + 7, BLANKS);
        text[strcspn(text, BLANKS)] = '\0';
        return include(file, text, number);
    }
    while (status == MTREE_OK && *text != '\0') {
        if (!cut_pair(&text, &key, &value)) {
            mtree_error("%s:%d: '%.60s' is no Key=value", file->topology->import->file,
                        number, text);
            return MTREE_ERR_INVALID;
        }
        status = take_pair(file->topology->import, &line, key, value, number);
        text += strspn(text, BLANKS);
    }
    return status == MTREE_OK ? take_groups(file->topology, &line, number) : status;
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
        text += size + (newline != NULL);
        ++count;
    }
    line[length] = '\0';
    *text_p = text;
    return count;
}

static mtree_status_t take_lines(const file_t *file, const char *text, const char *end,
                                 char *line)
{
    mtree_status_t status = MTREE_OK;
    int number = 1, count;

    while (status == MTREE_OK && text < end) {
        count = join_lines(&text, end, line);
        status = take_line(file, line, number);
        number += count;
    }
    return status;
}

static mtree_status_t take_file(const file_t *file, const char *text, size_t length)
{
    const char *name = file->topology->import->file;
    mtree_status_t status;
    char *line;

    if (memchr(text, '\0', length) != NULL || length > MAX_LINE) {
        mtree_error("%s: not a topology.conf (a NUL in it, or over %d bytes)", name,
                    MAX_LINE);
        return MTREE_ERR_INVALID;
    }
    line = malloc(length + 1);
    if (line == NULL) {
        return mtree_no_memory("%s", name);
    }
    status = take_lines(file, text, text + length, line);
    free(line);
    return status;
}

mtree_status_t import_slurm(import_t *import, const char *text, size_t length)
{
    slurm_topology_t topology;
    const file_t file = {.topology = &topology};
    mtree_status_t status;

    slurm_topology_init(&topology, import);
    status = take_file(&file, text, length);
    if (status == MTREE_OK) {
        status = slurm_topology_finish(&topology);
    }
    slurm_topology_cleanup(&topology);
    return status;
}
