/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/import/network.h"

#include "base/array.h"
#include "base/log.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

mtree_status_t import_init(import_t *import, const char *file)
{
    *import = (import_t){.file = file, .places = json_object()};
    if (import->places == NULL) {
        mtree_error("%s: out of memory", file);
        return MTREE_ERR_NO_MEMORY;
    }
    return MTREE_OK;
}

void import_cleanup(import_t *import)
{
    free(import->nodes);
    free(import->links);
    free(import->comments);
    mtree_arena_cleanup(&import->arena);
    json_decref(import->places);
}

/* Memory for one element more of at most @a max. */
static mtree_status_t reserve(const import_t *import, void *array_p, int *room_p,
                              int count, int max, size_t size, int line)
{
    if (count >= max) {
        mtree_error("%s:%d: more than the %d nodes or %d links that mtree takes",
                    import->file, line, MTREE_TOPOLOGY_MAX_VERTICES,
                    MTREE_TOPOLOGY_MAX_LINKS);
        return MTREE_ERR_LIMIT;
    }
    if (mtree_array_reserve(array_p, room_p, count + 1, size) != MTREE_OK) {
        mtree_error("%s:%d: out of memory", import->file, line);
        return MTREE_ERR_NO_MEMORY;
    }
    return MTREE_OK;
}

mtree_status_t import_node(import_t *import, const char *id, int line, int *node_p)
{
    json_t *place = json_object_get(import->places, id);
    mtree_status_t status;
    const char *copy;

    if (place != NULL) {
        *node_p = (int)json_integer_value(place);
        return MTREE_OK;
    }
    if (!mtree_topology_name_valid(id)) {
        mtree_error("%s:%d: a node's name must be 1 to %d bytes of UTF-8 without quotes, "
                    "backslashes and control characters",
                    import->file, line, MTREE_TOPOLOGY_MAX_NAME);
        return MTREE_ERR_INVALID;
    }
    status = reserve(import, &import->nodes, &import->node_room, import->num_nodes,
                     MTREE_TOPOLOGY_MAX_VERTICES, sizeof(*import->nodes), line);
    if (status != MTREE_OK) {
        return status;
    }
    copy = mtree_arena_strdup(&import->arena, id);
    if (copy == NULL ||
        json_object_set_new(import->places, id, json_integer(import->num_nodes)) != 0) {
        mtree_error("%s:%d: out of memory", import->file, line);
        return MTREE_ERR_NO_MEMORY;
    }
    *node_p = import->num_nodes;
    import->nodes[import->num_nodes] = (import_node_t){.id = copy};
    ++import->num_nodes;
    return MTREE_OK;
}

mtree_status_t import_comment(import_t *import, const char *line, size_t length)
{
    size_t old = (import->comments != NULL) ? strlen(import->comments) : 0;
    char *larger = realloc(import->comments, old + length + 2);

    if (larger == NULL) {
        mtree_error("%s: out of memory", import->file);
        return MTREE_ERR_NO_MEMORY;
    }
    memcpy(larger + old, line, length);
    memcpy(larger + old + length, "\n", 2);
    import->comments = larger;
    return MTREE_OK;
}

void import_record_init(import_record_t *record)
{
    *record = (import_record_t){.latency = -1};
}

mtree_status_t import_set_name(import_t *import, const char *name)
{
    if (import->name == NULL) {
        import->name = mtree_arena_strdup(&import->arena, name);
    }
    return import->name != NULL ? MTREE_OK
                                : mtree_no_memory("the name of %s", import->file);
}

static bool take_number(const char *value, double *number_p)
{
    const char *end;

    return mtree_units_parse_number(value, number_p, &end) == MTREE_OK &&
           end[strspn(end, " \t\r\n")] == '\0';
}

/* A rate with a unit, or a bare number times @a factor. */
static bool take_rate(const char *value, double factor, double *rate_p)
{
    const char *why;

    if (take_number(value, rate_p)) {
        *rate_p *= factor;
        return *rate_p >= 0;
    }
    return mtree_units_parse_rate(value, rate_p, &why) == MTREE_OK;
}

