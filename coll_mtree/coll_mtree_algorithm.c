#include "coll_mtree_algorithm.h"

#include "coll_mtree.h"

#include "planner/planner.h"
#include "topo/log.h"

#include "opal/util/argv.h"

#include <string.h>

/* Pointers into the planner's table, which stays. */
static const char *chosen[MTREE_COLLECTIVE_LAST];
static enum { UNREAD, USABLE, UNUSABLE } state;

/* The planner's own copy of an algorithm's name, or NULL when there is none such. */
static const char *algorithm_find(const char *name)
{
    const char *const *known = mtree_planner_algorithms();

    while (*known != NULL && strcmp(*known, name) != 0) {
        known++;
    }
    return *known;
}

static void report_unknown(const char *item)
{
    char *names = opal_argv_join((char **)mtree_planner_algorithms(), ' ');

    mtree_error("coll_mtree_algorithm: %s is none of %s, after COLLECTIVE: if it is for "
                "one collective alone (bcast:packing); the fallback serves",
                item, names != NULL ? names : "the algorithms");
    free(names);
}

/* The order of additions by arrival is the order in which ranks come. */
static void item_choose(mtree_collective_t collective, const char *name)
{
    if (mca_coll_mtree_component.deterministic && mtree_collective_uses_up(collective) &&
        strcmp(name, MTREE_PLAN_ARRIVAL) == 0) {
        mtree_warn("coll_mtree_algorithm: no %s by arrival where "
                   "coll_mtree_deterministic is set; packing plans it",
                   mtree_collective_name(collective));
        return;
    }
    chosen[collective] = name;
}

/* One `NAME` or `COLLECTIVE:NAME`. */
static bool item_read(char *item)
{
    char *colon = strchr(item, ':');
    const char *name = algorithm_find(colon == NULL ? item : colon + 1);
    mtree_collective_t collective;

    if (name == NULL) {
        report_unknown(colon == NULL ? item : colon + 1);
        return false;
    }
    if (colon == NULL) {
        for (int c = 0; c < MTREE_COLLECTIVE_LAST; c++) {
            if (mtree_planner_does(name, (mtree_collective_t)c)) {
                item_choose((mtree_collective_t)c, name);
            }
        }
        return true;
    }
    *colon = '\0';
    if (mtree_collective_parse(item, &collective) != MTREE_OK) {
        mtree_error("coll_mtree_algorithm: %s is none of allreduce, reduce, bcast, "
                    "allgather, reduce_scatter; the fallback serves",
                    item);
        return false;
    }
    if (!mtree_planner_does(name, collective)) {
        mtree_error("coll_mtree_algorithm: %s does not do %s, packing does all; the "
                    "fallback serves",
                    name, item);
        return false;
    }
    item_choose(collective, name);
    return true;
}

bool coll_mtree_algorithm_check(void)
{
    const char *wanted = mca_coll_mtree_component.algorithm;
    char **items;

    if (state == UNREAD) {
        items = opal_argv_split(wanted == NULL ? "" : wanted, ',');
        state = USABLE;
        for (int i = 0; i < opal_argv_count(items) && state == USABLE; i++) {
            state = item_read(items[i]) ? USABLE : UNUSABLE;
        }
        opal_argv_free(items);
    }
    return state == USABLE;
}

const char *coll_mtree_algorithm_of(mtree_collective_t collective)
{
    return chosen[collective];
}
