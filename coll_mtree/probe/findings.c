/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/findings.h"

#include "base/memory.h"
#include "base/units.h"
#include "topo/dot/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *basis_name(mtree_probe_basis_t basis)
{
    return basis == MTREE_PROBE_MEASURED   ? "measured"
           : basis == MTREE_PROBE_AT_LEAST ? "at least"
                                           : "assumed";
}

/* Write the topology with a comment on each figure. */
static void write_findings(const mtree_probe_findings_t *findings, double seconds,
                           const char *load, FILE *out)
{
    const mtree_topology_t *topology = findings->topology;
    char size[MTREE_UNITS_LENGTH];

    fprintf(out, "// probed in %.1f s with %s; routes %s%s%s\n", seconds,
            mtree_units_format_size(findings->bytes, size, sizeof(size)),
            findings->routes_known ? "from the network" : "inferred from rates",
            load == NULL ? "" : "; under load: ", load == NULL ? "" : load);
    for (int l = 0; l < topology->num_links; l++) {
        const mtree_link_t *link = &topology->links[l];
        const mtree_probe_link_t *found = &findings->links[l];

        fprintf(out, "// %s -- %s: capacity %s within %.0f %%, %s within %.0f %%; ",
                topology->vertices[link->u].name, topology->vertices[link->v].name,
                basis_name(found->capacity[0].basis), 100 * found->capacity[0].spread,
                basis_name(found->capacity[1].basis), 100 * found->capacity[1].spread);
        fprintf(out, "latency %s within %.0f %%\n", basis_name(found->latency.basis),
                100 * found->latency.spread);
    }
    mtree_require(mtree_topology_write(topology, out));
}

/* Leave of @a link what is measured, there and back, as its comment says.  Streams
 * measure what joins all hosts; cables are tried each time. */
static void keep_measured(const char *text, const mtree_topology_t *map,
                          mtree_link_t *link)
{
    char line[2 * MTREE_TOPOLOGY_MAX_NAME + 64], basis[2][32] = {"", ""};
    int length = snprintf(line, sizeof(line), "// %s -- %s: capacity ",
                          map->vertices[link->u].name, map->vertices[link->v].name);
    const char *found = link->num_cables > 0 ? NULL : strstr(text, line);

    if (found != NULL) {
        (void)sscanf(found + length, "%31[a-z ]%*d %%, %31[a-z ]", basis[0], basis[1]);
    }
    for (int way = 0; way < 2; way++) {
        if (strcmp(basis[way], "measured within ") != 0) {
            link->capacity[way] = 0;
        }
    }
}

mtree_status_t coll_mtree_probe_findings_reuse(const char *text, mtree_probe_t *probe)
{
    mtree_topology_t *map;
    mtree_status_t status = mtree_topology_parse(text, strlen(text), "the cache", &map);

    if (status == MTREE_OK) {
        for (int l = 0; l < map->num_links; l++) {
            keep_measured(text, map, &map->links[l]);
        }
        mtree_probe_add_known(probe, map);
        mtree_topology_destroy(map);
    }
    return status;
}

char *coll_mtree_probe_findings_text(const mtree_probe_findings_t *findings,
                                     double seconds, const char *load)
{
    size_t length;
    char *text;
    FILE *out = mtree_text_begin(&text, &length);

    write_findings(findings, seconds, load, out);
    mtree_text_end(out);
    return text;
}
