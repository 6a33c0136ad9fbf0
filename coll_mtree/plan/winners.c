/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/plan/winners.h"

#include "base/log.h"
#include "base/units.h"
#include "simulate/forecast/forecast.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Trees that are expected to take less than ALIKE times as long are about as fast. */
#define ALIKE 1.1

/* Messages are no longer than 2 to this power, bytes. */
#define GREATEST_SIZE_CLASS 62

/* Fields of a line, of which a root's host, the rest of the line, is the last. */
#define FIELDS 5

static const char *const backend_names[COLL_MTREE_BASE_ALGORITHM] = {
    [COLL_MTREE_TREES] = "trees",
    [COLL_MTREE_RING] = "ring",
    [COLL_MTREE_FALLBACK] = "fallback"};

/* A base algorithm's name follows. */
#define BASE_PREFIX "openmpi:"

typedef struct {
    coll_mtree_class_node_t node;
    coll_mtree_winner_t winner;
    double seconds; /* that the trees were expected to take */
    char fallback[COLL_MTREE_WINNER_FALLBACK];
} record_t;

void coll_mtree_winners_init(coll_mtree_winners_t *winners)
{
    coll_mtree_class_table_init(winners);
}

bool coll_mtree_winners_is_empty(const coll_mtree_winners_t *winners)
{
    return mtree_list_is_empty(&winners->nodes);
}

static void record_clear(void *element)
{
    (void)element;
}

void coll_mtree_winners_cleanup(coll_mtree_winners_t *winners)
{
    coll_mtree_class_table_cleanup(winners, record_clear);
}

static bool has_winners(const coll_mtree_call_class_t *call_class,
                        const coll_mtree_trial_conditions_t *conditions)
{
    return call_class->algorithm == NULL && call_class->trees < 0 &&
           !call_class->by_arrival && !call_class->relayed && conditions->seconds > 0 &&
           conditions->fallback != NULL &&
           strlen(conditions->fallback) < COLL_MTREE_WINNER_FALLBACK;
}

coll_mtree_winner_t
coll_mtree_winners_find(const coll_mtree_winners_t *winners,
                        const coll_mtree_call_class_t *call_class,
                        const coll_mtree_trial_conditions_t *conditions)
{
    const record_t *record = !has_winners(call_class, conditions)
                                 ? NULL
                                 : coll_mtree_class_table_find(winners, call_class);
    bool holds = record != NULL && strcmp(record->fallback, conditions->fallback) == 0 &&
                 record->seconds < ALIKE * conditions->seconds &&
                 conditions->seconds < ALIKE * record->seconds;

    return holds ? record->winner : coll_mtree_winner_none();
}

bool coll_mtree_winners_put(coll_mtree_winners_t *winners,
                            const coll_mtree_call_class_t *call_class,
                            const coll_mtree_trial_conditions_t *conditions,
                            coll_mtree_winner_t winner)
{
    record_t *record =
        !has_winners(call_class, conditions)
            ? NULL
            : coll_mtree_class_table_get(winners, call_class, sizeof(*record));

    if (record == NULL) {
        return false;
    }
    record->winner = winner;
    record->winner.is_known = true;
    record->seconds = conditions->seconds;
    memcpy(record->fallback, conditions->fallback, strlen(conditions->fallback) + 1);
    return true;
}

bool coll_mtree_winners_merge(coll_mtree_winners_t *winners,
                              const coll_mtree_winners_t *others)
{
    const record_t *record;
    mtree_list_t *link;
    bool done = true;

    COLL_MTREE_CLASS_TABLE_FOR_EACH(record, link, others)
    {
        const coll_mtree_trial_conditions_t conditions = {record->seconds,
                                                          record->fallback};

        done = coll_mtree_winners_put(winners, &record->node.call_class, &conditions,
                                      record->winner) &&
               done;
    }
    return done;
}

/* False: there is no such backend. */
static bool parse_backend(const char *name, mtree_collective_t collective,
                          coll_mtree_winner_t *winner)
{
    size_t prefix = strlen(BASE_PREFIX);

    for (int backend = 0; backend < COLL_MTREE_BASE_ALGORITHM; backend++) {
        if (strcmp(name, backend_names[backend]) == 0) {
            winner->backend = (coll_mtree_backend_t)backend;
            return true;
        }
    }
    winner->backend = COLL_MTREE_BASE_ALGORITHM;
    for (int a = 1; a <= MTREE_BASE_ALGORITHMS; a++) {
        const char *known = mtree_base_algorithm_name(collective, a);

        if (known != NULL && strncmp(name, BASE_PREFIX, prefix) == 0 &&
            strcmp(name + prefix, known) == 0) {
            winner->base_algorithm = a;
            return true;
        }
    }
    return false;
}

