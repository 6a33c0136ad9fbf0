/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/values.h"

#include "base/log.h"
#include "base/nearest.h"
#include "base/units.h"

#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

static mtree_status_t parse_number(const char *text, double *value_p, const char **why_p)
{
    const char *end;

    (void)why_p;
    return mtree_units_parse_number(text, value_p, &end) == MTREE_OK && *end == '\0'
               ? MTREE_OK
               : MTREE_ERR_INVALID;
}

static mtree_status_t parse_whole(const char *text, double *value_p, const char **why_p)
{
    return parse_number(text, value_p, why_p) == MTREE_OK && *value_p == floor(*value_p)
               ? MTREE_OK
               : MTREE_ERR_INVALID;
}

static mtree_status_t parse_size(const char *text, double *value_p, const char **why_p)
{
    size_t bytes = 0;
    mtree_status_t status = mtree_units_parse_size(text, &bytes, why_p);

    *value_p = (double)bytes;
    return status;
}

/* What a link carries in one of its directions. */
static mtree_status_t parse_back(const char *text, double *value_p, const char **why_p)
{
    mtree_status_t status = mtree_units_parse_rate(text, value_p, why_p);

    if (status == MTREE_OK && *value_p > 0 && *value_p < MTREE_TOPOLOGY_MIN_CAPACITY) {
        *why_p = "must be 0 or at least 1 b/s";
        status = MTREE_ERR_INVALID;
    }
    return status;
}

/* Latencies beyond the limit are refused here and where a link is added. */
#define MOST_TIME  MTREE_TOPOLOGY_MAX_LATENCY
#define LONG_TIME  "over 100 s"
#define RATE_ABOVE mtree_units_parse_rate, MTREE_TOPOLOGY_MIN_CAPACITY, INFINITY
#define RATE       mtree_units_parse_rate, 0, INFINITY

/* The place in a link's conditions, which the next rows are written in, too. */
#define OF_LINK(field) offsetof(mtree_link_conditions_t, field)

/* MTUs are from what every host must accept (RFC 791).  What a message costs is limited
 * as beyond that some unit is mistaken.  The conditions of a link, which a lab plays,
 * come first. */
static const struct {
    const char *name;
    mtree_status_t (*parse)(const char *text, double *value_p, const char **why_p);
    double least, most;
    const char *why; /* it is beyond these; also where `parse` does not say it */
    const char *example;
    const char *(*write)(double value, char *buffer); /* of a condition */
    const char *quote;
    size_t offset;
} quantities[] = {
    {"mtu", parse_whole, 576, 65535, "not a whole number from 576 to 65535", "1500",
     mtree_units_write_number, "", OF_LINK(mtu)},
    {"loss", parse_number, 0, 1, "not a number from 0 to 1", "0.001",
     mtree_units_write_number, "\"", OF_LINK(loss)},
    {"jitter", mtree_units_parse_time, 0, MOST_TIME, LONG_TIME, "2ms",
     mtree_units_write_time, "\"", OF_LINK(jitter)},
    {"cross", RATE, "", "20Mbps", mtree_units_write_rate, "\"", OF_LINK(cross)},
    {"burst", parse_size, 0, INFINITY, "", "64K", mtree_units_write_number, "",
     OF_LINK(burst)},
    {"capacity", RATE_ABOVE, "must be at least 1 b/s", "200Mbps", NULL, NULL, 0},
    {"capacity_back", parse_back, 0, INFINITY, "", "200Mbps", NULL, NULL, 0},
    {"latency", mtree_units_parse_time, 0, MOST_TIME, LONG_TIME, "38ms", NULL, NULL, 0},
    {"message_cost", mtree_units_parse_time, 1e-9, 1, "not from 1 ns to 1 s", "12us",
     NULL, NULL, 0},
    {"copy_rate", RATE_ABOVE, "must be at least 1 b/s", "20Gbps", NULL, NULL, 0},
};

mtree_status_t mtree_dot_value_read(const char *file, const mtree_dot_graph_t *graph,
                                    const mtree_dot_edge_t *edge, const char *name,
                                    double *value_p)
{
    const char *text = mtree_dot_attributes_get(
        edge != NULL ? edge->attributes : graph->attributes, name);
    const char *why = NULL;
    mtree_status_t status;
    double value = 0;
    int q = 0;

    if (text == NULL) {
        return MTREE_OK;
    }
    while (strcmp(quantities[q].name, name) != 0) {
        q++;
    }
    status = quantities[q].parse(text, &value, &why);
    if (status == MTREE_OK && value >= quantities[q].least &&
        value <= quantities[q].most) {
        *value_p = value;
        return MTREE_OK;
    }
    why = status == MTREE_OK || why == NULL ? quantities[q].why : why;
    if (edge != NULL) {
        mtree_error("%s:%d: link %s-%s: %s '%s': %s; write it like %s=\"%s\"", file,
                    edge->line, edge->tail->name, edge->head->name, name, text, why, name,
                    quantities[q].example);
    } else {
        mtree_error("%s: %s '%s': %s; write it like %s=\"%s\"", file, name, text, why,
                    name, quantities[q].example);
    }
    return MTREE_ERR_INVALID;
}

