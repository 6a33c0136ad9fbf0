/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree top: what the links of a running job carry.  Here are the options; Python looks
 * at the report: the folder reporter.
 */
#include "tools/options.h"

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"delay", 'd', OPTION_NUMBER, .argument = "SECONDS",
         .help = "time between two looks at the file (default 1)", .least = 0.01,
         .most = 3600},
        {"frames", 'n', OPTION_WHOLE, .argument = "N",
         .help = "stop after N looks; 0: when the job ends (default)"},
        {"links", 'l', OPTION_WHOLE, .argument = "N",
         .help = "directions of links shown (default 20)", .least = 1},
        {0}};
    const char *words[2 + sizeof(options) / sizeof(options[0])] = {"top"};
    const option_group_t groups[] = {{options, .texts = words + 2}, {0}};

    options_parse(&command_top, groups, argc, argv);
    words[1] = argv[optind];
    return command_become("top", "reporter", words);
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
