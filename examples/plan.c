/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Plan an allreduce with libmtree: read a map, take the fastest plan, simulate it.
 *
 *     cc plan.c -o plan $(pkg-config --cflags --libs mtree)
 *     ./plan sites.dot 64M
 */
#include <mtree.h>

#include <stdio.h>
#include <stdlib.h>

/* The vertices that are hosts, in the file's order; the caller's. */
static int *list_hosts(const mtree_topology_t *topology, int *num_hosts_p)
{
    int *hosts = malloc((size_t)topology->num_vertices * sizeof(*hosts));
    int num_hosts = 0;
    int vertex;

    for (vertex = 0; hosts != NULL && vertex < topology->num_vertices; ++vertex) {
        if (topology->vertices[vertex].kind == MTREE_VERTEX_HOST) {
            hosts[num_hosts++] = vertex;
        }
    }
    *num_hosts_p = num_hosts;
    return hosts;
}

static void print_plan(const mtree_plan_t *plan, const mtree_simulate_result_t *result)
{
    char rate[MTREE_UNITS_LENGTH], bound[MTREE_UNITS_LENGTH], time[MTREE_UNITS_LENGTH];

    printf("%s carries %s of the %s that no plan can exceed: %s simulated\n",
           plan->algorithm, mtree_units_format_rate(plan->throughput, rate, sizeof(rate)),
           mtree_units_format_rate(plan->bound, bound, sizeof(bound)),
           mtree_units_format_time(result->seconds, time, sizeof(time)));
}

static mtree_status_t plan_and_simulate(const mtree_topology_t *topology,
                                        const int *hosts, int num_hosts, size_t bytes)
{
    mtree_plan_request_t request = {
        .collective = MTREE_ALLREDUCE, .max_trees = 10, .bytes = (double)bytes};
    mtree_simulate_options_t options;
    mtree_simulate_result_t result = {0};
    mtree_plan_t *plan = NULL;
    mtree_status_t status =
        mtree_choice_plan(topology, hosts, num_hosts, &request, &plan, NULL);

    if (status != MTREE_OK) {
        return status;
    }
    mtree_simulate_default_options(&options);
    options.bytes = bytes;
    status = mtree_simulate_plan(topology, hosts, num_hosts, plan, MTREE_ALLREDUCE,
                                 &options, &result);
    if (status == MTREE_OK) {
        print_plan(plan, &result);
        mtree_simulate_result_clear(&result);
    }
    mtree_plan_destroy(plan);
    return status;
}

int main(int argc, char **argv)
{
    mtree_topology_t *topology = NULL;
    mtree_status_t status;
    const char *why = NULL;
    size_t bytes = 0;
    int *hosts;
    int num_hosts;

    if (argc != 3 || mtree_units_parse_size(argv[2], &bytes, &why) != MTREE_OK) {
        fprintf(stderr, "Usage: plan FILE.dot SIZE (such as 64M)\n");
        return 2;
    }
    if (mtree_topology_read(argv[1], &topology) != MTREE_OK) {
        return 1;
    }
    hosts = list_hosts(topology, &num_hosts);
    status = hosts == NULL ? MTREE_ERR_NO_MEMORY
                           : plan_and_simulate(topology, hosts, num_hosts, bytes);
    free(hosts);
    mtree_topology_destroy(topology);
    return status == MTREE_OK ? 0 : 1;
}
