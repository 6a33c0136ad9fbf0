/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GraphML (graphml.graphdrawing.org).
 */
#include "tools/import/formats.h"
#include "tools/import/xml.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    import_t *import;
    json_t *names;           /* of data keys, by their id */
    import_record_t *record; /* of the node or edge being read; NULL: none is */
} graphml_t;

/* Take attribute @a key of the element. */
static void take_attribute(graphml_t *graphml, xmlNodePtr element, const char *key)
{
    char *value = import_xml_attribute(element, key);

    if (value != NULL) {
        (void)import_record_take(graphml->record, graphml->import, key, value,
                                 import_xml_line(element));
        xmlFree(value);
    }
}

/* <key id="d1" attr.name="label" ...> */
static mtree_status_t take_key(graphml_t *graphml, xmlNodePtr element)
{
    char *id = import_xml_attribute(element, "id");
    char *name = import_xml_attribute(element, "attr.name");
    mtree_status_t status = MTREE_OK;

    if (id != NULL && name != NULL &&
        json_object_set_new(graphml->names, id, json_string(name)) != 0) {
        status = MTREE_ERR_NO_MEMORY;
    }
    xmlFree(id);
    xmlFree(name);
    return status;
}

/* <data key="d1">value</data> of a node, an edge or the graph. */
static mtree_status_t take_data(graphml_t *graphml, xmlNodePtr element)
{
    char *id = import_xml_attribute(element, "key");
    char *value = (char *)xmlNodeGetContent(element);
    mtree_status_t status = MTREE_OK;
    const char *name;

    name = (id != NULL) ? json_string_value(json_object_get(graphml->names, id)) : NULL;
    /* A data element named id or source does not identify the node. */
    if (name != NULL && value != NULL && strcasecmp(name, "id") != 0 &&
        strcasecmp(name, "source") != 0 && strcasecmp(name, "target") != 0) {
        if (graphml->record != NULL) {
            status = import_record_take(graphml->record, graphml->import, name, value,
                                        import_xml_line(element));
        } else if (strcasecmp(name, "label") == 0) {
            status = import_set_name(graphml->import, value);
        }
    }
    xmlFree(id);
    xmlFree(value);
    return status;
}

static mtree_status_t take_element(void *data, xmlNodePtr element);

/* <node id="a"> or <edge source="a" target="b">, and the data in it. */
static mtree_status_t take_record(graphml_t *graphml, xmlNodePtr element, bool is_node)
{
    import_record_t *outer = graphml->record, record;
    mtree_status_t status;

    import_record_init(&record);
    graphml->record = &record;
    if (is_node) {
        take_attribute(graphml, element, "id");
    } else {
        take_attribute(graphml, element, "source");
        take_attribute(graphml, element, "target");
    }
    status = import_xml_each(element, take_element, graphml);
    graphml->record = outer;
    if (status != MTREE_OK) {
        return status;
    }
    return is_node ? import_add_node(graphml->import, &record, import_xml_line(element))
                   : import_add_link(graphml->import, &record, import_xml_line(element));
}

static mtree_status_t take_element(void *data, xmlNodePtr element)
{
    graphml_t *graphml = data;
    char *kind;

    if (import_xml_is(element, "key")) {
        return take_key(graphml, element);
    }
    if (import_xml_is(element, "data")) {
        return element->children == NULL ? MTREE_OK : take_data(graphml, element);
    }
    if (import_xml_is(element, "node") || import_xml_is(element, "edge")) {
        return take_record(graphml, element, import_xml_is(element, "node"));
    }
    if (import_xml_is(element, "graph")) {
        kind = import_xml_attribute(element, "edgedefault");
        graphml->import->directed = (kind != NULL && strcmp(kind, "directed") == 0);
        xmlFree(kind);
    }
    return import_xml_each(element, take_element, data);
}

mtree_status_t import_graphml(import_t *import, const char *text, size_t length)
{
    graphml_t graphml = {.import = import, .names = json_object()};
    mtree_status_t status;

    if (graphml.names == NULL) {
        return mtree_no_memory("the keys of %s", import->file);
    }
    status =
        import_xml_read(import, text, length, "a GraphML file", take_element, &graphml);
    json_decref(graphml.names);
    return status;
}
