/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A topology as a platform of SimGrid, in its XML of version 4.1: a link per arc, and the
 * links that each host's traffic to each other takes.  SimGrid's own search for routes
 * would choose others where latencies are equal, so all routes are written.
 */
#include "tools/export/simgrid.h"
#include "tools/command.h"
#include "tools/planned_network.h"

#include "report/table.h"

/* A topology says nothing of processors, and SimGrid wants a speed. */
#define HOST_SPEED "1Gf"

/* ` NAME="TEXT"`.  Names of vertices have no quotes. */
static void write_attribute(const char *name, const char *text, FILE *out)
{
    fprintf(out, " %s=\"", name);
    mtree_table_escape(text, out);
    fputc('"', out);
}

/* The attribute that names the link of an arc. */
static void write_link_id(const mtree_topology_t *topology, int arc, FILE *out)
{
    fputs(" id=\"", out);
    mtree_table_escape(topology->vertices[mtree_arc_from(topology, arc)].name, out);
    fputs("-&gt;", out);
    mtree_table_escape(topology->vertices[mtree_arc_to(topology, arc)].name, out);
    fputc('"', out);
}

static void write_vertices(const mtree_topology_t *topology, FILE *out)
{
    for (int i = 0; i < topology->num_vertices; i++) {
        const bool is_host = topology->vertices[i].kind == MTREE_VERTEX_HOST;

        fputs(is_host ? "    <host" : "    <router", out);
        write_attribute("id", topology->vertices[i].name, out);
        fputs(is_host ? " speed=\"" HOST_SPEED "\"/>\n" : "/>\n", out);
    }
}

static void write_links(const mtree_topology_t *topology, FILE *out)
{
    for (int arc = 0; arc < 2 * topology->num_links; arc++) {
        const double capacity = mtree_arc_capacity(topology, arc);

        if (capacity > 0) {
            fputs("    <link", out);
            write_link_id(topology, arc, out);
            fprintf(out, " bandwidth=\"%.15gBps\" latency=\"%.15gs\"/>\n", capacity / 8,
                    topology->links[arc / 2].latency);
        }
    }
}

/* The route between two of the network's hosts. */
static void write_route(const planned_network_t *network, int from, int to, FILE *out)
{
    const mtree_topology_t *topology = network->topology;

    fputs("    <route", out);
    write_attribute("src", topology->vertices[network->hosts[from]].name, out);
    write_attribute("dst", topology->vertices[network->hosts[to]].name, out);
    fputs(" symmetrical=\"NO\">", out);
    MTREE_ROUTE_ARCS (arc, network->routes, from, to) {
        fputs("<link_ctn", out);
        write_link_id(topology, arc, out);
        fputs("/>", out);
    }
    fputs("</route>\n", out);
}

static void write_platform(const planned_network_t *network, FILE *out)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\">\n  <zone",
          out);
    write_attribute("id", network->topology->name, out);
    fputs(" routing=\"Full\">\n", out);
    write_vertices(network->topology, out);
    write_links(network->topology, out);
    for (int from = 0; from < network->num_hosts; from++) {
        for (int to = 0; to < network->num_hosts; to++) {
            if (from != to) {
                write_route(network, from, to, out);
            }
        }
    }
    fputs("  </zone>\n</platform>\n", out);
}

mtree_status_t export_simgrid(const char *file, const export_options_t *options)
{
    plan_options_t all_hosts;
    planned_network_t network;
    mtree_status_t status;
    FILE *out;

    plan_options_init(&all_hosts);
    status = planned_network_prepare(&all_hosts, file, &network);
    if (status != MTREE_OK) {
        return status;
    }
    status = command_open(options->output, &out);
    if (status == MTREE_OK) {
        write_platform(&network, out);
        status = command_close(options->output, out, MTREE_OK);
    }
    planned_network_cleanup(&network);
    return status;
}
