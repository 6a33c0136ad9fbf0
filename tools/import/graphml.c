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
    import_xml_t *xml;
    json_t *names;          /* of data keys, by their id */
    import_record_t record; /* of the node or edge being read */
    bool in_node, in_edge;
} graphml_t;

/* Take attribute @a key of the element. */
static mtree_status_t take_attribute(graphml_t *graphml, const char *key)
{
    char *value = import_xml_attribute(graphml->xml, key);

    if (value != NULL) {
        (void)import_record_take(&graphml->record, graphml->import, key, value,
                                 import_xml_line(graphml->xml));
        xmlFree(value);
    }
    return graphml->record.status;
}

/* <key id="d1" attr.name="label" ...> */
static mtree_status_t take_key(graphml_t *graphml)
{
    char *id = import_xml_attribute(graphml->xml, "id");
    char *name = import_xml_attribute(graphml->xml, "attr.name");
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
static mtree_status_t take_data(graphml_t *graphml)
{
    char *id = import_xml_attribute(graphml->xml, "key");
    char *value = (char *)xmlTextReaderReadString(graphml->xml->xml);
    mtree_status_t status = MTREE_OK;
    const char *name;

    name = (id != NULL) ? json_string_value(json_object_get(graphml->names, id)) : NULL;
    /* A data element named id or source does not identify the node. */
    if (name != NULL && value != NULL && strcasecmp(name, "id") != 0 &&
        strcasecmp(name, "source") != 0 && strcasecmp(name, "target") != 0) {
        if (graphml->in_node || graphml->in_edge) {
            status = import_record_take(&graphml->record, graphml->import, name, value,
                                        import_xml_line(graphml->xml));
        } else if (strcasecmp(name, "label") == 0 && graphml->import->name == NULL) {
            graphml->import->name = strdup(value);
        }
    }
    xmlFree(id);
    xmlFree(value);
    return status;
}

static mtree_status_t take_end(void *data, import_xml_t *xml, const char *element)
{
    graphml_t *graphml = data;

    graphml->xml = xml;
    if (graphml->in_node && strcmp(element, "node") == 0) {
        graphml->in_node = false;
        return import_add_node(graphml->import, &graphml->record,
                               import_xml_line(graphml->xml));
    }
    if (graphml->in_edge && strcmp(element, "edge") == 0) {
        graphml->in_edge = false;
        return import_add_link(graphml->import, &graphml->record,
                               import_xml_line(graphml->xml));
    }
    return MTREE_OK;
}

static mtree_status_t take_graph(graphml_t *graphml)
{
    char *kind = import_xml_attribute(graphml->xml, "edgedefault");

    graphml->import->directed = (kind != NULL && strcmp(kind, "directed") == 0);
    xmlFree(kind);
    return MTREE_OK;
}

static mtree_status_t take_start(void *data, import_xml_t *xml, const char *element)
{
    graphml_t *graphml = data;

    graphml->xml = xml;
    if (strcmp(element, "key") == 0) {
        return take_key(graphml);
    }
    if (strcmp(element, "graph") == 0) {
        return take_graph(graphml);
    }
    if (strcmp(element, "data") == 0) {
        return xmlTextReaderIsEmptyElement(xml->xml) == 1 ? MTREE_OK : take_data(graphml);
    }
    if (strcmp(element, "node") == 0) {
        graphml->in_node = true;
        import_record_reset(&graphml->record);
        return take_attribute(graphml, "id");
    }
    if (strcmp(element, "edge") == 0) {
        graphml->in_edge = true;
        import_record_reset(&graphml->record);
        (void)take_attribute(graphml, "source");
        return take_attribute(graphml, "target");
    }
    return MTREE_OK;
}

mtree_status_t import_graphml(import_t *import, const char *text, size_t length)
{
    graphml_t graphml = {.import = import, .names = json_object()};
    mtree_status_t status;

    if (graphml.names == NULL) {
        mtree_error("%s: out of memory", import->file);
        return MTREE_ERR_NO_MEMORY;
    }
    import_record_init(&graphml.record);
    status = import_xml_read(import, text, length, "a GraphML file", take_start, take_end,
                             &graphml);
    import_record_reset(&graphml.record);
    json_decref(graphml.names);
    return status;
}
