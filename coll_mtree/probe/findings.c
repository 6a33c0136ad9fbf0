/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/findings.h"

#include "base/units.h"
#include "topo/dot/read.h"

#include <stdio.h>
#include <stdlib.h>

static const char *basis_name(mtree_probe_basis_t basis)
{
    return basis == MTREE_PROBE_MEASURED   ? "measured"
           : basis == MTREE_PROBE_AT_LEAST ? "at least"
                                           : "assumed";
}

/* Write the topology with a comment on each figure. */
static mtree_status_t write_findings(const mtree_probe_findings_t *findings,
                                     double seconds, FILE *out)
{
    const mtree_topology_t *topology = findings->topology;
    char size[MTREE_UNITS_LENGTH];

    fprintf(out, "// probed in %.1f s with %s; routes %s\n", seconds,
            mtree_units_format_size(findings->bytes, size, sizeof(size)),
            findings->routes_known ? "from the network" : "inferred from rates");
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
    return mtree_topology_write(topology, out);
}

char *coll_mtree_probe_findings_text(const mtree_probe_findings_t *findings,
                                     double seconds)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    mtree_status_t status;

    if (out == NULL) {
        return NULL;
    }
    status = write_findings(findings, seconds, out);
    if (fclose(out) != 0 || status != MTREE_OK) {
        free(text);
        return NULL;
    }
    return text;
}
