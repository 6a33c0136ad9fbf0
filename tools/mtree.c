/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mtree(1): topologies and plans on the command line.
 */
#include "tools/command.h"

#include "base/log.h"
#include "base/nearest.h"
#include "papers/published/algorithms.h"

#include <string.h>

static const command_t *const commands[] = {
    &command_topology, &command_plan,    &command_check,    &command_draw,
    &command_simulate, &command_compare, &command_generate, &command_import,
    &command_export,   &command_probe,   &command_report,   &command_top,
    &command_cache,    &command_doctor,  &command_relay,    NULL,
};

static const command_t *find_command(const char *name)
{
    for (int i = 0; commands[i] != NULL; ++i) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

static int refuse_command(const char *name)
{
    mtree_nearest_t nearest = mtree_nearest_begin(name);
    char advice[MTREE_NEAREST_ADVICE];

    for (int i = 0; commands[i] != NULL; ++i) {
        mtree_nearest_offer(&nearest, commands[i]->name);
    }
    mtree_error("no command '%s'%s; 'mtree --help' lists them", name,
                mtree_nearest_advice(&nearest, "", advice));
    return COMMAND_MISUSED;
}

static void print_usage(FILE *out)
{
    fputs("Usage: mtree COMMAND [OPTION]... [ARGUMENT]...\n"
          "Trees for collective operations on networks that are not uniform.\n\n"
          "Commands:\n",
          out);
    for (int i = 0; commands[i] != NULL; ++i) {
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("\n'mtree COMMAND --help' describes a command; mtree(1) is the manual.\n", out);
}

int main(int argc, char **argv)
{
    const command_t *command;
    char program[32];
    int code;

    if (argc < 2) {
        print_usage(stderr);
        return COMMAND_MISUSED;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return COMMAND_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("mtree " VERSION);
        return COMMAND_OK;
    }
    command = find_command(argv[1]);
    if (command == NULL) {
        return refuse_command(argv[1]);
    }
    mtree_published_add();
    snprintf(program, sizeof(program), "mtree %s", command->name);
    argv[1] = program;
    code = command->run(argc - 1, argv + 1);
    command_close(NULL, stdout);
    return code;
}
