/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GML: keys with numbers, strings or lists in brackets (Himsolt, "GML: A portable Graph
 * File Format").
 */
#include "tools/import/formats.h"

#include "base/log.h"

#include <ctype.h>
#include <libxml/HTMLparser.h>
#include <libxml/parserInternals.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_TOKEN 1024
#define MAX_DEPTH 32

typedef enum { SCOPE_FILE, SCOPE_GRAPH, SCOPE_NODE, SCOPE_EDGE, SCOPE_OTHER } scope_t;

typedef struct {
    import_t *import;
    const char *at, *end;
    int line;
    char token[MAX_TOKEN]; /* longer ones are cut: nothing that long is looked at */
    bool quoted;
    scope_t scopes[MAX_DEPTH];
    int depth;
    import_record_t record;
    int record_line;
} gml_t;

static void skip_blanks(gml_t *gml)
{
    while (gml->at < gml->end && (isspace((unsigned char)*gml->at) || *gml->at == '#')) {
        if (*gml->at == '#') {
            while (gml->at < gml->end && *gml->at != '\n') {
                ++gml->at;
            }
        } else {
            gml->line += (*gml->at == '\n');
            ++gml->at;
        }
    }
}

static void keep(gml_t *gml, size_t *length, char c)
{
    if (*length + 1 < MAX_TOKEN) {
        gml->token[(*length)++] = c;
    }
}

/* Keep the character that begins at gml->at, inside quotes: GML writes those beyond ASCII
 * and quotes as HTML does, "&#252;" or "&uuml;"; returns the last of its bytes. */
static const char *keep_character(gml_t *gml, size_t *length)
{
    const char *name = gml->at + 1;
    const size_t size = strcspn(name, ";\"");
    char text[16];
    xmlChar bytes[8];
    const htmlEntityDesc *entity = NULL;
    long code = 0;

    if (*gml->at == '&' && size > 0 && size < sizeof(text) && name[size] == ';') {
        memcpy(text, name, size);
        text[size] = '\0';
        entity = htmlEntityLookup((const xmlChar *)text);
        code = entity != NULL   ? (long)entity->value
               : *text != '#'   ? 0
               : text[1] == 'x' ? strtol(text + 2, NULL, 16)
                                : strtol(text + 1, NULL, 10);
    }
    if (code < ' ' || code > 0x10FFFF) {
        keep(gml, length, *gml->at);
        return gml->at;
    }
    for (int i = 0, count = xmlCopyCharMultiByte(bytes, (int)code); i < count; i++) {
        keep(gml, length, (char)bytes[i]);
    }
    return name + size;
}

/* The next token into gml->token; false at the end of the text. */
static bool next_token(gml_t *gml)
{
    size_t length = 0;

    skip_blanks(gml);
    if (gml->at == gml->end) {
        return false;
    }
    gml->quoted = (*gml->at == '"');
    if (gml->quoted) {
        for (++gml->at; gml->at < gml->end && *gml->at != '"'; ++gml->at) {
            gml->line += (*gml->at == '\n');
            gml->at = keep_character(gml, &length);
        }
        gml->at += (gml->at < gml->end);
    } else if (*gml->at == '[' || *gml->at == ']') {
        keep(gml, &length, *gml->at++);
    } else {
        while (gml->at < gml->end && !isspace((unsigned char)*gml->at) &&
               strchr("[]\"", *gml->at) == NULL) {
            keep(gml, &length, *gml->at++);
        }
    }
    gml->token[length] = '\0';
    return true;
}

static mtree_status_t syntax_error(const gml_t *gml, const char *what)
{
    mtree_error("%s:%d: %s: not a GML file", gml->import->file, gml->line, what);
    return MTREE_ERR_INVALID;
}

static mtree_status_t open_list(gml_t *gml, const char *key)
{
    scope_t outer = gml->scopes[gml->depth];
    scope_t inner = SCOPE_OTHER;

    if (gml->depth + 1 == MAX_DEPTH) {
        return syntax_error(gml, "lists nested too deeply");
    }
    if (outer == SCOPE_FILE && strcasecmp(key, "graph") == 0) {
        inner = SCOPE_GRAPH;
    } else if (outer == SCOPE_GRAPH && strcasecmp(key, "node") == 0) {
        inner = SCOPE_NODE;
    } else if (outer == SCOPE_GRAPH && strcasecmp(key, "edge") == 0) {
        inner = SCOPE_EDGE;
    }
    if (inner == SCOPE_NODE || inner == SCOPE_EDGE) {
        import_record_init(&gml->record);
        gml->record_line = gml->line;
    }
    gml->scopes[++gml->depth] = inner;
    return MTREE_OK;
}

static mtree_status_t close_list(gml_t *gml)
{
    if (gml->depth == 0) {
        return syntax_error(gml, "a ']' without its '['");
    }
    switch (gml->scopes[gml->depth--]) {
    case SCOPE_NODE:
        return import_add_node(gml->import, &gml->record, gml->record_line);
    case SCOPE_EDGE:
        return import_add_link(gml->import, &gml->record, gml->record_line);
    default:
        return MTREE_OK;
    }
}

/* Labels, sources and licences of the graph itself. */
static mtree_status_t take_graph_key(gml_t *gml, const char *key)
{
    import_t *import = gml->import;
    char line[MAX_TOKEN + 64];

    if (strcasecmp(key, "directed") == 0) {
        import->directed = (strcmp(gml->token, "1") == 0);
    } else if (strcasecmp(key, "label") == 0) {
        return import_set_name(import, gml->token);
    } else if (strcasecmp(key, "Source") == 0 || strcasecmp(key, "Creator") == 0) {
        snprintf(line, sizeof(line), "%s: %.*s",
                 strcasecmp(key, "Source") == 0 ? "source" : "creator",
                 (int)strcspn(gml->token, "\r\n"), gml->token);
        return import_comment(import, line, strlen(line));
    }
    return MTREE_OK;
}

static mtree_status_t take_value(gml_t *gml, const char *key)
{
    switch (gml->scopes[gml->depth]) {
    case SCOPE_GRAPH:
        return take_graph_key(gml, key);
    case SCOPE_NODE:
    case SCOPE_EDGE:
        return import_record_take(&gml->record, gml->import, key, gml->token, gml->line);
    default:
        return MTREE_OK;
    }
}

static mtree_status_t take_pairs(gml_t *gml)
{
    mtree_status_t status = MTREE_OK;
    char key[MAX_TOKEN];

    while (status == MTREE_OK && next_token(gml)) {
        if (strcmp(gml->token, "]") == 0 && !gml->quoted) {
            status = close_list(gml);
            continue;
        }
        memcpy(key, gml->token, sizeof(key));
        if (gml->quoted || strcmp(key, "[") == 0) {
            return syntax_error(gml, "a value without a key");
        }
        if (!next_token(gml)) {
            return syntax_error(gml, "a key without a value");
        }
        if (!gml->quoted && strcmp(gml->token, "]") == 0) {
            return syntax_error(gml, "a key without a value");
        }
        status = (!gml->quoted && strcmp(gml->token, "[") == 0) ? open_list(gml, key)
                                                                : take_value(gml, key);
    }
    if (status == MTREE_OK && gml->depth != 0) {
        return syntax_error(gml, "a '[' without its ']'");
    }
    return status;
}

mtree_status_t import_gml(import_t *import, const char *text, size_t length)
{
    gml_t gml = {.import = import, .at = text, .end = text + length, .line = 1};

    if (memchr(text, '\0', length) != NULL) {
        mtree_error("%s: holds a NUL byte: not a GML file", import->file);
        return MTREE_ERR_INVALID;
    }
    return take_pairs(&gml);
}
