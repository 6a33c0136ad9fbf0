/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree top: what the links of a running job carry.  Here are the options; Python looks
 * at the report: the folder reporter.
 */
#include "tools/options.h"

typedef struct {
    double delay; /* seconds between two looks */
    int frames;   /* 0: until the job ends */
    int links;    /* shown of each topology */
} arguments_t;

/* Become the program of Python; returns only when that cannot be. */
static mtree_status_t become_reporter(const arguments_t *arguments, const char *file)
{
    char path[COMMAND_PATH_ROOM], delay[32], frames[16], links[16];
    const char *words[] = {"python3", path, "top", file, delay, frames, links, NULL};

    (void)snprintf(delay, sizeof(delay), "%.17g", arguments->delay);
    (void)snprintf(frames, sizeof(frames), "%d", arguments->frames);
    (void)snprintf(links, sizeof(links), "%d", arguments->links);
    return command_become("top", "reporter", words);
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"delay", 'd', OPTION_NUMBER, offsetof(arguments_t, delay), .argument = "SECONDS",
         .help = "time between two looks at the file (default 1)", .least = 0.01,
         .most = 3600},
        {"frames", 'n', OPTION_WHOLE, offsetof(arguments_t, frames), .argument = "N",
         .help = "stop after N looks; 0: when the job ends (default)"},
        {"links", 'l', OPTION_WHOLE, offsetof(arguments_t, links), .argument = "N",
         .help = "directions of links shown (default 20)", .least = 1},
        {0}};
    arguments_t arguments = {.delay = 1, .links = 20};
    const option_group_t groups[] = {{options, .data = &arguments}, {0}};

    options_parse(&command_top, groups, argc, argv);
    return command_exit(become_reporter(&arguments, argv[optind]));
}

const command_t command_top = {
    .name = "top",
    .summary = "follow the links of a running job",
    .usage = "[OPTION]... FILE",
    .help =
        "Show which links a running job fills, the fullest first, until it ends, and "
        "what "
        "those\n"
        "give that are full. FILE is its report, which rank 0 writes anew each second "
        "with\n"
        "    --mca coll_mtree_report FILE --mca coll_mtree_report_live 1\n"
        "It is waited for where it is not there yet. A line says so when it has not "
        "been\n"
        "written for some seconds.\n",
    .examples = {"mtree top report.json", "mtree top --delay 5 --links 8 report.json"},
    .least_arguments = 1,
    .most_arguments = 1,
    .needs = "one report file is needed",
    .run = run,
};
