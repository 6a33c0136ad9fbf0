/*
 * GraphML (graphml.graphdrawing.org), read with libxml2's streaming reader.
 */
#include "tools/import.h"

#include "topo/log.h"

#include <libxml/xmlreader.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    import_t *import;
    xmlTextReaderPtr xml;
    json_t *names;          /* of data keys, by their id */
    import_record_t record; /* of the node or edge being read */
    bool in_node, in_edge;
    char *error; /* the first thing that libxml2 had to say */
    int error_line;
} graphml_t;

static void hear(void *arg, const char *message, xmlParserSeverities severity,
                 xmlTextReaderLocatorPtr locator)
{
    graphml_t *graphml = arg;

    if (graphml->error == NULL && severity != XML_PARSER_SEVERITY_WARNING &&
        severity != XML_PARSER_SEVERITY_VALIDITY_WARNING) {
        graphml->error = strndup(message, strcspn(message, "\r\n"));
        graphml->error_line = xmlTextReaderLocatorLineNumber(locator);
    }
}

static int line_of(const graphml_t *graphml)
{
    return xmlTextReaderGetParserLineNumber(graphml->xml);
}

/* Take attribute @a name of the element as the key @a key. */
static mtree_status_t take_attribute(graphml_t *graphml, const char *name,
                                     const char *key)
{
    xmlChar *value = xmlTextReaderGetAttribute(graphml->xml, (const xmlChar *)name);
    mtree_status_t status;

    if (value == NULL) {
        return MTREE_OK;
    }
    status = import_record_take(&graphml->record, graphml->import, key,
                                (const char *)value, line_of(graphml));
    xmlFree(value);
    return status;
}

/* <key id="d1" attr.name="label" ...> */
static mtree_status_t take_key(graphml_t *graphml)
{
    xmlChar *id = xmlTextReaderGetAttribute(graphml->xml, (const xmlChar *)"id");
    xmlChar *name = xmlTextReaderGetAttribute(graphml->xml, (const xmlChar *)"attr.name");
    mtree_status_t status = MTREE_OK;

    if (id != NULL && name != NULL &&
        json_object_set_new(graphml->names, (const char *)id,
                            json_string((const char *)name)) != 0) {
        status = MTREE_ERR_NO_MEMORY;
    }
    xmlFree(id);
    xmlFree(name);
    return status;
}

/* <data key="d1">value</data> of a node, an edge or the graph. */
static mtree_status_t take_data(graphml_t *graphml)
{
    xmlChar *id = xmlTextReaderGetAttribute(graphml->xml, (const xmlChar *)"key");
    xmlChar *value = xmlTextReaderReadString(graphml->xml);
    mtree_status_t status = MTREE_OK;
    const char *name;

    name = (id != NULL)
               ? json_string_value(json_object_get(graphml->names, (const char *)id))
               : NULL;
    /* A data element named id or source says nothing about which node it is. */
    if (name != NULL && value != NULL && strcasecmp(name, "id") != 0 &&
        strcasecmp(name, "source") != 0 && strcasecmp(name, "target") != 0) {
        if (graphml->in_node || graphml->in_edge) {
            status = import_record_take(&graphml->record, graphml->import, name,
                                        (const char *)value, line_of(graphml));
        } else if (strcasecmp(name, "label") == 0 && graphml->import->name == NULL) {
            graphml->import->name = strdup((const char *)value);
        }
    }
    xmlFree(id);
    xmlFree(value);
    return status;
}

static mtree_status_t take_end(graphml_t *graphml, const char *element)
{
    if (graphml->in_node && strcmp(element, "node") == 0) {
        graphml->in_node = false;
        return import_add_node(graphml->import, &graphml->record, line_of(graphml));
    }
    if (graphml->in_edge && strcmp(element, "edge") == 0) {
        graphml->in_edge = false;
        return import_add_link(graphml->import, &graphml->record, line_of(graphml));
    }
    return MTREE_OK;
}

static mtree_status_t take_graph(graphml_t *graphml)
{
    xmlChar *kind =
        xmlTextReaderGetAttribute(graphml->xml, (const xmlChar *)"edgedefault");

    graphml->import->directed =
        (kind != NULL && strcmp((const char *)kind, "directed") == 0);
    xmlFree(kind);
    return MTREE_OK;
}

static mtree_status_t take_start(graphml_t *graphml, const char *element)
{
    bool empty = (xmlTextReaderIsEmptyElement(graphml->xml) == 1);
    mtree_status_t status = MTREE_OK;

    if (strcmp(element, "key") == 0) {
        return take_key(graphml);
    }
    if (strcmp(element, "graph") == 0) {
        return take_graph(graphml);
    }
    if (strcmp(element, "data") == 0) {
        return empty ? MTREE_OK : take_data(graphml);
    }
    if (strcmp(element, "node") == 0) {
        graphml->in_node = true;
        import_record_reset(&graphml->record);
        status = take_attribute(graphml, "id", "id");
    } else if (strcmp(element, "edge") == 0) {
        graphml->in_edge = true;
        import_record_reset(&graphml->record);
        status = take_attribute(graphml, "source", "source");
        if (status == MTREE_OK) {
            status = take_attribute(graphml, "target", "target");
        }
    }
    return (status == MTREE_OK && empty) ? take_end(graphml, element) : status;
}

static mtree_status_t take_elements(graphml_t *graphml)
{
    mtree_status_t status = MTREE_OK;
    const char *element;
    int more;

    while (status == MTREE_OK && (more = xmlTextReaderRead(graphml->xml)) == 1) {
        element = (const char *)xmlTextReaderConstLocalName(graphml->xml);
        if (element == NULL) {
            continue;
        }
        if (xmlTextReaderNodeType(graphml->xml) == XML_READER_TYPE_ELEMENT) {
            status = take_start(graphml, element);
        } else if (xmlTextReaderNodeType(graphml->xml) == XML_READER_TYPE_END_ELEMENT) {
            status = take_end(graphml, element);
        }
    }
    if (status == MTREE_OK && more < 0) {
        mtree_error("%s:%d: %s: not a GraphML file", graphml->import->file,
                    graphml->error_line,
                    (graphml->error != NULL) ? graphml->error : "cannot be read");
        return MTREE_ERR_INVALID;
    }
    return status;
}

mtree_status_t import_graphml(import_t *import, const char *text, size_t length)
{
    graphml_t graphml = {.import = import, .names = json_object()};
    mtree_status_t status;

    import_record_init(&graphml.record);
    /* No network, no entities from elsewhere; libxml2's own limits on depth and size stay
     * on. */
    graphml.xml =
        xmlReaderForMemory(text, (int)length, import->file, NULL, XML_PARSE_NONET);
    if (graphml.xml == NULL || graphml.names == NULL) {
        mtree_error("%s: out of memory", import->file);
        status = MTREE_ERR_NO_MEMORY;
        goto out_free;
    }
    xmlTextReaderSetErrorHandler(graphml.xml, hear, &graphml);
    status = take_elements(&graphml);

out_free:
    import_record_reset(&graphml.record);
    xmlFreeTextReader(graphml.xml);
    json_decref(graphml.names);
    free(graphml.error);
    return status;
}
