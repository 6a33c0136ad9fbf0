/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/import/slurm_topology.h"

#include "tools/host_list.h"

#include "base/array.h"
#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* The list that take_member() is given name by name. */
typedef struct {
    import_t *import;
    const slurm_group_t *group;
    int line;
    bool are_switches;
} listing_t;

void slurm_topology_init(slurm_topology_t *topology, import_t *import)
{
    *topology = (slurm_topology_t){.import = import};
}

void slurm_topology_cleanup(slurm_topology_t *topology)
{
    free(topology->blocks);
    free(topology->sizes);
}

static mtree_status_t mark_switch(import_t *import, const char *name, int line,
                                  int *node_p)
{
    mtree_status_t status = import_node(import, name, line, node_p);

    if (status == MTREE_OK) {
        import->nodes[*node_p].is_switch = true;
    }
    return status;
}

/* One name of a list: a link joins it to the switch or block. */
static mtree_status_t take_member(void *data, const char *name)
{
    const listing_t *listing = data;
    const char *speed = listing->group->speed;
    import_t *import = listing->import;
    mtree_status_t status = MTREE_OK;
    import_record_t record;
    int node;

    if (listing->are_switches) {
        status = mark_switch(import, name, listing->line, &node);
    }
    if (status != MTREE_OK) {
        return status;
    }
    import_record_init(&record);
    (void)import_record_take(&record, import, "source", listing->group->name,
                             listing->line);
    (void)import_record_take(&record, import, "target", name, listing->line);
    /* Slurm does not define a speed's unit, so a bare number is not used. */
    if (speed != NULL && speed[strspn(speed, "0123456789.")] != '\0') {
        (void)import_record_take(&record, import, "capacity", speed, listing->line);
    }
    return import_add_link(import, &record, listing->line);
}

static mtree_status_t take_list(import_t *import, const slurm_group_t *group, int line,
                                const char *list, bool are_switches)
{
    listing_t listing = {import, group, line, are_switches};
    const char *why = NULL;
    mtree_status_t status;

    if (list == NULL) {
        return MTREE_OK;
    }
    status = host_list_expand(list, take_member, &listing, &why);
    if (why != NULL) {
        mtree_error("%s:%d: the list '%.60s': %s", import->file, line, list, why);
    }
    return status;
}

/* A file has one topology, whose parts are @a kind. */
static mtree_status_t begin(slurm_topology_t *topology, const char *kind, int line)
{
    topology->line = line;
    if (topology->kind != NULL && strcmp(topology->kind, kind) != 0) {
        mtree_error("%s:%d: %s and %s are two topologies; keep one of them",
                    topology->import->file, line, topology->kind, kind);
        return MTREE_ERR_INVALID;
    }
    topology->kind = kind;
    return MTREE_OK;
}

mtree_status_t slurm_topology_add_switch(slurm_topology_t *topology,
                                         const slurm_group_t *group, int line)
{
    mtree_status_t status = begin(topology, "switches", line);
    int node;

    if (status == MTREE_OK) {
        status = mark_switch(topology->import, group->name, line, &node);
    }
    if (status == MTREE_OK) {
        status = take_list(topology->import, group, line, group->nodes, false);
    }
    if (status == MTREE_OK) {
        status = take_list(topology->import, group, line, group->switches, true);
    }
    return status;
}

/* Append @a value to an array. */
static mtree_status_t append(const import_t *import, int **array_p, int *room_p,
                             int *count_p, int value)
{
    if (mtree_array_reserve(array_p, room_p, *count_p + 1, sizeof(**array_p)) !=
        MTREE_OK) {
        return mtree_no_memory("the blocks of %s", import->file);
    }
    (*array_p)[(*count_p)++] = value;
    return MTREE_OK;
}

