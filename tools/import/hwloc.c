/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine as hwloc writes it in XML (lstopo machine.xml): its NUMA nodes are hosts; its
 * network interfaces, and objects that hold several of either, are switches.
 */
#include "tools/import/formats.h"
#include "tools/import/xml.h"

#include "base/array.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE (-1)

/* An open object of the file. */
typedef struct {
    int parent;   /* the object around it, or NONE */
    char *name;   /* what it is called if it becomes a node */
    bool is_leaf; /* a NUMA node or a network interface: a node in any case */
    bool is_host;
    double speed; /* of the PCI slot that it is or sits in, bits/s; 0: not known */
    int only;     /* the one node in it so far, or NONE */
    double only_speed;
    int node; /* itself, once it is one, else NONE */
} object_t;

typedef struct {
    import_t *import;
    int num_objects, room;
    object_t *objects; /* those that are open, the widest first */
    int count;         /* of all objects, for names */
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

/* Is an operating system's device a network interface? 2: network, 3: OpenFabrics. */
static bool is_interface(const import_xml_t *xml)
{
    char *kind = import_xml_attribute(xml, "osdev_type");
    bool found = kind != NULL && (strcmp(kind, "2") == 0 || strcmp(kind, "3") == 0);

    xmlFree(kind);
    return found;
}

/* What the object is called: its own name, or its type and its number. */
static char *name_of(const import_xml_t *xml, const char *type, int count)
{
    char *given = import_xml_attribute(xml, "name");
    char *number = import_xml_attribute(xml, "os_index");
    char counted[16], *name = NULL;
    size_t length;

    (void)snprintf(counted, sizeof(counted), "_%d", count);
    if (strcmp(type, "OSDev") == 0 && given != NULL) {
        name = strdup(given);
    } else {
        length = strlen(type) + sizeof(counted) + ((number != NULL) ? strlen(number) : 0);
        name = malloc(length);
        if (name != NULL) {
            (void)snprintf(name, length, "%s%s", type,
                           (number != NULL) ? number : counted);
        }
    }
    xmlFree(given);
    xmlFree(number);
    return name;
}

/* The speed of a PCI slot, bits/s (hwloc: GB/s); 0: not known, or not a slot. */
static double slot_speed(const import_xml_t *xml)
{
    char *text = import_xml_attribute(xml, "pci_link_speed");
    double speed = text != NULL ? strtod(text, NULL) : 0;

    xmlFree(text);
    return speed > 0 && speed < 1e6 ? 8e9 * speed : 0;
}

static mtree_status_t push(hwloc_t *hwloc, const import_xml_t *xml, const char *type)
{
    const bool is_host = strcmp(type, "NUMANode") == 0;
    object_t object = {.parent = hwloc->num_objects - 1,
                       .name = name_of(xml, type, hwloc->count++),
                       .is_leaf =
                           is_host || (strcmp(type, "OSDev") == 0 && is_interface(xml)),
                       .is_host = is_host,
                       .speed = slot_speed(xml),
                       .only = NONE,
                       .node = NONE};

    if (object.name == NULL ||
        mtree_array_reserve(&hwloc->objects, &hwloc->room, hwloc->num_objects + 1,
                            sizeof(object)) != MTREE_OK) {
        mtree_error("%s: out of memory", hwloc->import->file);
        free(object.name);
        return MTREE_ERR_NO_MEMORY;
    }
    if (object.speed == 0 && object.parent != NONE) {
        object.speed = hwloc->objects[object.parent].speed;
    }
    hwloc->objects[hwloc->num_objects++] = object;
    return MTREE_OK;
}

static mtree_status_t take_start(void *data, import_xml_t *xml, const char *element)
{
    hwloc_t *hwloc = data;
    mtree_status_t status;
    char *type;

    if (strcmp(element, "object") != 0) {
        return MTREE_OK;
    }
    type = import_xml_attribute(xml, "type");
    if (type == NULL) {
        mtree_error("%s:%d: an object without a type", hwloc->import->file,
                    import_xml_line(xml));
        return MTREE_ERR_INVALID;
    }
    status = push(hwloc, xml, type);
    xmlFree(type);
    if (status == MTREE_OK && hwloc->objects[hwloc->num_objects - 1].is_leaf) {
        status = become_node(hwloc, &hwloc->objects[hwloc->num_objects - 1],
                             import_xml_line(xml));
    }
    return status;
}

/* The object's node, or the only node in it, is also in the object around it. */
static mtree_status_t take_end(void *data, import_xml_t *xml, const char *element)
{
    hwloc_t *hwloc = data;
    mtree_status_t status = MTREE_OK;
    const object_t *object;
    bool is_itself;

    if (strcmp(element, "object") != 0 || hwloc->num_objects == 0) {
        return MTREE_OK;
    }
    object = &hwloc->objects[hwloc->num_objects - 1];
    is_itself = object->node != NONE;
    if (object->parent != NONE && (is_itself || object->only != NONE)) {
        status = add_inner(hwloc, &hwloc->objects[object->parent],
                           is_itself ? object->node : object->only,
                           is_itself ? object->speed : object->only_speed,
                           import_xml_line(xml));
    }
    free(object->name);
    --hwloc->num_objects;
    return status;
}

mtree_status_t import_hwloc(import_t *import, const char *text, size_t length)
{
    hwloc_t hwloc = {.import = import};
    mtree_status_t status;

    status = import_xml_read(import, text, length, "an hwloc file", take_start, take_end,
                             &hwloc);
    while (hwloc.num_objects > 0) {
        free(hwloc.objects[--hwloc.num_objects].name);
    }
    free(hwloc.objects);
    if (status == MTREE_OK && hwloc.count == 0) {
        mtree_error("%s: no objects of hwloc in it; write it with lstopo machine.xml",
                    import->file);
        status = MTREE_ERR_INVALID;
    }
    return status;
}