mtree_status_t mtree_dot_conditions_read(const char *file, const mtree_dot_edge_t *edge,
                                         mtree_link_conditions_t *conditions)
{
    mtree_status_t status = MTREE_OK;

    for (int q = 0; quantities[q].write != NULL && status == MTREE_OK; q++) {
        status = mtree_dot_value_read(
            file, NULL, edge, quantities[q].name,
            (double *)(void *)((char *)conditions + quantities[q].offset));
    }
    return status;
}

void mtree_dot_conditions_write(const mtree_link_conditions_t *conditions, FILE *out)
{
    char text[MTREE_UNITS_LENGTH];

    for (int q = 0; quantities[q].write != NULL; q++) {
        const double value = *(const double *)(const void *)((const char *)conditions +
                                                             quantities[q].offset);

        if (value >= 0) {
            fprintf(out, " %s=%s%s%s", quantities[q].name, quantities[q].quote,
                    quantities[q].write(value, text), quantities[q].quote);
        }
    }
}

/* Attributes for people and for Graphviz; any other may be a spelling mistake. */
static const char *const drawing_attributes[] = {
    "URL",         "arrowhead", "arrowsize",  "arrowtail", "class",     "color",
    "colorscheme", "comment",   "constraint", "dir",       "fillcolor", "fontcolor",
    "fontname",    "fontsize",  "group",      "head_lp",   "headlabel", "headport",
    "height",      "href",      "id",         "image",     "key",       "label",
    "labelloc",    "len",       "lp",         "margin",    "ordering",  "peripheries",
    "penwidth",    "rank",      "shape",      "style",     "taillabel", "tailport",
    "target",      "tooltip",   "weight",     "width",     "xlabel",    "xlp",
    NULL,
};

static const char *const node_attributes[] = {"kind", "host",  "pos", "lon",
                                              "lat",  "relay", NULL};
static const char *const edge_attributes[] = {
    "capacity", "capacity_back", "from_address", "latency", "pos",   "to_address",
    "mtu",      "loss",          "jitter",       "cross",   "burst", NULL};

/* Words of other programs for what is an attribute here. */
static const struct {
    const char *word, *attribute;
} other_words[] = {{"bandwidth", "capacity"}, {"bw", "capacity"},   {"rate", "capacity"},
                   {"speed", "capacity"},     {"delay", "latency"}, {"hostname", "host"},
                   {"type", "kind"}};

static bool is_listed(const char *name, const char *const *list)
{
    for (; *list != NULL; ++list) {
        if (strcmp(name, *list) == 0) {
            return true;
        }
    }
    return false;
}

/* Warn of the attribute @a name if it is not in @a list, of all that @a object may have,
 * and say which of these may be meant. */
static void warn_unknown(const char *file, const char *object, const char *name,
                         const char *const *list)
{
    mtree_nearest_t nearest = mtree_nearest_begin(name);
    char advice[MTREE_NEAREST_ADVICE];

    if (is_listed(name, list) || is_listed(name, drawing_attributes)) {
        return;
    }
    for (const char *const *each = list; *each != NULL; ++each) {
        mtree_nearest_offer(&nearest, *each);
    }
    for (size_t i = 0; i < sizeof(other_words) / sizeof(other_words[0]); ++i) {
        if (strcasecmp(name, other_words[i].word) == 0 &&
            is_listed(other_words[i].attribute, list)) {
            nearest.name = other_words[i].attribute;
            nearest.edits = 0;
        }
    }
    mtree_warn("%s: the %s attribute '%s' is not known and not used%s", file, object,
               name, mtree_nearest_advice(&nearest, "", advice));
}

void mtree_dot_attributes_warn(const char *name, const mtree_dot_graph_t *graph)
{
    for (int i = 0; i < graph->num_names; ++i) {
        if (graph->names[i].of_nodes) {
            warn_unknown(name, "node", graph->names[i].name, node_attributes);
        }
        if (graph->names[i].of_edges) {
            warn_unknown(name, "edge", graph->names[i].name, edge_attributes);
        }
    }
}
