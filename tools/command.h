/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The subcommands of mtree(1), and what they share.
 */
#ifndef MTREE_TOOLS_COMMAND_H
#define MTREE_TOOLS_COMMAND_H

#include "topo/topology.h"

#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/* What a subcommand exits with. */
enum {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1, /* an error, logged */
    COMMAND_MISUSED = 2 /* wrong options or arguments, logged */
};

typedef struct {
    const char *name;
    const char *summary; /* for the list of commands */
    const char *help;    /* all that --help prints */

    /* argv[0] is "mtree" and the name, for getopt's messages.  Returns one of the above.
     */
    int (*run)(int argc, char **argv);
} command_t;

extern const command_t command_topology, command_generate, command_import;
extern const command_t command_plan, command_check, command_simulate, command_compare;
extern const command_t command_draw, command_probe, command_report, command_top;

/* Print the help text of @a command on standard output; COMMAND_OK. */
int command_help(const command_t *command);

/* Log @a what is wrong in the use of @a command and where its help is; COMMAND_MISUSED.
 */
int command_misuse(const command_t *command, const char *what);

/* Print @a json and a newline on @a out and release it.  MTREE_ERR_IO is logged, as is a
 * NULL @a json, which stands for a lack of memory. */
mtree_status_t command_print_json(json_t *json, FILE *out);

#endif
