/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/costs.h"

#include "base/log.h"
#include "base/units.h"

/* Seconds of a message: beyond these some unit is mistaken. */
#define LEAST_MESSAGE 1e-9
#define MOST_MESSAGE  1.0

static mtree_status_t refuse(const char *name, const char *attribute, const char *text,
                             const char *why, const char *example)
{
    mtree_error("%s: %s '%s': %s; write it like %s", name, attribute, text, why, example);
    return MTREE_ERR_INVALID;
}

mtree_status_t mtree_dot_costs_read(const char *name, const mtree_dot_graph_t *graph,
                                    mtree_message_cost_t *cost)
{
    const char *message = mtree_dot_attributes_get(graph->attributes, "message_cost");
    const char *copy = mtree_dot_attributes_get(graph->attributes, "copy_rate");
    const char *why = "not from 1 ns to 1 s";
    double value;

    if (message != NULL) {
        if (mtree_units_parse_time(message, &value, &why) != MTREE_OK ||
            value < LEAST_MESSAGE || value > MOST_MESSAGE) {
            return refuse(name, "message_cost", message, why, "message_cost=\"12us\"");
        }
        cost->message = value;
    }
    why = "no rate above zero";
    if (copy != NULL) {
        if (mtree_units_parse_rate(copy, &value, &why) != MTREE_OK || value <= 0.0) {
            return refuse(name, "copy_rate", copy, why, "copy_rate=\"20Gbps\"");
        }
        cost->byte = 8.0 / value;
    }
    return MTREE_OK;
}

void mtree_dot_costs_write(const mtree_message_cost_t *cost, FILE *out)
{
    char text[MTREE_UNITS_LENGTH];

    if (cost->message > 0.0) {
        fprintf(out, "    graph [message_cost=\"%s\"",
                mtree_units_write_time(cost->message, text));
        if (cost->byte > 0.0) {
            fprintf(out, " copy_rate=\"%s\"",
                    mtree_units_write_rate(8.0 / cost->byte, text));
        }
        fputs("];\n", out);
    }
}
