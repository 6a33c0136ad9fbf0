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

static void print_line(const mtree_cached_t *file)
{
    char date[32] = "-";
    struct tm when;

    if (file->stamp.measured != 0 && localtime_r(&file->stamp.measured, &when) != NULL) {
        (void)strftime(date, sizeof(date), "%Y-%m-%d %H:%M", &when);
    }
    printf("%.*s  %-16s  %4d host%s%s%s\n", (int)strcspn(file->name, "."), file->name,
           date, file->num_hosts, MTREE_UNITS_PLURAL(file->num_hosts),
           file->fault != NULL ? "  not used: " : "",
           file->fault != NULL ? file->fault : "");
}

static void remove_file(arguments_t *arguments, int folder, const char *name)
{
    if (unlinkat(folder, name, 0) != 0) {
        mtree_error("%s: cannot be removed: %s", name, strerror(errno));
        arguments->status = MTREE_ERR_IO;
    }
}

static bool is_wanted(const arguments_t *arguments, const char *name)
{
    const size_t length = strcspn(name, ".");

    return arguments->name == NULL || (strncmp(arguments->name, name, length) == 0 &&
                                       strlen(arguments->name) == length);
}

static void show_topologies(arguments_t *arguments, const mtree_cache_t *cache)
{
    mtree_cache_walk_t walk;

    for (walk = mtree_cache_walk(cache); mtree_cache_walk_next(&walk);) {
        if (!is_wanted(arguments, walk.file.name)) {
            continue;
        }
        arguments->count++;
        if (arguments->clear) {
            remove_file(arguments, walk.folder, walk.file.name);
        } else if (arguments->name != NULL && walk.file.text != NULL) {
            fputs(walk.file.text, stdout);
        } else {
            print_line(&walk.file);
        }
    }
}

/* Plans have no names for users: they are counted, or removed with all else. */
static void count_plans(arguments_t *arguments, const char *path)
{
    int folder = arguments->name != NULL ? -1 : mtree_cache_file_open(path);
    mtree_cache_entry_t *plans;

    if (folder < 0) {
        return;
    }
    plans = mtree_cache_file_list(folder, MTREE_CACHE_PLANS, &arguments->plans);
    for (int i = 0; i < arguments->plans && arguments->clear; i++) {
        remove_file(arguments, folder, plans[i].name);
    }
    free(plans);
    close(folder);
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
    mtree_cache_t cache = {.version = VERSION, .days = DEFAULT_DAYS};
    mtree_status_t status = mtree_cache_open(&cache, time(NULL));

    if (status == MTREE_ERR_NOT_FOUND) {
        mtree_error("cache: neither XDG_CACHE_HOME nor HOME says where it is");
    }
    command_must(status);
    if (arguments->name == NULL && !arguments->clear) {
        printf("%s:\n", cache.folder);
    }
    /* A folder that is missing has no files. */
    show_topologies(arguments, &cache);
    count_plans(arguments, cache.folder);
    command_must(arguments->status);
    if (arguments->name != NULL && arguments->count == 0) {
        command_fail("cache: no '%s' in %s; 'mtree cache' lists what there is",
                     arguments->name, cache.folder);
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
