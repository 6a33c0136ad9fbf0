/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/counters.h"
#include "coll_mtree/report/statistics.h"

#include "opal/mca/base/mca_base_pvar.h"

#include <stdio.h>

/* A number of this process. */
typedef struct {
    const char *name, *text;
    int pvar_class;   /* MCA_BASE_PVAR_CLASS_* */
    unsigned counter; /* coll_mtree_counter_t */
} pvar_t;

#define COUNTER(_name) MCA_BASE_PVAR_CLASS_COUNTER, COLL_MTREE_COUNT_##_name
#define SUM(_name)     MCA_BASE_PVAR_CLASS_AGGREGATE, COLL_MTREE_COUNT_##_name

static const pvar_t pvars[] = {
    {"calls_trees", "Calls that mtree served over the trees of a plan",
     COUNTER(CALLS) + COLL_MTREE_TREES},
    {"calls_fallback", "Calls that Open MPI's other components served for mtree",
     COUNTER(CALLS) + COLL_MTREE_FALLBACK},
    {"bytes_trees", "Bytes of the calls of calls_trees", SUM(BYTES) + COLL_MTREE_TREES},
    {"bytes_fallback", "Bytes of the calls of calls_fallback",
     SUM(BYTES) + COLL_MTREE_FALLBACK},
    {"chunks", "Messages with data that this rank sent for mtree's calls",
     COUNTER(CHUNKS)},
    {"chunk_bytes", "Bytes in the messages of chunks", SUM(CHUNK_BYTES)},
    {"plans", "Plans that this rank agreed on with others", COUNTER(PLANS)},
    {"replans",
     "Times that a communicator gave its plans up since the network had changed",
     COUNTER(REPLANS)},
    {"probe_bytes", "Bytes that this rank sent for probing the network",
     SUM(PROBE_BYTES)},
    {"scratch", "Bytes of receive slots of the calls that are under way",
     MCA_BASE_PVAR_CLASS_LEVEL, COLL_MTREE_COUNT_SCRATCH},
    {"scratch_most", "The most that coll_mtree_scratch has been",
     MCA_BASE_PVAR_CLASS_HIGHWATERMARK, COLL_MTREE_COUNT_MOST_SCRATCH},
};

static int pvar_read(const struct mca_base_pvar_t *pvar, void *value, void *object)
{
    unsigned long long *number = value;

    (void)object;
    *number = coll_mtree_counter_get((unsigned)(uintptr_t)pvar->ctx);
    return OPAL_SUCCESS;
}

static void pvar_register(const mca_base_component_t *component, const char *name,
                          const char *text, int pvar_class, unsigned counter)
{
    (void)mca_base_component_pvar_register(
        component, name, text, OPAL_INFO_LVL_4, pvar_class,
        MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_NO_OBJECT,
        MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS, pvar_read, NULL,
        NULL, (void *)(uintptr_t)counter);
}

/* "fallbacks_NAME" per reason.  Open MPI copies name and text. */
static void reasons_register(const mca_base_component_t *component)
{
    for (int r = 0; r < COLL_MTREE_REASONS; r++) {
        coll_mtree_fallback_reason_t reason = (coll_mtree_fallback_reason_t)r;
        char name[64], text[256];

        (void)snprintf(name, sizeof(name), "fallbacks_%s",
                       coll_mtree_reason_name(reason));
        (void)snprintf(text, sizeof(text), "Calls that Open MPI served since %s",
                       coll_mtree_reason_text(reason));
        pvar_register(component, name, text, MCA_BASE_PVAR_CLASS_COUNTER,
                      COLL_MTREE_COUNT_REASON + reason);
    }
}

void coll_mtree_pvars_register(const mca_base_component_t *component)
{
    for (size_t i = 0; i < sizeof(pvars) / sizeof(pvars[0]); i++) {
        pvar_register(component, pvars[i].name, pvars[i].text, pvars[i].pvar_class,
                      pvars[i].counter);
    }
    reasons_register(component);
}
