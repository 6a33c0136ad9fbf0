/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * XML as a tree of elements, for the readers of formats that are XML.
 */
#ifndef MTREE_TOOLS_IMPORT_XML_H
#define MTREE_TOOLS_IMPORT_XML_H

#include "tools/import/network.h"

#include <libxml/tree.h>

/* Takes in an element and what is in it. */
typedef mtree_status_t (*import_xml_func_t)(void *data, xmlNodePtr element);

/*
 * Read @a text, of a format called @a format in errors, and give @a take its outermost
 * element with @a data.  What is not XML is an error, logged with its line.  libxml2
 * bounds the depth of elements, so readers may recurse.
 */
mtree_status_t import_xml_read(const import_t *import, const char *text, size_t length,
                               const char *format, import_xml_func_t take, void *data);

/* Give @a take each element in @a element, until it fails. */
mtree_status_t import_xml_each(xmlNodePtr element, import_xml_func_t take, void *data);

bool import_xml_is(xmlNodePtr element, const char *name);
int import_xml_line(xmlNodePtr element);

/* The value of an attribute, NULL when it has none; the caller frees it with xmlFree().
 */
char *import_xml_attribute(xmlNodePtr element, const char *name);

#endif
