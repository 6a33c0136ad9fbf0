/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine as hwloc writes it in XML (lstopo machine.xml): its NUMA nodes are hosts; its
 * network interfaces, and objects that hold several of either, are switches.
 */
#include "tools/import/formats.h"
#include "tools/import/xml.h"

#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

/* An object of the file. */
typedef struct {
    /* What it is called if it becomes a node; one byte more shows that it is too long. */
    char name[MTREE_TOPOLOGY_MAX_NAME + 2];
    bool is_host;
    double speed; /* of the PCI slot that it is or sits in, bits/s; 0: not known */
    int only;     /* the one node in it so far, or NONE */
    double only_speed;
    int node; /* itself, once it is one, else NONE */
} object_t;

typedef struct {
    import_t *import;
    object_t *outer; /* the object around what is read; NULL: none */
    int count;       /* of all objects, for names */
} hwloc_t;

/* Make the object a node of the network, unless it is one. */
static mtree_status_t become_node(const hwloc_t *hwloc, object_t *object, int line)
{
    mtree_status_t status;

    if (object->node != NONE) {
        return MTREE_OK;
    }
    status = import_node(hwloc->import, object->name, line, &object->node);
    if (status == MTREE_OK) {
        hwloc->import->nodes[object->node].is_switch = !object->is_host;
    }
    return status;
}

static mtree_status_t join(const hwloc_t *hwloc, int outer, int inner, double speed,
                           int line)
{
    const import_link_t link = {outer, inner, .capacity = speed, .latency = -1};

    return import_join(hwloc->import, &link, line);
}

/* @a node is in @a object, which becomes a node itself when it is the second. */
static mtree_status_t add_inner(const hwloc_t *hwloc, object_t *object, int node,
                                double speed, int line)
{
    mtree_status_t status;

    if (object->node == NONE && object->only == NONE) {
        object->only = node;
        object->only_speed = speed;
        return MTREE_OK;
    }
    status = become_node(hwloc, object, line);
    if (status == MTREE_OK && object->only != NONE) {
        status = join(hwloc, object->node, object->only, object->only_speed, line);
        object->only = NONE;
    }
    return (status == MTREE_OK) ? join(hwloc, object->node, node, speed, line) : status;
}

/* Is it a node in any case?  Those are NUMA nodes, and devices of the operating system
 * that are network interfaces: 2, or OpenFabrics' 3. */
static bool is_leaf(xmlNodePtr xml, const char *type)
{
    char *kind = import_xml_attribute(xml, "osdev_type");
    bool is_interface =
        kind != NULL && (strcmp(kind, "2") == 0 || strcmp(kind, "3") == 0);

    xmlFree(kind);
    return strcmp(type, "NUMANode") == 0 || (strcmp(type, "OSDev") == 0 && is_interface);
}

/* Call the object by its own name, or by its type and its number. */
static void set_name(const hwloc_t *hwloc, xmlNodePtr xml, const char *type,
                     object_t *object)
{
    char *given = import_xml_attribute(xml, "name");
    char *number = import_xml_attribute(xml, "os_index");

    if (strcmp(type, "OSDev") == 0 && given != NULL) {
        snprintf(object->name, sizeof(object->name), "%s", given);
    } else if (number != NULL) {
        snprintf(object->name, sizeof(object->name), "%s%s", type, number);
    } else {
        snprintf(object->name, sizeof(object->name), "%s_%d", type, hwloc->count);
    }
    xmlFree(given);
    xmlFree(number);
}

/* The speed of a PCI slot, bits/s (hwloc: GB/s); 0: not known, or not a slot. */
static double slot_speed(xmlNodePtr xml)
{
    char *text = import_xml_attribute(xml, "pci_link_speed");
    double speed = text != NULL ? strtod(text, NULL) : 0;

    xmlFree(text);
    return speed > 0 && speed < 1e6 ? 8e9 * speed : 0;
}

static mtree_status_t take_element(void *data, xmlNodePtr xml);

/* What is in @a object; its node, or the only node in it, is also in the one around it.
 */
static mtree_status_t take_object(hwloc_t *hwloc, xmlNodePtr xml, object_t *object)
{
    object_t *outer = hwloc->outer;
    mtree_status_t status;
    bool is_itself;

    hwloc->outer = object;
    status = import_xml_each(xml, take_element, hwloc);
    hwloc->outer = outer;
    is_itself = object->node != NONE;
    if (status == MTREE_OK && outer != NULL && (is_itself || object->only != NONE)) {
        status = add_inner(hwloc, outer, is_itself ? object->node : object->only,
                           is_itself ? object->speed : object->only_speed,
                           import_xml_line(xml));
    }
    return status;
}

static mtree_status_t take_element(void *data, xmlNodePtr xml)
{
    hwloc_t *hwloc = data;
    object_t object = {.speed = slot_speed(xml), .only = NONE, .node = NONE};
    mtree_status_t status = MTREE_OK;
    char *type;

    if (!import_xml_is(xml, "object")) {
        return import_xml_each(xml, take_element, data);
    }
    type = import_xml_attribute(xml, "type");
    if (type == NULL) {
        mtree_error("%s:%d: an object without a type", hwloc->import->file,
                    import_xml_line(xml));
        return MTREE_ERR_INVALID;
    }
    object.is_host = strcmp(type, "NUMANode") == 0;
    set_name(hwloc, xml, type, &object);
    hwloc->count++;
    if (object.speed == 0 && hwloc->outer != NULL) {
        object.speed = hwloc->outer->speed;
    }
    if (is_leaf(xml, type)) {
        status = become_node(hwloc, &object, import_xml_line(xml));
    }
    if (status == MTREE_OK) {
        status = take_object(hwloc, xml, &object);
    }
    xmlFree(type);
    return status;
}

static mtree_status_t take_root(void *data, xmlNodePtr xml)
{
    const hwloc_t *hwloc = data;
    const char *looks = import_xml_is(xml, "system")    ? "; it looks like NCCL's"
                        : import_xml_is(xml, "network") ? "; it looks like SNDlib's"
                                                        : "";

    if (!import_xml_is(xml, "topology")) {
        mtree_error(
            "%s:%d: <%s> is neither GraphML's <graphml> nor hwloc's <topology>%s; "
            "XML of others is not read",
            hwloc->import->file, import_xml_line(xml), (const char *)xml->name, looks);
        return MTREE_ERR_INVALID;
    }
    return take_element(data, xml);
}

mtree_status_t import_hwloc(import_t *import, const char *text, size_t length)
{
    hwloc_t hwloc = {.import = import};
    mtree_status_t status;

    status = import_xml_read(import, text, length, "an hwloc file", take_root, &hwloc);
    if (status == MTREE_OK && hwloc.count == 0) {
        mtree_error("%s: no objects of hwloc in it; write it with lstopo machine.xml",
                    import->file);
        status = MTREE_ERR_INVALID;
    }
    return status;
}