static bool take_time(const char *value, double *seconds_p)
{
    const char *why;

    if (take_number(value, seconds_p)) {
        *seconds_p /= 1e3;
    } else if (mtree_units_parse_time(value, seconds_p, &why) != MTREE_OK) {
        return false;
    }
    return *seconds_p >= 0 && *seconds_p <= MTREE_TOPOLOGY_MAX_LATENCY;
}

static bool take_text(import_t *import, const char *value, const char **text_p)
{
    *text_p = mtree_arena_strdup(&import->arena, value);
    return *text_p != NULL;
}

static bool is_key(const char *key, const char *first, const char *second)
{
    return strcasecmp(key, first) == 0 || strcasecmp(key, second) == 0;
}

mtree_status_t import_record_take(import_record_t *record, import_t *import,
                                  const char *key, const char *value, int line)
{
    bool taken = true;

    if (record->status != MTREE_OK) {
        return record->status;
    }
    if (is_key(key, "id", "id")) {
        taken = take_text(import, value, &record->id);
    } else if (is_key(key, "label", "name")) {
        taken = take_text(import, value, &record->label);
    } else if (is_key(key, "source", "source")) {
        taken = take_text(import, value, &record->source);
    } else if (is_key(key, "target", "target")) {
        taken = take_text(import, value, &record->target);
    } else if (is_key(key, "Longitude", "lon")) {
        taken = record->has_lon = take_number(value, &record->lon);
    } else if (is_key(key, "Latitude", "lat")) {
        taken = record->has_lat = take_number(value, &record->lat);
    } else if (is_key(key, "LinkSpeedRaw", "LinkSpeedRaw")) {
        taken = take_rate(value, 1, &record->capacity);
    } else if (is_key(key, "capacity", "bandwidth")) {
        taken = take_rate(value, 1e6, &record->capacity);
    } else if (is_key(key, "latency", "delay")) {
        taken = take_time(value, &record->latency);
    }
    if (!taken) {
        mtree_error("%s:%d: %s '%s' cannot be read; correct or remove it", import->file,
                    line, key, value);
        record->status = MTREE_ERR_INVALID;
    }
    return record->status;
}

mtree_status_t import_add_node(import_t *import, const import_record_t *record, int line)
{
    mtree_status_t status = record->status;
    import_node_t *node;
    int place;

    if (status == MTREE_OK && record->id == NULL) {
        mtree_error("%s:%d: a node without an id", import->file, line);
        status = MTREE_ERR_INVALID;
    }
    if (status == MTREE_OK) {
        status = import_node(import, record->id, line, &place);
    }
    if (status == MTREE_OK) {
        node = &import->nodes[place];
        node->label = record->label;
        node->has_position = record->has_lon && record->has_lat;
        node->lon = record->lon;
        node->lat = record->lat;
    }
    return status;
}

mtree_status_t import_join(import_t *import, const import_link_t *link, int line)
{
    mtree_status_t status =
        reserve(import, &import->links, &import->link_room, import->num_links,
                MTREE_TOPOLOGY_MAX_LINKS, sizeof(*import->links), line);

    if (status == MTREE_OK) {
        import->links[import->num_links++] = *link;
    }
    return status;
}

mtree_status_t import_add_link(import_t *import, const import_record_t *record, int line)
{
    import_link_t link = {.capacity = record->capacity, .latency = record->latency};
    mtree_status_t status = record->status;

    if (status == MTREE_OK && (record->source == NULL || record->target == NULL)) {
        mtree_error("%s:%d: a link without a source or a target", import->file, line);
        status = MTREE_ERR_INVALID;
    }
    if (status == MTREE_OK) {
        status = import_node(import, record->source, line, &link.u);
    }
    if (status == MTREE_OK) {
        status = import_node(import, record->target, line, &link.v);
    }
    return status == MTREE_OK ? import_join(import, &link, line) : status;
}
