/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * XML, element by element, for the readers of formats that are XML.
 */
#ifndef MTREE_TOOLS_IMPORT_XML_H
#define MTREE_TOOLS_IMPORT_XML_H

#include "tools/import/network.h"

#include <libxml/xmlreader.h>

typedef struct {
    import_t *import;
    xmlTextReaderPtr xml;
    char *error; /* the first that libxml2 reports */
    int error_line;
} import_xml_t;

/* Called at the begin and at the end of an element; one without content has both. */
typedef mtree_status_t (*import_xml_func_t)(void *data, import_xml_t *xml,
                                            const char *element);

/*
 * Read @a text, of a format called @a format in errors, and call @a start and @a end with
 * @a data until one fails.  What is not XML is an error, logged with its line.
 */
mtree_status_t import_xml_read(import_t *import, const char *text, size_t length,
                               const char *format, import_xml_func_t start,
                               import_xml_func_t end, void *data);

/* The line of the element at hand. */
int import_xml_line(const import_xml_t *xml);

/* The value of an attribute of the element at hand, NULL when it has none; the caller
 * frees it with xmlFree(). */
char *import_xml_attribute(const import_xml_t *xml, const char *name);

#endif
