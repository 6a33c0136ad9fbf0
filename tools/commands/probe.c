/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree probe: under mpirun, measure the network between the hosts of a job.
 */
#include "tools/options.h"

#include "base/log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The MPI program of each rank, which is installed beside no user's program. */
#define PROGRAM "mtree_link_probe"

/* The rank of this process by its launcher, or NULL: there is none. */
static const char *rank_of_process(void)
{
    const char *rank = getenv("OMPI_COMM_WORLD_RANK");

    return rank != NULL ? rank : getenv("PMIX_RANK");
}

/* Parameters for Open MPI.  The user's stay, except those that make a probe of the job.
 */
static void set_parameters(const char *output)
{
    setenv("OMPI_MCA_coll", "mtree", 1);
    setenv("OMPI_MCA_coll_mtree_topology", "probe", 1);
    setenv("OMPI_MCA_coll_mtree_probe_output", output, 1);
    setenv("OMPI_MCA_coll_mtree_verbose", "1", 0);
}

/* Become the program, which on rank 0 becomes `mtree topology` when it has ended.
 * Returns only when that cannot be. */
static int become_program(const char *output, bool with_json, bool is_first)
{
    char path[COMMAND_PATH_ROOM], mtree[COMMAND_PATH_ROOM];

    if (!command_find(PROGRAM, PKGLIBEXECDIR, path)) {
        mtree_error("probe: %s is neither beside mtree nor in %s: was mtree built with "
                    "Open MPI?",
                    PROGRAM, PKGLIBEXECDIR);
        return COMMAND_FAILED;
    }
    (void)command_find("mtree", PKGDATADIR, mtree);
    set_parameters(output);
    execl(path, PROGRAM, is_first ? mtree : NULL, "topology", output,
          with_json ? "--json" : NULL, (char *)NULL);
    mtree_error("probe: %s cannot be started: %s", path, strerror(errno));
    return COMMAND_FAILED;
}

typedef struct {
    const char *output;
    bool json;
} arguments_t;

static int run(int argc, char **argv)
{
    static const option_t options[] = {
        {"output", 'o', OPTION_TEXT, offsetof(arguments_t, output), .argument = "FILE",
         .help = "the topology"},
        {"json", 'j', OPTION_FLAG, offsetof(arguments_t, json),
         .help = "print the topology as JSON, not as text"},
        {0}};
    arguments_t arguments = {0};
    const option_group_t groups[] = {{options, .data = &arguments}, {0}};
    const char *rank = rank_of_process(), *output;

    options_parse(&command_probe, groups, argc, argv);
    output = arguments.output;
    if (output == NULL) {
        return command_misuse(&command_probe, command_probe.needs);
    }
    if (rank == NULL) {
        return command_misuse(&command_probe,
                              "it measures between the ranks of a job: mpirun "
                              "--map-by node ... mtree probe -o FILE.dot");
    }
    if (strcmp(rank, "0") == 0 && unlink(output) != 0 && errno != ENOENT) {
        mtree_error("%s: cannot be written: %s", output, strerror(errno));
        return COMMAND_FAILED;
    }
    return become_program(output, arguments.json, strcmp(rank, "0") == 0);
}

const command_t command_probe = {
    .name = "probe",
    .summary = "measure the network between hosts, under mpirun",
    .usage = "[--json] -o FILE.dot, under mpirun",
    .help = "Measure the network between the hosts of a job, with one rank on each or\n"
            "more, and write it as a topology file on the host of rank 0:\n\n"
            "    mpirun --map-by node mtree probe -o net.dot\n\n"
            "OMPI_MCA_coll_mtree_probe_seconds is how long it may take.\n",
    .examples = {"mpirun -n 6 --map-by ppr:1:node mtree probe -o sites.dot",
                 "mpirun -n 6 --map-by ppr:1:node mtree probe --json -o sites.dot"},
    .needs = "-o FILE.dot, and nothing else, is needed",
    .run = run,
};
