/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Slurm's topology.yaml: a list of topologies, one of which is read.  It is a mapping
 * with the name under "topology", and "tree" with a list of "switches", "block" with a
 * list of "blocks" and one of "block_sizes", "ring" with a list of "rings", or "torus3d"
 * with one of "toruses", which have "dims" x, y and z.
 */
#include "config/mtree_config.h"

#include "tools/import/formats.h"
#include "tools/import/slurm_topology.h"

#include "base/log.h"

#ifdef HAVE_LIBYAML

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

#define MAX_BYTES (1 << 20)

/* A file; nodes are libyaml's, which bounds neither their depth nor what refers to what,
 * so nothing here follows them further than the form of the file goes. */
typedef struct {
    import_t *import;
    yaml_document_t document;
} file_t;

/* The names of members of a switch, a block, a ring or a torus. */
typedef struct {
    const char *what, *name, *switches;
    bool is_ring, is_torus;
} words_t;

static int line_of(const yaml_node_t *node)
{
    return (int)node->start_mark.line + 1;
}

/* The value of @a key in the mapping @a node; NULL: there is none, or it is no mapping.
 */
static const yaml_node_t *member(file_t *file, const yaml_node_t *node, const char *key)
{
    const yaml_node_pair_t *pair;
    const yaml_node_t *name;

    if (node == NULL || node->type != YAML_MAPPING_NODE) {
        return NULL;
    }
    for (pair = node->data.mapping.pairs.start; pair < node->data.mapping.pairs.top;
         pair++) {
        name = yaml_document_get_node(&file->document, pair->key);
        if (name != NULL && name->type == YAML_SCALAR_NODE &&
            strcmp((const char *)name->data.scalar.value, key) == 0) {
            return yaml_document_get_node(&file->document, pair->value);
        }
    }
    return NULL;
}

/* The text of a member; NULL: there is none, or it is no text. */
static const char *text_of(file_t *file, const yaml_node_t *node, const char *key)
{
    const yaml_node_t *value = member(file, node, key);

    return value != NULL && value->type == YAML_SCALAR_NODE
               ? (const char *)value->data.scalar.value
               : NULL;
}

/* Number @a number of the list @a list; NULL: it has fewer, or it is no list. */
static const yaml_node_t *element(file_t *file, const yaml_node_t *list, int number)
{
    if (list == NULL || list->type != YAML_SEQUENCE_NODE ||
        number >= list->data.sequence.items.top - list->data.sequence.items.start) {
        return NULL;
    }
    return yaml_document_get_node(&file->document,
                                  list->data.sequence.items.start[number]);
}

static bool is_default(file_t *file, const yaml_node_t *topology)
{
    const char *text = text_of(file, topology, "cluster_default");

    return text != NULL &&
           (strcasecmp(text, "true") == 0 || strcasecmp(text, "yes") == 0);
}

/*
 * The topology to read: the one that was asked for, else the first that is the cluster's
 * default, else the first, as Slurm chooses.  NULL, logged: there is none.
 */
static const yaml_node_t *choose(file_t *file)
{
    const yaml_node_t *list = yaml_document_get_root_node(&file->document), *topology,
                      *first = element(file, list, 0);
    const char *wanted = file->import->wanted, *name;

    if (text_of(file, first, "topology") == NULL) {
        mtree_error("%s:%d: a list of topologies is needed, each beginning with "
                    "'- topology: NAME'",
                    file->import->file, first != NULL ? line_of(first) : 1);
        return NULL;
    }
    for (int i = 0; (topology = element(file, list, i)) != NULL; i++) {
        name = text_of(file, topology, "topology");
        if (name != NULL &&
            (wanted != NULL ? strcmp(name, wanted) == 0 : is_default(file, topology))) {
            return topology;
        }
    }
    if (wanted != NULL) {
        mtree_error("%s: no topology in it is called '%s'", file->import->file, wanted);
        return NULL;
    }
    return first;
}

/* A torus, or a ring. */
static mtree_status_t take_torus(file_t *file, slurm_topology_t *slurm,
                                 const words_t *words, const slurm_group_t *group,
                                 const yaml_node_t *node)
{
    static const char *const dims[] = {"x", "y", "z"};
    int sizes[3] = {0};

    for (int i = 0; i < 3 && words->is_torus; i++) {
        const char *text = text_of(file, member(file, node, "dims"), dims[i]);

        sizes[i] = text != NULL ? atoi(text) : 0;
        if (sizes[i] < 1) {
            mtree_error("%s:%d: a torus needs dims: with x, y and z, whole numbers",
                        file->import->file, line_of(node));
            return MTREE_ERR_INVALID;
        }
    }
    return slurm_topology_add_torus(slurm, group, words->is_torus ? sizes : NULL,
                                    line_of(node));
}