mtree_status_t slurm_topology_add_block(slurm_topology_t *topology,
                                        const slurm_group_t *group, int line)
{
    import_t *import = topology->import;
    mtree_status_t status = begin(topology, "blocks", line);
    int node;

    if (status != MTREE_OK) {
        return status;
    }
    if (json_object_get(import->places, group->name) != NULL) {
        mtree_error("%s:%d: block %.60s is there already, or a node is called so; rename "
                    "one",
                    import->file, line, group->name);
        return MTREE_ERR_INVALID;
    }
    status = mark_switch(import, group->name, line, &node);
    if (status == MTREE_OK) {
        status = append(import, &topology->blocks, &topology->block_room,
                        &topology->num_blocks, node);
    }
    return status == MTREE_OK ? take_list(import, group, line, group->nodes, false)
                              : status;
}

/* One name of the list of a ring or torus. */
static mtree_status_t take_neighbour(void *data, const char *name)
{
    slurm_topology_t *topology = data;
    int node;
    mtree_status_t status = import_node(topology->import, name, topology->line, &node);

    return status == MTREE_OK ? append(topology->import, &topology->blocks,
                                       &topology->block_room, &topology->num_blocks, node)
                              : status;
}

/* Join each node to the next one of a dimension of @a size nodes that are @a step apart
 * in the list, and the last of three or more to the first. */
static mtree_status_t join_dimension(slurm_topology_t *topology, int size, int step)
{
    const int *nodes = topology->blocks;
    mtree_status_t status = MTREE_OK;

    for (int i = 0; i < topology->num_blocks && status == MTREE_OK; i++) {
        const bool is_last = i / step % size == size - 1;
        const int other = is_last ? i - (size - 1) * step : i + step;
        const import_link_t link = {.u = nodes[is_last ? other : i],
                                    .v = nodes[is_last ? i : other],
                                    .latency = -1};

        if (size > 2 || !is_last) {
            status = import_join(topology->import, &link, topology->line);
        }
    }
    return status;
}

mtree_status_t slurm_topology_add_torus(slurm_topology_t *topology,
                                        const slurm_group_t *group, const int sizes[3],
                                        int line)
{
    mtree_status_t status = begin(topology, sizes == NULL ? "rings" : "toruses", line);
    const char *why = NULL;
    int step = 1;

    topology->num_blocks = 0;
    if (status == MTREE_OK) {
        status = host_list_expand(group->nodes, take_neighbour, topology, &why);
    }
    if (why != NULL) {
        mtree_error("%s:%d: the list '%.60s': %s", topology->import->file, line,
                    group->nodes, why);
    }
    if (status == MTREE_OK && sizes != NULL &&
        (double)sizes[0] * sizes[1] * sizes[2] != topology->num_blocks) {
        mtree_error(
            "%s:%d: a torus of %d x %d x %d nodes, but its list has %d; make them "
            "agree",
            topology->import->file, line, sizes[0], sizes[1], sizes[2],
            topology->num_blocks);
        return MTREE_ERR_INVALID;
    }
    for (int i = 0; i < (sizes == NULL ? 1 : 3) && status == MTREE_OK; i++) {
        const int size = sizes == NULL ? topology->num_blocks : sizes[i];

        status = join_dimension(topology, size, step);
        step *= size;
    }
    return status;
}

/* May blocks of @a size be made of those of the sizes before? */
static bool is_next_size(const slurm_topology_t *topology, long size)
{
    const int count = topology->num_sizes;
    long times;

    if (count == 0) {
        return size > 0;
    }
    times = size / topology->sizes[0];
    return size > topology->sizes[count - 1] && size % topology->sizes[0] == 0 &&
           (times & (times - 1)) == 0;
}

mtree_status_t slurm_topology_add_size(slurm_topology_t *topology, const char *size,
                                       int line)
{
    char *end;
    const long number = strtol(size, &end, 10);

    if (end == size || *end != '\0' || number > MTREE_TOPOLOGY_MAX_VERTICES ||
        !is_next_size(topology, number)) {
        mtree_error("%s:%d: block size '%.20s': sizes are whole numbers, each the first "
                    "one times a power of two",
                    topology->import->file, line, size);
        return MTREE_ERR_INVALID;
    }
    return append(topology->import, &topology->sizes, &topology->size_room,
                  &topology->num_sizes, (int)number);
}

