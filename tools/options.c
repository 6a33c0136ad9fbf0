/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/options.h"

#include "base/log.h"
#include "base/nearest.h"
#include "base/units.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_OPTIONS 48  /* of a command */
#define FIRST_LONG  256 /* what getopt_long() returns for options without a letter */
#define HELP_COLUMN 24  /* where the text about an option begins */
#define LAST_COLUMN 80  /* where it ends at the latest */

/* The options of all groups, with what getopt_long() needs of them. */
typedef struct {
    const command_t *command;
    int count;
    const option_t *options[MAX_OPTIONS];
    const option_group_t *groups[MAX_OPTIONS];
    struct option longs[MAX_OPTIONS + 2];
    char letters[2 * MAX_OPTIONS + 2];
} parser_t;

static void parser_add(parser_t *parser, const option_t *option,
                       const option_group_t *group)
{
    const int has_argument =
        option->kind == OPTION_FLAG ? no_argument : required_argument;
    size_t length = strlen(parser->letters);

    assert(parser->count < MAX_OPTIONS);
    if (option->letter != 0) {
        parser->letters[length++] = (char)option->letter;
        parser->letters[length] = has_argument == required_argument ? ':' : '\0';
    }
    parser->longs[parser->count] = (struct option){
        option->name, has_argument, NULL,
        option->letter != 0 ? option->letter : FIRST_LONG + parser->count};
    if (group->texts != NULL) {
        group->texts[option - group->options] = "";
    }
    parser->options[parser->count] = option;
    parser->groups[parser->count++] = group;
}

static void parser_init(parser_t *parser, const command_t *command,
                        const option_group_t *groups)
{
    *parser = (parser_t){.command = command, .letters = ":h"};
    for (const option_group_t *group = groups; group->options != NULL; group++) {
        for (const option_t *option = group->options; option->name != NULL; option++) {
            if (group->without == NULL || option->letter == 0 ||
                strchr(group->without, option->letter) == NULL) {
                parser_add(parser, option, group);
            }
        }
    }
    parser->longs[parser->count] = (struct option){"help", no_argument, NULL, 'h'};
}

/* Print @a text, whose lines end by '\n' or at LAST_COLUMN, behind @a column. */
static void print_lines(const char *text, int column)
{
    const int width = LAST_COLUMN - column;

    for (;;) {
        int length = (int)strcspn(text, "\n");

        if (length > width) {
            length = width;
            while (length > 0 && text[length] != ' ') {
                length--;
            }
            length = length > 0 ? length : (int)strcspn(text, " \n");
        }
        printf("%.*s\n", length, text);
        text += length;
        if (*text == '\0') {
            return;
        }
        text++;
        printf("%*s", column, "");
    }
}

static void print_option(const option_t *option)
{
    int used = option->letter != 0 ? printf("  -%c, --%s", option->letter, option->name)
                                   : printf("      --%s", option->name);

    if (option->kind != OPTION_FLAG) {
        used += printf(" %s", option->argument);
    }
    printf("%*s", used + 2 < HELP_COLUMN ? HELP_COLUMN - used : 2, "");
    print_lines(option->help, HELP_COLUMN);
}

static void print_help(const parser_t *parser)
{
    static const option_t help = {"help", 'h', OPTION_FLAG, .help = "this text"};

    printf("Usage: %s%s %s\n%s\n", parser->command->is_program ? "" : "mtree ",
           parser->command->name, parser->command->usage, parser->command->help);
    for (int i = 0; i < parser->count; i++) {
        print_option(parser->options[i]);
    }
    print_option(&help);
    if (parser->command->print_more != NULL) {
        parser->command->print_more();
    }
    printf("\nExamples:\n  %s\n  %s\n", parser->command->examples[0],
           parser->command->examples[1]);
}

static mtree_status_t take_whole(const parser_t *parser, const option_t *option,
                                 const char *value, int *number_p)
{
    const double most = option->most > 0 ? option->most : INT_MAX;
    char *end;
    long number;

    errno = 0;
    number = strtol(value, &end, 10);
    if (end == value || *end != '\0' || errno != 0 || (double)number < option->least ||
        (double)number > most) {
        mtree_error("%s: --%s '%s': a whole number from %.0f to %.0f is needed",
                    parser->command->name, option->name, value, option->least, most);
        return MTREE_ERR_INVALID;
    }
    *number_p = (int)number;
    return MTREE_OK;
}

