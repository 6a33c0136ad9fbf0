/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree doctor: why a job across several hosts does not start.
 *
 * Hosts are examined by Python, since they may be without mtree.  What asks them and what
 * judges their answers is Python, too: the folder doctorlib.  Here are the options.
 */
#include "tools/options.h"

#include "base/log.h"

#include <stdlib.h>
#include <string.h>

/* A parameter of Open MPI, NAME=VALUE, goes into the environment, as mpirun takes it. */
static mtree_status_t take_parameter(const command_t *command, void *data,
                                     const char *value)
{
    static const char *const of_launcher[] = {"prte_", "plm_ssh_", NULL};
    const char *equals = strchr(value, '='), *prefix = "OMPI_MCA_";
    char variable[256];

    (void)data;
    if (equals == NULL || equals == value || equals - value > 200) {
        mtree_error("%s: --mca '%s': NAME=VALUE is needed", command->name, value);
        return MTREE_ERR_INVALID;
    }
    for (int i = 0; of_launcher[i] != NULL; i++) {
        if (strncmp(value, of_launcher[i], strlen(of_launcher[i])) == 0) {
            prefix = "PRTE_MCA_";
        }
    }
    snprintf(variable, sizeof(variable), "%s%.*s", prefix, (int)(equals - value), value);
    setenv(variable, equals + 1, 1);
    return MTREE_OK;
}

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"hostfile", 'f', OPTION_TEXT, .argument = "FILE",
         .help = "the hosts, one per line, as Open MPI takes them"},
        {"hosts", 'H', OPTION_TEXT, .argument = "LIST", .help = "the hosts: a,b,n[0-15]"},
        {"agent", 'A', OPTION_TEXT, .argument = "COMMAND",
         .help = "what runs a command on a host, like plm_rsh_agent (default ssh)"},
        {"mca", 'm', OPTION_OTHER, .argument = "NAME=VALUE", .take = take_parameter,
         .help = "a parameter that the job will get; may be repeated"},
        {"output", 'o', OPTION_TEXT, .argument = "FILE",
         .help = "save the facts: a report of a fault needs no more"},
        {"facts", 'F', OPTION_TEXT, .argument = "FILE",
         .help = "judge saved facts, and ask no host"},
        {"json", 'j', OPTION_FLAG, .help = "print JSON"},
        {0}};
    const char *words[sizeof(options) / sizeof(options[0])] = {NULL};
    const option_group_t groups[] = {{options, .texts = words}, {0}};

    options_parse(&command_doctor, groups, argc, argv);
    (void)command_become("doctor", "doctorlib", words);
    return COMMAND_MISUSED;
}

const command_t command_doctor = {
    .name = "doctor",
    .summary = "find out why a job across hosts does not start",
    .usage = "[OPTION]...",
    .help =
        "Examine the hosts of a job, where it need not start: their names, addresses,\n"
        "ports and versions, and the connections between each two.  One finding per\n"
        "fault, with the line that mends it.  It needs no root, and on the other hosts\n"
        "no mtree.  Without --hosts and --hostfile: under mpirun the hosts of its "
        "ranks,\n"
        "else those of Slurm's or PBS's allocation, or of the default hostfile.\n\n"
        "Exit status: 0 nothing found, 1 findings, 2 it could not look.\n",
    .examples = {"mtree doctor --hosts n[0-15]",
                 "mtree doctor --hostfile hosts -o facts.json"},
    .needs = "it takes options alone",
    .run = run,
};
