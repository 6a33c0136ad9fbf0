/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/import/xml.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

static void keep_error(void *arg, const char *message, xmlParserSeverities severity,
                       xmlTextReaderLocatorPtr locator)
{
    import_xml_t *xml = arg;

    if (xml->error == NULL && severity != XML_PARSER_SEVERITY_WARNING &&
        severity != XML_PARSER_SEVERITY_VALIDITY_WARNING) {
        xml->error = strndup(message, strcspn(message, "\r\n"));
        xml->error_line = xmlTextReaderLocatorLineNumber(locator);
    }
}

int import_xml_line(const import_xml_t *xml)
{
    /* The parser itself may be further on. */
    return (int)xmlGetLineNo(xmlTextReaderCurrentNode(xml->xml));
}

char *import_xml_attribute(const import_xml_t *xml, const char *name)
{
    return (char *)xmlTextReaderGetAttribute(xml->xml, (const xmlChar *)name);
}

static mtree_status_t take_element(import_xml_t *xml, const char *element,
                                   import_xml_func_t start, import_xml_func_t end,
                                   void *data)
{
    int type = xmlTextReaderNodeType(xml->xml);
    bool is_empty = xmlTextReaderIsEmptyElement(xml->xml) == 1;
    mtree_status_t status = MTREE_OK;

    if (type == XML_READER_TYPE_ELEMENT) {
        status = start(data, xml, element);
    }
    if (status == MTREE_OK && (type == XML_READER_TYPE_END_ELEMENT ||
                               (type == XML_READER_TYPE_ELEMENT && is_empty))) {
        status = end(data, xml, element);
    }
    return status;
}

mtree_status_t import_xml_read(import_t *import, const char *text, size_t length,
                               const char *format, import_xml_func_t start,
                               import_xml_func_t end, void *data)
{
    import_xml_t xml = {.import = import};
    mtree_status_t status = MTREE_OK;
    const char *element;
    int more = 0;

    /* No network, no entities from elsewhere; libxml2's own limits on depth and size stay
     * on. */
    xml.xml = xmlReaderForMemory(text, (int)length, import->file, NULL, XML_PARSE_NONET);
    if (xml.xml == NULL) {
        mtree_error("%s: out of memory", import->file);
        return MTREE_ERR_NO_MEMORY;
    }
    xmlTextReaderSetErrorHandler(xml.xml, keep_error, &xml);
    while (status == MTREE_OK && (more = xmlTextReaderRead(xml.xml)) == 1) {
        element = (const char *)xmlTextReaderConstLocalName(xml.xml);
        if (element != NULL) {
            status = take_element(&xml, element, start, end, data);
        }
    }
    if (status == MTREE_OK && more < 0) {
        mtree_error("%s:%d: %s: not %s", import->file, xml.error_line,
                    (xml.error != NULL) ? xml.error : "cannot be read", format);
        status = MTREE_ERR_INVALID;
    }
    xmlFreeTextReader(xml.xml);
    free(xml.error);
    return status;
}
