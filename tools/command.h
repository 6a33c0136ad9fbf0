/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The subcommands of mtree(1), and what they share.
 */
#ifndef MTREE_TOOLS_COMMAND_H
#define MTREE_TOOLS_COMMAND_H

#include "base/log.h"
#include "base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* What a subcommand exits with. */
enum {
    COMMAND_OK = 0,
    COMMAND_FAILED = 1, /* an error, logged */
    COMMAND_MISUSED = 2 /* wrong options or arguments, logged */
};

/* A row of the table of commands (mtree.c); the rest of --help comes from the command's
 * options (options.h). */
typedef struct {
    const char *name;
    bool is_program;          /* called by its name, and not behind "mtree" */
    const char *summary;      /* for the list of commands */
    const char *usage;        /* what follows the name in the first line of --help */
    const char *help;         /* the lines below it */
    const char *examples[2];  /* whole command lines */
    void (*print_more)(void); /* prints the end of --help; NULL: there is none */
    int least_arguments, most_arguments;
    const char *needs; /* the error when it gets more or fewer */

    /* argv[0] is "mtree" and the name, for getopt's messages.  Returns one of the above.
     */
    int (*run)(int argc, char **argv);
} command_t;

extern const command_t command_topology, command_generate, command_import, command_export;
extern const command_t command_plan, command_check, command_simulate, command_compare;
extern const command_t command_draw, command_probe, command_report, command_top;
extern const command_t command_doctor, command_relay, command_cache;

/* Log @a what is wrong in the use of @a command and where its help is; COMMAND_MISUSED.
 */
int command_misuse(const command_t *command, const char *what);

/*
 * A command is a process: what fails ends it, and what it has read stays until it ends.
 * Exit with COMMAND_FAILED unless @a status, whose error was logged, is MTREE_OK.
 */
void command_must(mtree_status_t status);

/* Log an error, as mtree_error() does, and exit with COMMAND_FAILED. */
#define command_fail(...) (mtree_error(__VA_ARGS__), exit(COMMAND_FAILED))

#define COMMAND_PATH_ROOM 4096

/*
 * Find the program or folder @a name that belongs to mtree: beside it, as in the build
 * folder, or in @a folder, where it is installed.  @a path has COMMAND_PATH_ROOM letters.
 * False: it is in neither.
 */
bool command_find(const char *name, const char *folder, char *path);

/* Become the program @a script of Python, a file or folder that command_find() finds, for
 * the command @a name.  Its arguments are @a words, COMMAND_WORDS at most, which end in a
 * NULL.  Returns only when that cannot be, which is logged: COMMAND_FAILED.  It finds
 * mtree by the environment's MTREE. */
#define COMMAND_WORDS 16
int command_become(const char *name, const char *script, const char *const *words);

/* Give @a json to such a program on standard input. */
void command_give(const char *name, json_t *json);

/* What such a program prints; an error of its own it has told. */
char *command_read(const char *name, const char *script, const char *const *words);

/*
 * Print "mtree: N s: WHAT" ("planning with packing") on standard error after two seconds
 * and every two after that, until the program ends.  WHAT is as of the latest call.
 */
void command_say(const char *what, ...) __attribute__((format(printf, 1, 2)));

/* Print @a json and a newline on @a out and release it.  MTREE_ERR_IO is logged, as is a
 * NULL @a json, which stands for a lack of memory. */
mtree_status_t command_print_json(json_t *json, FILE *out);

/* Open the file @a path for writing, NULL: standard output; and close it again. */
FILE *command_open(const char *path);
void command_close(const char *path, FILE *out);

#endif
