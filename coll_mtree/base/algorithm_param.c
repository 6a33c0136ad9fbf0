/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/base/algorithm_param.h"

#include "coll_mtree/base/params.h"

#include "base/log.h"
#include "base/memory.h"
#include "planner/algorithms.h"

#include <stdlib.h>
#include <string.h>

/* What the parameter says, once it has been read. */
static struct {
    enum { UNREAD, USABLE, UNUSABLE } state;
    const char *chosen[MTREE_COLLECTIVE_LAST];
} of_user;

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

/* Choose @a name for each of the collectives from @a first to @a last that it does;
 * false, logged: it does none of them. */
static bool name_read(const char *name, int first, int last, const char **chosen)
{
    mtree_plan_request_t request = {.algorithm = name};
    const mtree_algorithm_t *algorithm;
    bool is_chosen = false;

    for (int c = first; c <= last; c++) {
        request.collective = (mtree_collective_t)c;
        if (mtree_algorithms_do(name, request.collective) &&
            mtree_algorithms_choose(&request, &algorithm) == MTREE_OK) {
            item_choose(request.collective, algorithm->name, chosen);
            is_chosen = true;
        }
    }
    if (!is_chosen) {
        (void)mtree_algorithms_choose(&request, &algorithm);
    }
    return is_chosen;
}

/* One `NAME` or `COLLECTIVE:NAME`. */
static bool item_read(char *item, const char **chosen)
{
    char *colon = strchr(item, ':');
    mtree_collective_t collective;

    if (colon == NULL) {
        return name_read(item, 0, MTREE_COLLECTIVE_LAST - 1, chosen);
    }
    *colon = '\0';
    if (mtree_collective_parse(item, &collective) != MTREE_OK) {
        mtree_error("%s is none of " MTREE_COLLECTIVE_NAMES, item);
        return false;
    }
    return name_read(colon + 1, collective, collective, chosen);
}

bool coll_mtree_algorithm_read(const char *text, const char **chosen)
{
    char *items = mtree_strdup(text), *rest = items, *item;
    bool usable = true;

    mtree_log_about("coll_mtree_algorithm", "the fallback serves");
    while (usable && (item = strsep(&rest, ",")) != NULL) {
        usable = item[0] == '\0' || item_read(item, chosen);
    }
    mtree_log_about(NULL, NULL);
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
