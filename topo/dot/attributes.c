/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/attributes.h"

#include "base/log.h"
#include "base/nearest.h"
#include "topo/dot/values.h"

#include <string.h>
#include <strings.h>

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
            !is_listed(it->name, mtree_dot_condition_names)) {
            nearest = begin_nearest(it->name, edge_attributes);
            offer_all(&nearest, mtree_dot_condition_names);
            warn_unknown(name, "edge", it->name, &nearest);
        }
    }
}