/* A new switch above the @a count nodes in @a below, which is called @a name, or, if
 * something is called so, @a name and underscores. */
static mtree_status_t join(import_t *import, const char *name, const int *below,
                           int count, int *node_p)
{
    char free_name[MTREE_TOPOLOGY_MAX_NAME];
    mtree_status_t status;
    int length = snprintf(free_name, sizeof(free_name), "%s", name);

    while (json_object_get(import->places, free_name) != NULL &&
           length < MTREE_TOPOLOGY_MAX_NAME - 1) {
        free_name[length++] = '_';
        free_name[length] = '\0';
    }
    status = mark_switch(import, free_name, 0, node_p);
    for (int i = 0; i < count && status == MTREE_OK; i++) {
        status = import_join(
            import, &(import_link_t){.u = *node_p, .v = below[i], .latency = -1}, 0);
    }
    return status;
}

/* Replace the @a count nodes in @a nodes by those above groups of @a times of them, whose
 * blocks have @a size nodes; a last one that is alone stays. */
static mtree_status_t join_groups(import_t *import, int *nodes, int *count_p, int times,
                                  int size)
{
    mtree_status_t status = MTREE_OK;
    int groups = 0;
    char name[64];

    for (int first = 0; first < *count_p && status == MTREE_OK; first += times) {
        const int rest = *count_p - first, members = rest < times ? rest : times;
        int node = nodes[first];

        if (members > 1) {
            snprintf(name, sizeof(name), "blocks_of_%d_%d", size, groups + 1);
            status = join(import, name, &nodes[first], members, &node);
        }
        nodes[groups++] = node;
    }
    *count_p = groups;
    return status;
}

/* The first node of the part of the network in which @a node is; @a above leads there. */
static int part_of(int *above, int node)
{
    while (above[node] != node) {
        above[node] = above[above[node]];
        node = above[node];
    }
    return node;
}

/*
 * Fill @a tops with one node of each part of the network that no link joins to the
 * others: the first that is below no other, as links begin above.  @a scratch has room
 * for three zeros per node.  Returns how many they are.
 */
static int find_tops(const import_t *import, int *tops, int *scratch)
{
    const int num_nodes = import->num_nodes;
    int *above = scratch, *is_below = above + num_nodes, *has_top = is_below + num_nodes;
    int count = 0;

    for (int i = 0; i < num_nodes; i++) {
        above[i] = i;
    }
    for (int i = 0; i < import->num_links; i++) {
        const import_link_t *link = &import->links[i];

        above[part_of(above, link->v)] = part_of(above, link->u);
        is_below[link->v] = true;
    }
    for (int i = 0; i < num_nodes; i++) {
        if (!is_below[i] && !has_top[part_of(above, i)]) {
            has_top[part_of(above, i)] = true;
            tops[count++] = i;
        }
    }
    return count;
}

/* Join the parts of the network that are apart. */
static mtree_status_t join_parts(slurm_topology_t *topology)
{
    import_t *import = topology->import;
    int *tops = calloc(4 * (size_t)import->num_nodes + 1, sizeof(*tops));
    mtree_status_t status = MTREE_OK;
    int count, node;

    if (tops == NULL) {
        return mtree_no_memory("the nodes of %s", import->file);
    }
    count = find_tops(import, tops, tops + import->num_nodes);
    if (count > 1) {
        status = join(import, topology->kind, tops, count, &node);
    }
    free(tops);
    return status;
}

mtree_status_t slurm_topology_finish(slurm_topology_t *topology)
{
    mtree_status_t status = MTREE_OK;
    int count = topology->num_blocks;

    for (int i = 1; i < topology->num_sizes && status == MTREE_OK; i++) {
        const int times = topology->sizes[i] / topology->sizes[i - 1];

        if (count > times) {
            status = join_groups(topology->import, topology->blocks, &count, times,
                                 topology->sizes[i]);
        }
    }
    return status == MTREE_OK ? join_parts(topology) : status;
}
