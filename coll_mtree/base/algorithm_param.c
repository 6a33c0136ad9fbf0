/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/algorithm_param.h"

#include "coll_mtree/base/params.h"

#include "base/log.h"
#include "base/nearest.h"
#include "planner/algorithms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is being read, and where the names go. */
typedef struct {
    const char *parameter, *consequence; /* for messages */
    const char **chosen; /* [MTREE_COLLECTIVE_LAST] the planner's own names */
} reading_t;

static const char *chosen[MTREE_COLLECTIVE_LAST];
static enum { UNREAD, USABLE, UNUSABLE } state;

/* The planner's own copy of an algorithm's name, or NULL when there is none such. */
static const char *algorithm_find(const char *name)
{
    const char *const *known = mtree_algorithms_names();

    while (*known != NULL && strcmp(*known, name) != 0) {
        known++;
    }
    return *known;
}

static void report_unknown(const reading_t *reading, const char *item)
{
    char names[512] = "", advice[MTREE_NEAREST_ADVICE];
    size_t length = 0;

    for (const char *const *name = mtree_algorithms_names();
         *name != NULL && length < sizeof(names); name++) {
        length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                   length == 0 ? "" : " ", *name);
    }
    mtree_error(
        "%s: %s%s is none of %s, after COLLECTIVE: if it is for one collective alone "
        "(bcast:packing); %s",
        reading->parameter, item,
        mtree_nearest_advice_of(item, mtree_algorithms_names(), advice), names,
        reading->consequence);
}

/* Arrival-ordered reductions add in the order in which ranks come. */
static void item_choose(const reading_t *reading, mtree_collective_t collective,
                        const char *name)
{
    if (coll_mtree_params.deterministic && mtree_collective_reduces(collective) &&
        strcmp(name, MTREE_PLAN_ARRIVAL) == 0) {
        mtree_warn("%s: no %s by arrival where coll_mtree_deterministic is set; packing "
                   "plans it",
                   reading->parameter, mtree_collective_name(collective));
        return;
    }
    reading->chosen[collective] = name;
}

/* One `NAME` or `COLLECTIVE:NAME`. */
static bool item_read(const reading_t *reading, char *item)
{
    char *colon = strchr(item, ':');
    const char *name = algorithm_find(colon == NULL ? item : colon + 1);
    const char *unavailable = name == NULL ? NULL : mtree_algorithms_unavailable(name);
    mtree_collective_t collective;

    if (name == NULL) {
        report_unknown(reading, colon == NULL ? item : colon + 1);
        return false;
    }
    if (unavailable != NULL) {
        mtree_error("%s: %s is not supported: %s; %s", reading->parameter, name,
                    unavailable, reading->consequence);
        return false;
    }
    if (colon == NULL) {
        for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
            if (mtree_algorithms_do(name, (mtree_collective_t)c)) {
                item_choose(reading, (mtree_collective_t)c, name);
            }
        }
        return true;
    }
    *colon = '\0';
    if (mtree_collective_parse(item, &collective) != MTREE_OK) {
        mtree_error("%s: %s is none of " MTREE_COLLECTIVE_NAMES "; %s",
                    reading->parameter, item, reading->consequence);
        return false;
    }
    if (!mtree_algorithms_do(name, collective)) {
        mtree_error("%s: %s does not do %s, packing does all; %s", reading->parameter,
                    name, item, reading->consequence);
        return false;
    }
    item_choose(reading, collective, name);
    return true;
}

bool coll_mtree_algorithm_read(const char *parameter, const char *text,
                               const char *consequence, const char **chosen_p)
{
    const reading_t reading = {
        .parameter = parameter, .consequence = consequence, .chosen = chosen_p};
    char *items = strdup(text), *rest = items, *item;
    bool usable = true;

    while (usable && (item = strsep(&rest, ",")) != NULL) {
        usable = item[0] == '\0' || item_read(&reading, item);
    }
    free(items);
    return usable;
}

bool coll_mtree_algorithm_check(void)
{
    const char *wanted = coll_mtree_params.algorithm;

    if (state == UNREAD) {
        state = coll_mtree_algorithm_read("coll_mtree_algorithm",
                                          wanted == NULL ? "" : wanted,
                                          "the fallback serves", chosen)
                    ? USABLE
                    : UNUSABLE;
    }
    return state == USABLE;
}

const char *coll_mtree_algorithm_of(mtree_collective_t collective)
{
    return chosen[collective];
}
