/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/import/xml.h"

#include "base/log.h"

#include <libxml/xmlreader.h>
#include <stdlib.h>
#include <string.h>

/* The first error that libxml2 reports. */
typedef struct {
    char *text;
    int line;
} error_t;

static void keep_error(void *arg, const char *message, xmlParserSeverities severity,
                       xmlTextReaderLocatorPtr locator)
{
    error_t *error = arg;

    if (error->text == NULL && severity != XML_PARSER_SEVERITY_WARNING &&
        severity != XML_PARSER_SEVERITY_VALIDITY_WARNING) {
        error->text = strndup(message, strcspn(message, "\r\n"));
        error->line = xmlTextReaderLocatorLineNumber(locator);
    }
}

mtree_status_t import_xml_read(const import_t *import, const char *text, size_t length,
                               const char *format, import_xml_func_t take, void *data)
{
    /* No network, no entities from elsewhere; libxml2's own limits on depth and size stay
     * on. */
    xmlTextReaderPtr reader =
        xmlReaderForMemory(text, (int)length, import->file, NULL, XML_PARSE_NONET);
    mtree_status_t status = MTREE_OK;
    error_t error = {NULL, 0};
    xmlNodePtr root = NULL;
    int more;

    if (reader == NULL) {
        return mtree_no_memory("the %zu bytes of %s", length, import->file);
    }
    xmlTextReaderSetErrorHandler(reader, keep_error, &error);
    do {
        more = xmlTextReaderRead(reader);
    } while (more == 1 && xmlTextReaderNodeType(reader) != XML_READER_TYPE_ELEMENT);
    if (more == 1 && (root = xmlTextReaderExpand(reader)) != NULL) {
        status = take(data, root);
        more = status == MTREE_OK ? xmlTextReaderNext(reader) : 0;
    }
    if (root == NULL || more < 0) {
        mtree_error("%s:%d: %s: not %s", import->file, error.line,
                    error.text != NULL ? error.text : "cannot be read", format);
        status = MTREE_ERR_INVALID;
    }
    xmlFreeTextReader(reader);
    free(error.text);
    return status;
}

mtree_status_t import_xml_each(xmlNodePtr element, import_xml_func_t take, void *data)
{
    mtree_status_t status = MTREE_OK;

    for (xmlNodePtr child = xmlFirstElementChild(element);
         child != NULL && status == MTREE_OK; child = xmlNextElementSibling(child)) {
        status = take(data, child);
    }
    return status;
}

bool import_xml_is(xmlNodePtr element, const char *name)
{
    return strcmp((const char *)element->name, name) == 0;
}

int import_xml_line(xmlNodePtr element)
{
    return (int)xmlGetLineNo(element);
}

char *import_xml_attribute(xmlNodePtr element, const char *name)
{
    return (char *)xmlGetProp(element, (const xmlChar *)name);
}
