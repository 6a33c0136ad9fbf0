/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/algorithm_param.h"

#include "coll_mtree/base/params.h"

#include "base/log.h"
#include "base/nearest.h"
#include "planner/algorithms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the parameter says, once it has been read. */
static struct {
    enum { UNREAD, USABLE, UNUSABLE } state;
    const char *chosen[MTREE_COLLECTIVE_LAST];
} of_user;

/* The planner's own copy of an algorithm's name, or NULL when there is none such. */
static const char *algorithm_find(const char *name)
{
    const char *const *known = mtree_algorithms_names();

    while (*known != NULL && strcmp(*known, name) != 0) {
        known++;
    }
    return *known;
}

static void report_unknown(const char *item)
{
    char names[512] = "", advice[MTREE_NEAREST_ADVICE];
    size_t length = 0;

    for (const char *const *name = mtree_algorithms_names();
         *name != NULL && length < sizeof(names); name++) {
        length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                   length == 0 ? "" : " ", *name);
    }
    mtree_error("coll_mtree_algorithm: %s%s is none of %s, after COLLECTIVE: if it is "
                "for one collective alone (bcast:packing); the fallback serves",
                item, mtree_nearest_advice_of(item, mtree_algorithms_names(), advice),
                names);
}

/* Arrival-ordered reductions add in the order in which ranks come. */
static void item_choose(mtree_collective_t collective, const char *name,
                        const char **chosen)
{
    if (coll_mtree_params.deterministic && mtree_collective_reduces(collective) &&
        strcmp(name, MTREE_PLAN_ARRIVAL) == 0) {
        mtree_warn("coll_mtree_algorithm: no %s by arrival where "
                   "coll_mtree_deterministic is set; packing plans it",
                   mtree_collective_name(collective));
        return;
    }
    chosen[collective] = name;
}

/* One `NAME` or `COLLECTIVE:NAME`. */
static bool item_read(char *item, const char **chosen)
{
    char *colon = strchr(item, ':');
    const char *name = algorithm_find(colon == NULL ? item : colon + 1);
    const char *unavailable = name == NULL ? NULL : mtree_algorithms_unavailable(name);
    mtree_collective_t collective;

    if (name == NULL) {
        report_unknown(colon == NULL ? item : colon + 1);
        return false;
    }
    if (unavailable != NULL) {
        mtree_error("coll_mtree_algorithm: %s is not supported: %s; the fallback serves",
                    name, unavailable);
        return false;
    }
    if (colon == NULL) {
        for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
            if (mtree_algorithms_do(name, (mtree_collective_t)c)) {
                item_choose((mtree_collective_t)c, name, chosen);
            }
        }
        return true;
    }
    *colon = '\0';
    if (mtree_collective_parse(item, &collective) != MTREE_OK) {
        mtree_error("coll_mtree_algorithm: %s is none of " MTREE_COLLECTIVE_NAMES
                    "; the fallback serves",
                    item);
        return false;
    }
    if (!mtree_algorithms_do(name, collective)) {
        mtree_error("coll_mtree_algorithm: %s does not do %s, packing does all; the "
                    "fallback serves",
                    name, item);
        return false;
    }
    item_choose(collective, name, chosen);
    return true;
}

bool coll_mtree_algorithm_read(const char *text, const char **chosen)
{
    char *items = strdup(text), *rest = items, *item;
    bool usable = true;

    while (usable && (item = strsep(&rest, ",")) != NULL) {
        usable = item[0] == '\0' || item_read(item, chosen);
    }
    free(items);
    return usable;
}

bool coll_mtree_algorithm_check(void)
{
    const char *wanted = coll_mtree_params.algorithm;

    if (of_user.state == UNREAD) {
        of_user.state =
            coll_mtree_algorithm_read(wanted == NULL ? "" : wanted, of_user.chosen)
                ? USABLE
                : UNUSABLE;
    }
    return of_user.state == USABLE;
}

const char *coll_mtree_algorithm_of(mtree_collective_t collective)
{
    return of_user.chosen[collective];
}
