/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/backend.h"

typedef struct {
    const char *name, *text;
} reason_t;

// clang-format off
static const reason_t reasons[COLL_MTREE_REASONS] = {
    [COLL_MTREE_REASON_CALL] = {
        "call", "mtree does not serve such an operation, datatype or size"},
    [COLL_MTREE_REASON_INTERNAL] = {
        "internal", "it is nonblocking and so short that it may be Open MPI's own"},
    [COLL_MTREE_REASON_GROUP] = {
        "group", "mtree cannot serve these processes (coll_mtree_verbose 1 tells why)"},
    [COLL_MTREE_REASON_TAGS] = {
        "tags", "no tags are left: free persistent requests, or start them again"},
    [COLL_MTREE_REASON_TOPOLOGY] = {
        "topology", "the topology was not known yet"},
    [COLL_MTREE_REASON_PLAN] = {
        "plan", "no plan could be made for it"},
    [COLL_MTREE_REASON_FORECAST] = {
        "forecast", "Open MPI was expected to be faster"},
    [COLL_MTREE_REASON_ORDER] = {
        "order", "trees would combine in another order than the calls before"},
};
// clang-format on

const char *coll_mtree_reason_name(coll_mtree_fallback_reason_t reason)
{
    return reasons[reason].name;
}

const char *coll_mtree_reason_text(coll_mtree_fallback_reason_t reason)
{
    return reasons[reason].text;
}