/* A switch, a block, a ring or a torus. */
static mtree_status_t take_group(file_t *file, slurm_topology_t *slurm,
                                 const words_t *words, const yaml_node_t *node)
{
    const slurm_group_t group = {.name = text_of(file, node, words->name),
                                 .nodes = text_of(file, node, "nodes"),
                                 .switches = words->switches != NULL
                                                 ? text_of(file, node, words->switches)
                                                 : NULL};

    if (group.name == NULL || (group.nodes == NULL && group.switches == NULL)) {
        mtree_error("%s:%d: a %s needs %s:, and nodes:%s", file->import->file,
                    line_of(node), words->what, words->name,
                    words->switches != NULL ? " or children:" : "");
        return MTREE_ERR_INVALID;
    }
    if (words->is_ring || words->is_torus) {
        return take_torus(file, slurm, words, &group, node);
    }
    return words->switches != NULL
               ? slurm_topology_add_switch(slurm, &group, line_of(node))
               : slurm_topology_add_block(slurm, &group, line_of(node));
}

/* The list @a key of @a node, all of it. */
static mtree_status_t take_groups(file_t *file, slurm_topology_t *slurm,
                                  const words_t *words, const yaml_node_t *node,
                                  const char *key)
{
    const yaml_node_t *list = member(file, node, key), *group;
    mtree_status_t status = MTREE_OK;

    if (element(file, list, 0) == NULL) {
        mtree_error("%s:%d: a list '%s' is needed here", file->import->file,
                    line_of(node), key);
        return MTREE_ERR_INVALID;
    }
    for (int i = 0; status == MTREE_OK && (group = element(file, list, i)) != NULL; i++) {
        status = take_group(file, slurm, words, group);
    }
    return status;
}

static mtree_status_t take_sizes(file_t *file, slurm_topology_t *slurm,
                                 const yaml_node_t *block)
{
    const yaml_node_t *list = member(file, block, "block_sizes"), *size;
    mtree_status_t status = MTREE_OK;

    for (int i = 0; status == MTREE_OK && (size = element(file, list, i)) != NULL; i++) {
        status = slurm_topology_add_size(
            slurm,
            size->type == YAML_SCALAR_NODE ? (const char *)size->data.scalar.value : "",
            line_of(size));
    }
    return status;
}

static mtree_status_t take_topology(file_t *file, slurm_topology_t *slurm,
                                    const yaml_node_t *topology)
{
    static const words_t switches = {"switch", "switch", .switches = "children"},
                         blocks = {.what = "block", .name = "block"},
                         rings = {"ring", "ring", .is_ring = true},
                         toruses = {"torus", "name", .is_torus = true};
    const yaml_node_t *tree = member(file, topology, "tree"),
                      *block = member(file, topology, "block"),
                      *ring = member(file, topology, "ring"),
                      *torus = member(file, topology, "torus3d");
    const char *name = text_of(file, topology, "topology");
    mtree_status_t status = MTREE_ERR_INVALID;

    if (tree != NULL) {
        status = take_groups(file, slurm, &switches, tree, "switches");
    } else if (block != NULL) {
        status = take_sizes(file, slurm, block);
        if (status == MTREE_OK) {
            status = take_groups(file, slurm, &blocks, block, "blocks");
        }
    } else if (ring != NULL) {
        status = take_groups(file, slurm, &rings, ring, "rings");
    } else if (torus != NULL) {
        status = take_groups(file, slurm, &toruses, torus, "toruses");
    } else {
        mtree_error("%s:%d: topology %.60s is neither a tree, nor of blocks, rings or "
                    "toruses; name another one by --topology, or make a flat one of N "
                    "hosts with mtree generate star:N",
                    file->import->file, line_of(topology), name);
    }
    if (status == MTREE_OK) {
        status = slurm_topology_finish(slurm);
    }
    return status == MTREE_OK ? import_set_name(file->import, name) : status;
}

/* Parse @a text; yaml_document_delete() releases file->document. */
static mtree_status_t parse(file_t *file, const char *text, size_t length)
{
    mtree_status_t status = MTREE_OK;
    yaml_parser_t parser;

    if (!yaml_parser_initialize(&parser)) {
        return mtree_no_memory("%s", file->import->file);
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    if (!yaml_parser_load(&parser, &file->document)) {
        mtree_error("%s:%d: not YAML: %s", file->import->file,
                    (int)parser.problem_mark.line + 1,
                    parser.problem != NULL ? parser.problem : "no memory");
        status = MTREE_ERR_INVALID;
    }
    yaml_parser_delete(&parser);
    return status;
}

mtree_status_t import_yaml(import_t *import, const char *text, size_t length)
{
    file_t file = {.import = import};
    const yaml_node_t *topology;
    slurm_topology_t slurm;
    mtree_status_t status;

    if (length > MAX_BYTES) {
        mtree_error("%s: not a topology.yaml (over %d bytes)", import->file, MAX_BYTES);
        return MTREE_ERR_INVALID;
    }
    status = parse(&file, text, length);
    if (status != MTREE_OK) {
        return status;
    }
    topology = choose(&file);
    slurm_topology_init(&slurm, import);
    status =
        topology != NULL ? take_topology(&file, &slurm, topology) : MTREE_ERR_INVALID;
    slurm_topology_cleanup(&slurm);
    yaml_document_delete(&file.document);
    return status;
}

#else

mtree_status_t import_yaml(import_t *import, const char *text, size_t length)
{
    (void)text;
    (void)length;
    mtree_error("%s: YAML is not read: mtree was built without libyaml (Debian: "
                "libyaml-dev)",
                import->file);
    return MTREE_ERR_UNSUPPORTED;
}

#endif
