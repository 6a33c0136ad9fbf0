#include "coll_mtree_planning.h"

#include "planner/plan_json.h"
#include "planner/planner.h"
#include "topo/file.h"
#include "topo/units.h"

#include <stdlib.h>
#include <string.h>

bool coll_mtree_planning_possible(ompi_communicator_t *comm)
{
    const char *wanted = mca_coll_mtree_component.algorithm;
    char names[256] = "";

    if (wanted == NULL) {
        return true;
    }
    for (const char *const *name = mtree_planner_algorithms(); *name != NULL; name++) {
        size_t length = strlen(names);

        if (strcmp(*name, wanted) == 0) {
            return true;
        }
        snprintf(names + length, sizeof(names) - length, "%s%s", length == 0 ? "" : ", ",
                 *name);
    }
    coll_mtree_say(comm, 0,
                   "coll_mtree_algorithm is %s, which is none of %s; the fallback serves",
                   wanted, names);
    return false;
}

/* The plan's host numbers to those of @a vertices, or NULL when they are not the same
 * hosts. */
static int *plan_host_numbers(const mtree_plan_t *plan, const mtree_topology_t *topology,
                              const int *vertices, int num_hosts)
{
    int *number = malloc((size_t)plan->num_hosts * sizeof(*number));

    if (number == NULL || plan->num_hosts != num_hosts) {
        free(number);
        return NULL;
    }
    for (int i = 0; i < num_hosts; i++) {
        int vertex = mtree_topology_find_host(topology, plan->hosts[i]);

        number[i] = 0;
        while (number[i] < num_hosts && vertices[number[i]] != vertex) {
            number[i]++;
        }
        /* A plan names each of its hosts once, so all found means the same set. */
        if (number[i] == num_hosts) {
            free(number);
            return NULL;
        }
    }
    return number;
}

static void tree_renumber(mtree_tree_t *to, const mtree_tree_t *from, const int *number,
                          int num_hosts)
{
    to->root = number[from->root];
    to->rate = from->rate;
    to->share = from->share;
    to->chunk_bytes = from->chunk_bytes;
    for (int host = 0; host < num_hosts; host++) {
        int parent = from->parent[host];

        to->parent[number[host]] = parent < 0 ? -1 : number[parent];
        to->latency[number[host]] = from->latency[host];
    }
}

/* The plan with host i as number[i].  NULL: no memory. */
static mtree_plan_t *plan_renumber(const mtree_plan_t *plan, const int *number)
{
    const char **names = malloc((size_t)plan->num_hosts * sizeof(*names));
    mtree_plan_t *renumbered = NULL;

    if (names == NULL) {
        return NULL;
    }
    for (int i = 0; i < plan->num_hosts; i++) {
        names[number[i]] = plan->hosts[i];
    }
    if (mtree_plan_create(plan->collective, plan->algorithm, plan->num_hosts, names,
                          plan->num_trees, &renumbered) == MTREE_OK) {
        renumbered->root = plan->root < 0 ? -1 : number[plan->root];
        renumbered->bytes = plan->bytes;
        renumbered->throughput = plan->throughput;
        renumbered->bound = plan->bound;
        renumbered->seconds = plan->seconds;
        for (int t = 0; t < plan->num_trees; t++) {
            tree_renumber(&renumbered->trees[t], &plan->trees[t], number,
                          plan->num_hosts);
        }
    } else {
        renumbered = NULL;
    }
    free(names);
    return renumbered;
}

/* The plan of coll_mtree_plan when it is for calls of @a kind between these hosts, else
 * NULL. */
static mtree_plan_t *planning_from_file(ompi_communicator_t *comm,
                                        const mtree_topology_t *topology,
                                        const int *vertices, int num_hosts,
                                        const coll_mtree_kind_t *kind)
{
    const char *path = mca_coll_mtree_component.plan;
    mtree_plan_t *plan, *fitting = NULL;
    size_t length;
    char *text;
    int *number;

    if (path == NULL || mtree_file_read(path, &text, &length) != MTREE_OK) {
        return NULL;
    }
    if (mtree_plan_from_json(text, length, path, &plan) != MTREE_OK) {
        goto free_text;
    }
    if (plan->collective != kind->collective) {
        goto destroy_plan;
    }
    number = plan_host_numbers(plan, topology, vertices, num_hosts);
    if (number == NULL) {
        coll_mtree_say(comm, 0,
                       "plan %s (coll_mtree_plan) is not used, its %d hosts are not the "
                       "%d of this communicator; planned as without it",
                       path, plan->num_hosts, num_hosts);
    } else if (kind->root < 0 || number[plan->root] == kind->root) {
        fitting = plan_renumber(plan, number);
    }
    free(number);

destroy_plan:
    mtree_plan_destroy(plan);
free_text:
    free(text);
    return fitting;
}

static void say_plan(ompi_communicator_t *comm, const mtree_plan_t *plan, double bytes)
{
    char size[32], rate[32], bound[32];

    mtree_units_format_size(bytes, size, sizeof(size));
    mtree_units_format_rate(plan->throughput, rate, sizeof(rate));
    mtree_units_format_rate(plan->bound, bound, sizeof(bound));
    coll_mtree_say(comm, 1, "%s of about %s: mtree %s, %d trees, %s of at most %s%s%s",
                   mtree_collective_name(plan->collective), size, plan->algorithm,
                   plan->num_trees, rate, bound, plan->limit != NULL ? "; limit: " : "",
                   plan->limit != NULL ? plan->limit : "");
}

/* Trees of the plan that one root has, at most. */
static int plan_trees_of_a_root(const mtree_plan_t *plan)
{
    int most = 0;

    if (!mtree_collective_is_gathering(plan->collective)) {
        return plan->num_trees;
    }
    for (int host = 0; host < plan->num_hosts; host++) {
        int trees = 0;

        for (int t = 0; t < plan->num_trees; t++) {
            trees += plan->trees[t].root == host;
        }
        most = trees > most ? trees : most;
    }
    return most;
}

char *coll_mtree_planning_run(ompi_communicator_t *comm, const mtree_topology_t *topology,
                              const int *vertices, int num_hosts,
                              const coll_mtree_kind_t *kind, int max_trees)
{
    mtree_plan_request_t request = {.collective = kind->collective,
                                    .algorithm = mca_coll_mtree_component.algorithm,
                                    .root = kind->root < 0 ? 0 : kind->root,
                                    .max_trees = mca_coll_mtree_component.trees,
                                    .bytes = kind->bytes};
    mtree_plan_t *plan = planning_from_file(comm, topology, vertices, num_hosts, kind);
    char *text = NULL;

    if (request.max_trees <= 0) {
        request.max_trees = max_trees;
    }
    if (plan == NULL &&
        mtree_planner_run(topology, vertices, num_hosts, &request, &plan) != MTREE_OK) {
        coll_mtree_say(comm, 1, "no plan for %s; the fallback serves",
                       mtree_collective_name(kind->collective));
        return NULL;
    }
    if (plan_trees_of_a_root(plan) > max_trees) {
        coll_mtree_say(comm, 0,
                       "the plan for %s has more than %d trees, raise coll_mtree_trees; "
                       "the fallback serves",
                       mtree_collective_name(kind->collective), max_trees);
    } else if (mtree_plan_to_json(plan, &text) == MTREE_OK) {
        say_plan(comm, plan, kind->bytes);
    }
    mtree_plan_destroy(plan);
    return text;
}
