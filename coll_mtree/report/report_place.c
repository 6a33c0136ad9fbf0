/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/report/report_place.h"

#include "report/report.h"

#include <stddef.h>

void coll_mtree_report_place_init(coll_mtree_report_place_t *place,
                                  coll_mtree_report_maps_t *maps,
                                  const coll_mtree_group_t *group)
{
    const coll_mtree_plan_hosts_t *hosts;

    *place = (coll_mtree_report_place_t){.group = group};
    if (group->context == NULL) {
        return;
    }
    hosts = coll_mtree_planning_context_hosts(group->context);
    place->vertices = hosts->vertices;
    place->num_hosts = hosts->num_hosts;
    place->map_number = coll_mtree_report_maps_get(
        maps, hosts->topology, coll_mtree_planning_context_origin(group->context));
    if (place->map_number >= 0 &&
        mtree_routes_create(hosts->topology, place->vertices, place->num_hosts,
                            &place->routes) == MTREE_OK) {
        place->map = &maps->maps[place->map_number];
    }
}

void coll_mtree_report_place_cleanup(coll_mtree_report_place_t *place)
{
    mtree_routes_destroy(place->routes);
}

/* Did calls of @a class pass through relays? */
static bool is_relayed(const coll_mtree_group_class_t *class)
{
    const coll_mtree_record_t *record = class->records;

    while (record != NULL && record->relayed == 0) {
        record = record->next_function;
    }
    return record != NULL && class->relayed != NULL;
}

const mtree_plan_t *coll_mtree_report_shown_plan(const coll_mtree_group_class_t *class)
{
    return is_relayed(class) ? class->relayed : class->plan;
}

const coll_mtree_group_class_t *
coll_mtree_report_place_class(const coll_mtree_report_place_t *place,
                              const coll_mtree_call_class_t *call_class, int *number_p)
{
    const coll_mtree_group_class_t *class =
        coll_mtree_class_table_find(&place->group->classes, call_class);
    const coll_mtree_group_class_t *other;
    mtree_list_t *link;

    *number_p = place->first_plan;
    COLL_MTREE_CLASS_TABLE_FOR_EACH(other, link, &place->group->classes)
    {
        if (other == class) {
            break;
        }
        *number_p += coll_mtree_report_shown_plan(other) != NULL;
    }
    return class;
}

/* Routes between the hosts of @a plan with relays, a plan of the group, as it numbers
 * them; NULL: no map, or no memory. */
static mtree_routes_t *relayed_routes(const coll_mtree_report_place_t *place,
                                      const mtree_plan_t *plan)
{
    return place->map == NULL ? NULL
                              : coll_mtree_report_map_pass_relays(
                                    place->map, place->vertices, place->num_hosts, plan);
}

void coll_mtree_report_place_mark(const coll_mtree_report_place_t *place,
                                  const mtree_plan_t *plan, json_t *json)
{
    mtree_routes_t *relayed = plan->num_relays > 0 ? relayed_routes(place, plan) : NULL;

    if (plan->num_relays == 0 || relayed != NULL) {
        mtree_traffic_mark(plan, relayed != NULL ? relayed : place->routes,
                           place->map->topology->num_links, json);
    }
    mtree_routes_destroy(relayed);
}

void coll_mtree_report_place_add_traffic(const coll_mtree_report_place_t *place,
                                         const coll_mtree_group_class_t *class,
                                         const coll_mtree_record_t *record, double share)
{
    mtree_routes_t *relayed;

    coll_mtree_report_map_add_trees(
        place->map, place->routes, class->plan,
        share * (record->by[COLL_MTREE_TREES].bytes - record->relayed_bytes));
    coll_mtree_report_map_add_ring(place->map, place->routes, class->plan,
                                   record->by[COLL_MTREE_RING].bytes);
    if (record->relayed == 0 || class->relayed == NULL) {
        return;
    }
    relayed = relayed_routes(place, class->relayed);
    if (relayed != NULL) {
        coll_mtree_report_map_add_trees(place->map, relayed, class->relayed,
                                        share * record->relayed_bytes);
    }
    mtree_routes_destroy(relayed);
}
