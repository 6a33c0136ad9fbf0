/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slurm's topology.conf: a line for each switch, "SwitchName=NAME Nodes=LIST" or
 * "SwitchName=NAME Switches=LIST", as its tree plugin reads it, or for each block,
 * "BlockName=NAME Nodes=LIST", and "BlockSizes=LIST", as its block plugin does, with "#"
 * comments; a backslash at the end of a line continues it.
 */
#include "tools/import/formats.h"
#include "tools/import/slurm_topology.h"

#include "base/log.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_LINE (1 << 20)

/* The values of a line, which point into it. */
typedef struct {
    char *name, *nodes, *switches, *speed; /* of a switch, and nodes of a block */
    char *block, *sizes;
} line_t;

/* The value of one "Key=value" into @a line; keys are Slurm's, in any case. */
static mtree_status_t take_pair(const import_t *import, line_t *line, char *pair,
                                int number)
{
    char *value = strchr(pair, '=');
    const struct {
        const char *key;
        char **value_p;
    } keys[] = {{"SwitchName", &line->name},   {"Nodes", &line->nodes},
                {"Switches", &line->switches}, {"LinkSpeed", &line->speed},
                {"BlockName", &line->block},   {"BlockSizes", &line->sizes}};

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
    mtree_error("%s:%d: %.60s is no key of a switch (SwitchName, Nodes, Switches, "
                "LinkSpeed) or of blocks (BlockName, Nodes, BlockSizes); other "
                "topologies of Slurm are not read",
                import->file, number, pair);
    return MTREE_ERR_INVALID;
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

static mtree_status_t take_line(slurm_topology_t *topology, char *text, int number)
{
    mtree_status_t status = MTREE_OK;
    line_t line = {0};
    char *pair, *rest = text;

    while (status == MTREE_OK && (pair = strtok_r(rest, " \t\r\n", &rest)) != NULL) {
        status = take_pair(topology->import, &line, pair, number);
    }
    if (status == MTREE_OK && line.sizes != NULL) {
        status = take_sizes(topology, line.sizes, number);
    }
    if (status == MTREE_OK && line.block != NULL) {
        return take_block(topology, &line, number);
    }
    if (status == MTREE_OK && (line.name != NULL || line.nodes != NULL ||
                               line.switches != NULL || line.speed != NULL)) {
        status = take_switch(topology, &line, number);
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

static mtree_status_t take_lines(slurm_topology_t *topology, const char *text,
                                 const char *end, char *line)
{
    mtree_status_t status = MTREE_OK;
    int number = 1, count;

    while (status == MTREE_OK && text < end) {
        count = join_lines(&text, end, line);
        status = take_line(topology, line, number);
        number += count;
    }
    return status == MTREE_OK ? slurm_topology_finish(topology) : status;
}

mtree_status_t import_slurm(import_t *import, const char *text, size_t length)
{
    slurm_topology_t topology;
    mtree_status_t status;
    char *line;

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
    slurm_topology_init(&topology, import);
    status = take_lines(&topology, text, text + length, line);
    slurm_topology_cleanup(&topology);
    free(line);
    return status;
}
