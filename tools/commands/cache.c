/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree cache: the topologies that jobs of this user have learned, and their plans.
 */
#include "tools/options.h"

#include "base/log.h"
#include "base/units.h"
#include "topo/dot/cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The default of coll_mtree_cache_days. */
#define DEFAULT_DAYS 7

typedef struct {
    const char *name; /* of the file that is wanted, without its ending; NULL: all */
    bool clear;
    int count; /* of topologies found */
    int plans; /* of plans found */
    mtree_status_t status;
} arguments_t;

static void print_line(const char *name, const mtree_cached_t *cached, const char *fault)
{
    char date[32] = "-";
    struct tm when;

    if (cached->stamp.measured != 0 &&
        localtime_r(&cached->stamp.measured, &when) != NULL) {
        (void)strftime(date, sizeof(date), "%Y-%m-%d %H:%M", &when);
    }
    printf("%.*s  %-16s  %4d host%s%s%s\n", (int)strcspn(name, "."), name, date,
           cached->num_hosts, MTREE_UNITS_PLURAL(cached->num_hosts),
           fault != NULL ? "  not used: " : "", fault != NULL ? fault : "");
}

static void remove_file(arguments_t *arguments, int folder, const char *name)
{
    if (unlinkat(folder, name, 0) != 0) {
        mtree_error("%s: cannot be removed: %s", name, strerror(errno));
        arguments->status = MTREE_ERR_IO;
    }
}

static void visit(void *arg, const mtree_cache_t *cache, int folder, const char *name,
                  mtree_cached_t *cached, const char *fault)
{
    arguments_t *arguments = arg;
    const size_t length = strcspn(name, ".");

    (void)cache;
    if (arguments->name != NULL && (strncmp(arguments->name, name, length) != 0 ||
                                    strlen(arguments->name) != length)) {
        return;
    }
    arguments->count++;
    if (arguments->clear) {
        remove_file(arguments, folder, name);
    } else if (arguments->name != NULL && cached->text != NULL) {
        fputs(cached->text, stdout);
    } else {
        print_line(name, cached, fault);
    }
}

static void visit_plan(void *arg, int folder, const char *name)
{
    arguments_t *arguments = arg;

    arguments->plans++;
    if (arguments->clear) {
        remove_file(arguments, folder, name);
    }
}

/* Plans have no names for users: they are counted, or removed with all else. */
static void visit_plans(arguments_t *arguments, const char *path)
{
    int folder = arguments->name != NULL ? -1 : mtree_cache_file_open(path);

    if (folder >= 0) {
        mtree_cache_file_visit(folder, MTREE_CACHE_PLANS, visit_plan, arguments);
        close(folder);
    }
}

static void print_sum(const arguments_t *arguments)
{
    printf("%d topolog%s", arguments->count, arguments->count == 1 ? "y" : "ies");
    if (arguments->plans > 0) {
        printf(", %d plan%s", arguments->plans, MTREE_UNITS_PLURAL(arguments->plans));
    }
    printf("%s\n", arguments->clear ? " removed" : "");
}

static void run_cache(arguments_t *arguments)
{
    mtree_cache_t cache = {.version = VERSION};
    mtree_status_t status = mtree_cache_open(&cache, DEFAULT_DAYS, time(NULL));

    if (status == MTREE_ERR_NOT_FOUND) {
        mtree_error("cache: neither XDG_CACHE_HOME nor HOME says where it is");
    }
    command_must(status);
    if (arguments->name == NULL && !arguments->clear) {
        printf("%s:\n", cache.folder);
    }
    /* A folder that is missing has no files. */
    (void)mtree_cache_visit(&cache, visit, arguments);
    visit_plans(arguments, cache.folder);
    command_must(arguments->status);
    if (arguments->name != NULL && arguments->count == 0) {
        mtree_error("cache: no '%s' in %s; 'mtree cache' lists what there is",
                    arguments->name, cache.folder);
        exit(COMMAND_FAILED);
    }
    if (arguments->clear || arguments->name == NULL) {
        print_sum(arguments);
    }
    mtree_cache_cleanup(&cache);
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {{"clear", 'c', OPTION_FLAG,
                                        offsetof(arguments_t, clear),
                                        .help = "remove it, or all"},
                                       {0}};
    arguments_t arguments = {.status = MTREE_OK};
    const option_group_t groups[] = {{options, .data = &arguments}, {0}};

    options_parse(&command_cache, groups, argc, argv);
    arguments.name = argv[optind]; /* argv ends in NULL */
    run_cache(&arguments);
    return COMMAND_OK;
}

const command_t command_cache = {
    .name = "cache",
    .summary = "list, show or remove what jobs have learned of networks",
    .usage = "[--clear] [NAME]",
    .help =
        "List the topologies that probes of your jobs on this host have left for later\n"
        "jobs, and count their plans.  Print the topology called NAME, or remove it, or\n"
        "all.\n",
    .examples = {"mtree cache 0123456789abcdef", "mtree cache --clear"},
    .most_arguments = 1,
    .needs = "at most one name is needed",
    .run = run,
};
