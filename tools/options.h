/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The options of a command as tables: one row per option, from which come what
 * getopt_long() takes, the lines of --help, the conversion of values and their errors.
 */
#ifndef MTREE_TOOLS_OPTIONS_H
#define MTREE_TOOLS_OPTIONS_H

#include "tools/command.h"

#include <getopt.h> /* optind */
#include <stddef.h>

/* What an option takes and where its value goes. */
typedef enum {
    OPTION_FLAG,   /* nothing; bool */
    OPTION_TEXT,   /* any text; const char * or char *, in argv */
    OPTION_WHOLE,  /* a number without fraction, int */
    OPTION_NUMBER, /* double */
    OPTION_SIZE,   /* like 64K; size_t, bytes */
    OPTION_RATE,   /* like 5Mbps; double, bits/s */
    OPTION_TIME,   /* like 20us; double, seconds */
    OPTION_OTHER   /* what `take` makes of it */
} option_kind_t;

/* Take @a value of an option of @a command into @a data, the structure of the option's
 * group.  MTREE_ERR_INVALID, logged, when it is not of the option's form. */
typedef mtree_status_t (*option_take_t)(const command_t *command, void *data,
                                        const char *value);

typedef struct {
    const char *name; /* "output": --output */
    int letter;       /* 'o': -o; 0: there is none */
    option_kind_t kind;
    size_t offset;        /* of the member that it sets */
    const char *argument; /* as --help calls it, "FILE" */
    const char *help;     /* lines without their end */
    double least, most;   /* of OPTION_WHOLE and OPTION_NUMBER; most 0: no limit */
    const char *example;  /* of OPTION_SIZE, _RATE and _TIME */
    bool not_zero;        /* likewise: more than 0 is needed */
    option_take_t take;
} option_t;

/* Options that fill the same structure, or of which another program gets the texts. */
typedef struct {
    const option_t *options; /* up to one without a name; NULL: the end of the groups */
    void *data;              /* NULL: values are checked alone */
    const char **texts;  /* NULL, or of each option its value as it was given, a flag's
                            being its name, and "" where it was not given */
    const char *without; /* letters of those that are left out; NULL: none */
    bool *given_p;       /* set when one of them is given; may be NULL */
} option_group_t;

/* What options_read() returns when the command shall run. */
#define OPTIONS_GO_ON (-1)

/*
 * Read the options of @a command; its arguments then begin at argv[optind], in the number
 * that it wants.  Returns OPTIONS_GO_ON or what to exit with: after --help, or after what
 * was wrong, which is logged.
 */
int options_read(const command_t *command, const option_group_t *groups, int argc,
                 char **argv);

/* The same, and exit where the command shall not run. */
void options_parse(const command_t *command, const option_group_t *groups, int argc,
                   char **argv);

#endif