/* The number of the host @a name; -1: there is none. */
static int find_host(const char *name, const char *const *hosts, int num_hosts)
{
    int host = 0;

    while (host < num_hosts && strcmp(hosts[host], name) != 0) {
        host++;
    }
    return host < num_hosts ? host : -1;
}

/* Cut @a line at its first spaces; fields that are missing are empty. */
static void split(char *line, char *fields[FIELDS + 1])
{
    for (int f = 0; f <= FIELDS; f++) {
        size_t length = f == FIELDS ? strlen(line) : strcspn(line, " ");

        fields[f] = line;
        line += length;
        if (*line != '\0') {
            *line++ = '\0';
        }
    }
}

/* A whole number from 0 to @a greatest that is all of @a text; -1: it is none. */
static int parse_whole(const char *text, int greatest)
{
    const char *end;
    double value;

    return mtree_units_parse_number(text, &value, &end) == MTREE_OK && *end == '\0' &&
                   value >= 0 && value <= greatest && value == (int)value
               ? (int)value
               : -1;
}

/* Put the winner of @a line, which is cut up.  MTREE_ERR_INVALID is not logged. */
static mtree_status_t read_line(coll_mtree_winners_t *winners, char *line,
                                const char *const *hosts, int num_hosts)
{
    char *fields[FIELDS + 1];
    coll_mtree_call_class_t call_class = {.root = -1, .trees = -1};
    coll_mtree_trial_conditions_t conditions;
    coll_mtree_winner_t winner = {.is_known = true};
    const char *end;

    split(line, fields);
    call_class.size_class = parse_whole(fields[1], GREATEST_SIZE_CLASS);
    if (mtree_collective_parse(fields[0], &call_class.collective) != MTREE_OK ||
        call_class.size_class < 0 ||
        !parse_backend(fields[2], call_class.collective, &winner) ||
        mtree_units_parse_number(fields[3], &conditions.seconds, &end) != MTREE_OK ||
        *end != '\0' || fields[4][0] == '\0') {
        return MTREE_ERR_INVALID;
    }
    if (mtree_collective_has_root(call_class.collective)) {
        call_class.root = find_host(fields[FIELDS], hosts, num_hosts);
    }
    if (mtree_collective_has_root(call_class.collective) ? call_class.root < 0
                                                         : fields[FIELDS][0] != '\0') {
        return MTREE_ERR_INVALID;
    }
    conditions.fallback = fields[4];
    call_class.bytes = (double)(UINT64_C(1) << call_class.size_class);
    if (!has_winners(&call_class, &conditions)) {
        return MTREE_ERR_INVALID;
    }
    return coll_mtree_winners_put(winners, &call_class, &conditions, winner)
               ? MTREE_OK
               : mtree_no_memory("the winners of earlier jobs");
}

mtree_status_t coll_mtree_winners_read(coll_mtree_winners_t *winners, const char *text,
                                       const char *source, const char *const *hosts,
                                       int num_hosts)
{
    mtree_status_t status = MTREE_OK;

    for (int number = 1; status == MTREE_OK && *text != '\0'; number++) {
        size_t length = strcspn(text, "\n");
        char *line = strndup(text, length);

        if (line == NULL) {
            status = mtree_no_memory("the winners of earlier jobs");
        } else if (length > 0 && strncmp(line, "//", 2) != 0) {
            status = read_line(winners, line, hosts, num_hosts);
        }
        if (status == MTREE_ERR_INVALID) {
            mtree_error(
                "%s:%d: this line does not say what was fastest; all is tried anew",
                source, number);
        }
        free(line);
        text += length + (text[length] == '\n');
    }
    return status;
}

static void write_record(const record_t *record, const char *const *hosts, FILE *out)
{
    const coll_mtree_call_class_t *call_class = &record->node.call_class;
    bool is_base = record->winner.backend == COLL_MTREE_BASE_ALGORITHM;
    char seconds[MTREE_UNITS_LENGTH];

    fprintf(out, "%s %d %s%s %s %s%s%s\n", mtree_collective_name(call_class->collective),
            call_class->size_class, is_base ? BASE_PREFIX : "",
            is_base ? mtree_base_algorithm_name(call_class->collective,
                                                record->winner.base_algorithm)
                    : backend_names[record->winner.backend],
            mtree_units_write_number(record->seconds, seconds), record->fallback,
            call_class->root < 0 ? "" : " ",
            call_class->root < 0 ? "" : hosts[call_class->root]);
}

char *coll_mtree_winners_write(const coll_mtree_winners_t *winners,
                               const char *const *hosts)
{
    const record_t *record;
    mtree_list_t *link;
    size_t length;
    char *text = NULL;
    FILE *out = open_memstream(&text, &length);

    if (out == NULL) {
        return NULL;
    }
    COLL_MTREE_CLASS_TABLE_FOR_EACH(record, link, winners)
    {
        write_record(record, hosts, out);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}
