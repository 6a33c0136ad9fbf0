/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/values.h"

#include "base/log.h"
#include "base/nearest.h"
#include "base/units.h"

#include <float.h>
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

/* Latencies beyond the limit are refused here and where a link is added. */
#define MOST_TIME  MTREE_TOPOLOGY_MAX_LATENCY
#define LONG_TIME  "over 100 s"
#define RATE_ABOVE mtree_units_parse_rate, DBL_MIN, INFINITY
#define RATE       mtree_units_parse_rate, 0, INFINITY

/* MTUs are from what every host must accept (RFC 791).  What a message costs is limited
 * as beyond that some unit is mistaken. */
static const struct {
    const char *name;
    mtree_status_t (*parse)(const char *text, double *value_p, const char **why_p);
    double least, most;
    const char *why; /* it is beyond these; also where `parse` does not say it */
    const char *example;
} quantities[] = {
    {"capacity", RATE_ABOVE, "must be positive", "200Mbps"},
    {"capacity_back", RATE, "", "200Mbps"},
    {"latency", mtree_units_parse_time, 0, MOST_TIME, LONG_TIME, "38ms"},
    {"mtu", parse_whole, 576, 65535, "not a whole number from 576 to 65535", "1500"},
    {"loss", parse_number, 0, 1, "not a number from 0 to 1", "0.001"},
    {"jitter", mtree_units_parse_time, 0, MOST_TIME, LONG_TIME, "2ms"},
    {"cross", RATE, "", "20Mbps"},
    {"burst", parse_size, 0, INFINITY, "", "64K"},
    {"message_cost", mtree_units_parse_time, 1e-9, 1, "not from 1 ns to 1 s", "12us"},
    {"copy_rate", RATE_ABOVE, "no rate above zero", "20Gbps"},
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

/* The attributes of an edge that say what a lab does to a link's packets. */
static const char *const condition_names[] = {"mtu",   "loss",  "jitter",
                                              "cross", "burst", NULL};

/* Where each of these is, and how it is written. */
static const struct {
    size_t offset;
    const char *(*write)(double value, char *buffer);
    const char *quote;
} conditions_of[] = {
    {offsetof(mtree_link_conditions_t, mtu), mtree_units_write_number, ""},
    {offsetof(mtree_link_conditions_t, loss), mtree_units_write_number, "\""},
    {offsetof(mtree_link_conditions_t, jitter), mtree_units_write_time, "\""},
    {offsetof(mtree_link_conditions_t, cross), mtree_units_write_rate, "\""},
    {offsetof(mtree_link_conditions_t, burst), mtree_units_write_number, ""},
};

mtree_status_t mtree_dot_conditions_read(const char *file, const mtree_dot_edge_t *edge,
                                         mtree_link_conditions_t *conditions)
{
    mtree_status_t status = MTREE_OK;

    for (int c = 0; condition_names[c] != NULL && status == MTREE_OK; c++) {
        status = mtree_dot_value_read(
            file, NULL, edge, condition_names[c],
            (double *)(void *)((char *)conditions + conditions_of[c].offset));
    }
    return status;
}

void mtree_dot_conditions_write(const mtree_link_conditions_t *conditions, FILE *out)
{
    char text[MTREE_UNITS_LENGTH];

    for (int c = 0; condition_names[c] != NULL; c++) {
        const double value = *(const double *)(const void *)((const char *)conditions +
                                                             conditions_of[c].offset);

        if (value >= 0) {
            fprintf(out, " %s=%s%s%s", condition_names[c], conditions_of[c].quote,
                    conditions_of[c].write(value, text), conditions_of[c].quote);
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
    "capacity", "capacity_back", "from_address", "latency", "pos", "to_address", NULL};

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

static void offer_all(mtree_nearest_t *nearest, const char *const *list)
{
    for (; *list != NULL; ++list) {
        mtree_nearest_offer(nearest, *list);
    }
}

/* Warn of the attribute @a name; @a nearest is one of those that there are. */
static void warn_unknown(const char *file, const char *object, const char *name,
                         mtree_nearest_t *nearest)
{
    char advice[MTREE_NEAREST_ADVICE];

    mtree_warn("%s: the %s attribute '%s' is not known and not used%s", file, object,
               name, mtree_nearest_advice(nearest, "", advice));
}

/* What is offered for @a name is all of @a list, and what other programs' word means. */
static mtree_nearest_t begin_nearest(const char *name, const char *const *list)
{
    mtree_nearest_t nearest = mtree_nearest_begin(name);

    offer_all(&nearest, list);
    for (size_t i = 0; i < sizeof(other_words) / sizeof(other_words[0]); ++i) {
        if (strcasecmp(name, other_words[i].word) == 0 &&
            is_listed(other_words[i].attribute, list)) {
            nearest.name = other_words[i].attribute;
            nearest.edits = 0;
        }
    }
    return nearest;
}

void mtree_dot_attributes_warn(const char *name, const mtree_dot_graph_t *graph)
{
    for (int i = 0; i < graph->num_names; ++i) {
        const mtree_dot_attribute_name_t *it = &graph->names[i];
        mtree_nearest_t nearest;

        if (is_listed(it->name, drawing_attributes)) {
            continue;
        }
        if (it->of_nodes && !is_listed(it->name, node_attributes)) {
            nearest = begin_nearest(it->name, node_attributes);
            warn_unknown(name, "node", it->name, &nearest);
        }
        if (it->of_edges && !is_listed(it->name, edge_attributes) &&
            !is_listed(it->name, condition_names)) {
            nearest = begin_nearest(it->name, edge_attributes);
            offer_all(&nearest, condition_names);
            warn_unknown(name, "edge", it->name, &nearest);
        }
    }
}
