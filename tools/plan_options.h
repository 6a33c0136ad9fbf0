/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Options of the commands that plan, and the planning itself.
 */
#ifndef MTREE_TOOLS_PLAN_OPTIONS_H
#define MTREE_TOOLS_PLAN_OPTIONS_H

#include "planner/planner.h"

typedef struct {
    mtree_plan_request_t request; /* its root is set when the hosts are known */
    const char *root;             /* the host's name; NULL: the first host */
    const char *hosts;            /* names by commas; NULL: all of the topology */
} planning_t;

/* A plan with the topology and the routes it was made for. */
typedef struct {
    mtree_topology_t *topology;
    mtree_routes_t *routes; /* numbered as the plan numbers its hosts */
    int num_hosts;
    int *hosts; /* [num_hosts] their vertices */
    mtree_plan_request_t
        request; /* with its root; of a plan that was read, what the plan says */
    mtree_plan_t *plan;
} planned_t;

/* Letters and long names for getopt_long, and their lines of --help. */
#define PLANNING_LETTERS "C:R:H:a:t:e:m:b:s:"
#define PLANNING_OPTIONS                                                                 \
    {"collective", required_argument, NULL, 'C'},                                        \
        {"root", required_argument, NULL, 'R'}, {"hosts", required_argument, NULL, 'H'}, \
        {"algorithm", required_argument, NULL, 'a'},                                     \
        {"trees", required_argument, NULL, 't'},                                         \
        {"height", required_argument, NULL, 'e'},                                        \
        {"min-rate", required_argument, NULL, 'm'},                                      \
        {"size", required_argument, NULL, 'b'},                                          \
    {                                                                                    \
        "seed", required_argument, NULL, 's'                                             \
    }
#define PLANNING_HELP_WHAT                                                               \
    "  -C, --collective C    " MTREE_COLLECTIVE_NAMES "\n"                               \
    "                        (default: allreduce)\n"                                     \
    "  -R, --root HOST       of bcast and reduce (default: the first host)\n"            \
    "  -H, --hosts LIST      the hosts that take part, by commas (default: all)\n"
#define PLANNING_HELP_ALGORITHM                                                          \
    "  -a, --algorithm A     one of those below (default: packing, or direct)\n"
#define PLANNING_HELP_LIMITS                                                             \
    "  -t, --trees K         at most K trees (allgather: a root); 0: no limit (default " \
    "10)\n"                                                                              \
    "  -e, --height H        at most H hops from root to leaf; 0: no limit (default)\n"  \
    "  -m, --min-rate R      no tree below this rate, like 5Mbps\n"                      \
    "  -s, --seed N          of algorithms that draw at random (default 1)\n"
#define PLANNING_HELP_SIZE                                                               \
    "  -b, --size BYTES      plan for the least time of this size, like 16M (default: "  \
    "for\n"                                                                              \
    "                        the most throughput)\n"
#define PLANNING_HELP                                                                    \
    PLANNING_HELP_WHAT PLANNING_HELP_ALGORITHM PLANNING_HELP_LIMITS PLANNING_HELP_SIZE

/* Nothing given. */
void planning_init(planning_t *planning);

/*
 * Take the option @a letter with @a value.  MTREE_ERR_NOT_FOUND when it is none of these,
 * MTREE_ERR_INVALID (logged) when its value is not of its form.
 */
mtree_status_t planning_option(planning_t *planning, int letter, const char *value);

/*
 * Read the topology @a file and find hosts, root and routes in it; `plan` stays NULL.
 * Release *planned with planned_cleanup().
 */
mtree_status_t planning_prepare(const planning_t *planning, const char *file,
                                planned_t *planned);

/* The same, and plan.  Release *planned with planned_cleanup(). */
mtree_status_t planning_run(const planning_t *planning, const char *file,
                            planned_t *planned);

/* Plan for the hosts of @a planned, telling on standard error after two seconds that this
 * is under way. */
mtree_status_t planning_plan(const planned_t *planned,
                             const mtree_plan_request_t *request, mtree_plan_t **plan_p);

/*
 * Read the plan in @a plan_file, checked for form; with @a topology_file (may be NULL)
 * the topology too, where the plan's hosts must be found, and the routes.
 */
mtree_status_t planned_read(const char *plan_file, const char *topology_file,
                            planned_t *planned);

/* Free what @a planned holds. */
void planned_cleanup(planned_t *planned);

/*
 * How far the farthest leaf of one of @a plan's trees is: "3 hops", and with latencies
 * @a between and the time, "3 hops, 11.1 ms".  Returns @a buffer, of PLANNING_HEIGHT
 * bytes.
 */
#define PLANNING_HEIGHT 64
const char *planning_format_height(const mtree_plan_t *plan, const mtree_tree_t *tree,
                                   const char *between, char *buffer);

/* Print "packing, latency, ..." on standard output. */
void planning_print_algorithms(void);

#endif
