/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/conditions.h"

#include "base/log.h"
#include "base/units.h"

#include <math.h>

#define LEAST_MTU 576 /* what every host must accept (RFC 791) */
#define MOST_MTU  65535

const char *const mtree_dot_condition_names[] = {"mtu",   "loss",  "jitter",
                                                 "cross", "burst", NULL};

static mtree_status_t parse_mtu(const char *text, double *mtu_p, const char **why_p)
{
    const char *end;

    *why_p = "not a whole number from 576 to 65535";
    return (mtree_units_parse_number(text, mtu_p, &end) == MTREE_OK && *end == '\0' &&
            *mtu_p >= LEAST_MTU && *mtu_p <= MOST_MTU && *mtu_p == floor(*mtu_p))
               ? MTREE_OK
               : MTREE_ERR_INVALID;
}

static mtree_status_t parse_loss(const char *text, double *loss_p, const char **why_p)
{
    const char *end;

    *why_p = "not a number from 0 to 1";
    return (mtree_units_parse_number(text, loss_p, &end) == MTREE_OK && *end == '\0' &&
            *loss_p >= 0 && *loss_p <= 1)
               ? MTREE_OK
               : MTREE_ERR_INVALID;
}

static mtree_status_t parse_jitter(const char *text, double *jitter_p, const char **why_p)
{
    mtree_status_t status = mtree_units_parse_time(text, jitter_p, why_p);

    if (status == MTREE_OK && *jitter_p > MTREE_TOPOLOGY_MAX_LATENCY) {
        *why_p = "over 100 s";
        status = MTREE_ERR_INVALID;
    }
    return status;
}

static mtree_status_t parse_burst(const char *text, double *burst_p, const char **why_p)
{
    size_t bytes;
    mtree_status_t status = mtree_units_parse_size(text, &bytes, why_p);

    *burst_p = status == MTREE_OK ? (double)bytes : *burst_p;
    return status;
}

/* Read attribute @a name by @a parse, if it is there. */
static mtree_status_t
read_one(const char *file, const mtree_dot_edge_t *edge, const char *name,
         mtree_status_t (*parse)(const char *, double *, const char **),
         const char *example, double *value_p)
{
    const char *text = mtree_dot_attributes_get(edge->attributes, name);
    const char *why;
    double value;

    if (text == NULL) {
        return MTREE_OK;
    }
    if (parse(text, &value, &why) != MTREE_OK) {
        mtree_error("%s:%d: link %s-%s: %s '%s': %s; write it like %s", file, edge->line,
                    edge->tail->name, edge->head->name, name, text, why, example);
        return MTREE_ERR_INVALID;
    }
    *value_p = value;
    return MTREE_OK;
}

mtree_status_t mtree_dot_conditions_read(const char *name, const mtree_dot_edge_t *edge,
                                         mtree_link_conditions_t *conditions)
{
    mtree_status_t status;

    if ((status = read_one(name, edge, "mtu", parse_mtu, "mtu=\"1500\"",
                           &conditions->mtu)) != MTREE_OK ||
        (status = read_one(name, edge, "loss", parse_loss, "loss=\"0.001\"",
                           &conditions->loss)) != MTREE_OK ||
        (status = read_one(name, edge, "jitter", parse_jitter, "jitter=\"2ms\"",
                           &conditions->jitter)) != MTREE_OK ||
        (status = read_one(name, edge, "burst", parse_burst, "burst=\"64K\"",
                           &conditions->burst)) != MTREE_OK) {
        return status;
    }
    return read_one(name, edge, "cross", mtree_units_parse_rate, "cross=\"20Mbps\"",
                    &conditions->cross);
}

void mtree_dot_conditions_write(const mtree_link_conditions_t *conditions, FILE *out)
{
    char text[MTREE_UNITS_LENGTH];

    if (conditions->mtu >= 0) {
        fprintf(out, " mtu=%s", mtree_units_write_number(conditions->mtu, text));
    }
    if (conditions->loss >= 0) {
        fprintf(out, " loss=\"%s\"", mtree_units_write_number(conditions->loss, text));
    }
    if (conditions->jitter >= 0) {
        fprintf(out, " jitter=\"%s\"", mtree_units_write_time(conditions->jitter, text));
    }
    if (conditions->cross >= 0) {
        fprintf(out, " cross=\"%s\"", mtree_units_write_rate(conditions->cross, text));
    }
    if (conditions->burst >= 0) {
        fprintf(out, " burst=%s", mtree_units_write_number(conditions->burst, text));
    }
}