static mtree_status_t take_number(const parser_t *parser, const option_t *option,
                                  const char *value, double *number_p)
{
    const char *end;

    if (mtree_units_parse_number(value, number_p, &end) != MTREE_OK || *end != '\0' ||
        *number_p < option->least || *number_p > option->most) {
        mtree_error("%s: --%s '%s' is no number from %g to %g", parser->command->name,
                    option->name, value, option->least, option->most);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

static mtree_status_t take_quantity(const parser_t *parser, const option_t *option,
                                    const char *value, void *member)
{
    const char *why = "it must be more than 0";
    mtree_status_t status =
        option->kind == OPTION_SIZE   ? mtree_units_parse_size(value, member, &why)
        : option->kind == OPTION_RATE ? mtree_units_parse_rate(value, member, &why)
                                      : mtree_units_parse_time(value, member, &why);
    const bool is_zero =
        option->kind == OPTION_SIZE ? *(size_t *)member == 0 : *(double *)member == 0;

    if (status != MTREE_OK || (option->not_zero && is_zero)) {
        mtree_error("%s: --%s '%s': %s; write it like %s", parser->command->name,
                    option->name, value, why, option->example);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

static mtree_status_t take(const parser_t *parser, int number, const char *value)
{
    const option_t *option = parser->options[number];
    const option_group_t *group = parser->groups[number];
    double nowhere;
    void *member =
        group->data != NULL ? (char *)group->data + option->offset : (void *)&nowhere;

    if (group->given_p != NULL) {
        *group->given_p = true;
    }
    if (group->texts != NULL) {
        group->texts[option - group->options] = value != NULL ? value : option->name;
    }
    switch (option->kind) {
    case OPTION_FLAG:
        *(bool *)member = true;
        return MTREE_OK;
    case OPTION_TEXT:
        *(const char **)member = value;
        return MTREE_OK;
    case OPTION_WHOLE:
        return take_whole(parser, option, value, member);
    case OPTION_NUMBER:
        return take_number(parser, option, value, member);
    case OPTION_OTHER:
        return option->take(parser->command, group->data, value);
    default:
        return take_quantity(parser, option, value, member);
    }
}

static bool is_known(const parser_t *parser, int value)
{
    const struct option *option = parser->longs;

    while (option->name != NULL && option->val != value) {
        option++;
    }
    return option->name != NULL;
}

/* Say that there is no option @a word, "--NAME" or "--NAME=VALUE". */
static int refuse_name(const parser_t *parser, const char *word)
{
    char name[64], advice[MTREE_NEAREST_ADVICE], what[256];
    mtree_nearest_t nearest = mtree_nearest_begin(name);

    (void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(word + 2, "="), word + 2);
    for (int i = 0; i < parser->count; i++) {
        mtree_nearest_offer(&nearest, parser->longs[i].name);
    }
    (void)snprintf(what, sizeof(what), "unrecognized option '--%s'%s", name,
                   mtree_nearest_advice(&nearest, "--", advice));
    return command_misuse(parser->command, what);
}

/* getopt_long() refused @a word by @a found, and optopt is what the option returns, if it
 * is one. */
static int refuse(const parser_t *parser, int found, const char *word)
{
    char what[128];

    if (optopt == 0) {
        return refuse_name(parser, word);
    }
    if (found == ':') {
        (void)snprintf(what, sizeof(what), "option '%s' needs a value", word);
    } else if (is_known(parser, optopt)) {
        (void)snprintf(what, sizeof(what), "option '%s' takes no value", word);
    } else {
        (void)snprintf(what, sizeof(what), "unrecognized option '-%c'", optopt);
    }
    return command_misuse(parser->command, what);
}

int options_read(const command_t *command, const option_group_t *groups, int argc,
                 char **argv)
{
    parser_t parser;
    int found, i;

    parser_init(&parser, command, groups);
    opterr = 0;
    optind = 0; /* as in glibc: begin anew, since there may be several command lines */
    while ((found = getopt_long(argc, argv, parser.letters, parser.longs, NULL)) != -1) {
        if (found == '?' || found == ':') {
            return refuse(&parser, found, argv[optind - 1]);
        }
        if (found == 'h') {
            print_help(&parser);
            return COMMAND_OK;
        }
        for (i = 0; parser.longs[i].val != found; i++) {}
        if (take(&parser, i, optarg) != MTREE_OK) {
            return COMMAND_MISUSED;
        }
    }
    if (argc - optind < command->least_arguments ||
        argc - optind > command->most_arguments) {
        return command_misuse(command, command->needs);
    }
    return OPTIONS_GO_ON;
}

void options_parse(const command_t *command, const option_group_t *groups, int argc,
                   char **argv)
{
    const int code = options_read(command, groups, argc, argv);

    if (code != OPTIONS_GO_ON) {
        exit(code);
    }
}
