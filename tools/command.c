/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/command.h"

#include "base/log.h"

int command_help(const command_t *command)
{
    fputs(command->help, stdout);
    return COMMAND_OK;
}

int command_misuse(const command_t *command, const char *what)
{
    mtree_error("%s: %s; see 'mtree %s --help'", command->name, what, command->name);
    return COMMAND_MISUSED;
}

mtree_status_t command_print_json(json_t *json, FILE *out)
{
    int failed;

    if (json == NULL) {
        mtree_error("out of memory for the JSON output");
        return MTREE_ERR_NO_MEMORY;
    }
    failed = json_dumpf(json, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(json);
    fputc('\n', out);
    if (failed != 0 || fflush(out) != 0) {
        mtree_error("the output cannot be written: is the disk full?");
        return MTREE_ERR_IO;
    }
    return MTREE_OK;
}
