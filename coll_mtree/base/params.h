/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parameters: what users set with `--mca coll_mtree_NAME VALUE`.
 *
 * One table (params_table.c) describes each of them.  Registration with Open MPI
 * (params.c), the comparison between ranks (coll_mtree/control/modex.c) and the tests
 * derive from it.  To add one, add a member here and a row there (docs/adding.md).
 */
#ifndef COLL_MTREE_BASE_PARAMS_H
#define COLL_MTREE_BASE_PARAMS_H

#include <stdbool.h>
#include <stddef.h>

/* The values in force.  Strings are Open MPI's; NULL and "" both stand for none. */
typedef struct {
    int priority;
    int verbose;
    char *topology;
    char *hosts;
    char *hwloc;
    int protocol;
    char *algorithm;
    char *plan;
    int trees;
    size_t chunk_bytes;
    size_t min_bytes;
    bool barrier;
    char *streams; /* coll_mtree/tcp/streams.h */
    char *tcp_ports;
    char *relay_secret;  /* a file on the host of rank 0 */
    char *relays;        /* "world", or none */
    double relays_share; /* of a processor */
    char *tcp_congestion_control;
    bool encrypt; /* what calls send between hosts */
    bool deterministic;
    size_t memory;        /* bytes */
    size_t arrival_room;  /* bytes */
    size_t arrival_aside; /* bytes */
    bool replan;
    double probe_seconds;
    size_t probe_bytes;
    char *probe_output;
    char *probe_record;
    double cache_days;
    char *trace;
    size_t trace_events;
    char *report;
    double report_live; /* seconds */
} coll_mtree_params_t;

extern coll_mtree_params_t coll_mtree_params;

typedef enum {
    COLL_MTREE_PARAM_BOOL,
    COLL_MTREE_PARAM_INT,
    COLL_MTREE_PARAM_SIZE,
    COLL_MTREE_PARAM_DOUBLE,
    COLL_MTREE_PARAM_STRING
} coll_mtree_param_type_t;

/* Who may change a parameter while the job runs, by MPI_T. */
typedef enum {
    COLL_MTREE_PARAM_READ_ONCE,
    COLL_MTREE_PARAM_LOCAL,     /* each rank, at any time */
    COLL_MTREE_PARAM_COLLECTIVE /* all ranks, between the same calls */
} coll_mtree_param_scope_t;

/* Bytes that one value takes in the text that ranks compare, its NUL included. */
#define COLL_MTREE_PARAM_TEXT 24

typedef struct coll_mtree_param coll_mtree_param_t;
struct coll_mtree_param {
    const char *name; /* without coll_mtree_ */
    coll_mtree_param_type_t type;
    coll_mtree_param_scope_t scope;
    int level; /* of `ompi_info --level`, from 1 */
    union {
        void *any;
        bool *boolean;
        int *integer;
        size_t *size;
        double *real;
        char **string;
    } value;
    union {
        bool boolean;
        int integer;
        size_t size;
        double real;
        char *string; /* NULL */
    } initial;
    double least, most; /* of a number; both 0: it may be any */
    /* Writes what must be the same on all ranks into [COLL_MTREE_PARAM_TEXT]; NULL: ranks
     * may differ. */
    void (*agree)(const coll_mtree_param_t *param, char *text);
    bool is_request;  /* who sets it, to what is not "none" or false, asks for mtree */
    const char *help; /* without what follows from agree and scope */
};

/* All parameters; @a count_p: how many. */
const coll_mtree_param_t *coll_mtree_params_table(size_t *count_p);

/* Give every parameter its initial value. */
void coll_mtree_params_reset(void);

/* A line for each coll_mtree_NAME in the environment that is no parameter, with the one
 * that may have been meant. */
void coll_mtree_params_tell_unknown(void);

/* Give numbers that are out of their range, or none, their initial value; @a tells: with
 * a line for each. */
void coll_mtree_params_confine(bool tells);

/* Write a line "NAME VALUE" for each parameter that must agree, into @a text of @a size
 * bytes.  False: it does not fit. */
bool coll_mtree_params_write(char *text, size_t size);

/* Go on to the first of the lines at *own_p and *theirs_p that differ, which two ranks
 * have written.  False: one of the two ends before, so that it is no matter of a value.
 */
bool coll_mtree_params_find_difference(const char **own_p, const char **theirs_p);

/*
 * Does the user ask for mtree: by @a selection, what Open MPI's parameter `coll` says
 * (NULL: nothing), or by a parameter that is a request?  A component that is merely
 * installed takes no part in a job.
 */
bool coll_mtree_params_ask(const char *selection);

/* Is mtree named in @a selection? */
bool coll_mtree_params_selected(const char *selection);

/* Did the user of this job name mtree (--mca coll mtree) or a map, on the command line or
 * in the environment?  A file of parameters may be a whole site's. */
bool coll_mtree_params_named(void);

/* What coll_mtree_topology asks for. */
typedef enum {
    COLL_MTREE_TOPOLOGY_AUTO, /* as the cache has it, or probed by a long call */
    COLL_MTREE_TOPOLOGY_FILE,
    COLL_MTREE_TOPOLOGY_PROBE,
    COLL_MTREE_TOPOLOGY_NONE
} coll_mtree_topology_choice_t;

coll_mtree_topology_choice_t coll_mtree_params_topology(void);

/* Do hosts of MPI_COMM_WORLD relay for communicators that they are not in? */
bool coll_mtree_params_relays_world(void);

/* Trees of a plan at most where the user sets no limit: their tags must suffice. */
#define COLL_MTREE_MOST_TREES 64

/* Trees (per root, where each rank has a block) that a plan for @a ranks ranks may have
 * at most: some algorithms have one per host, whatever the limit. */
int coll_mtree_params_max_trees(int ranks);

/* coll_mtree_min_bytes as it is in force: 0 where it is, since no call is left to Open
 * MPI then because that is faster. */
size_t coll_mtree_params_min_bytes(void);

/* params.c: the value of Open MPI's parameter btl_@a btl_@a name, of that parameter's
 * type; NULL: there is none. */
const void *coll_mtree_params_btl(const char *btl, const char *name);

/* The same for a string of btl/tcp; NULL also when it is empty. */
const char *coll_mtree_params_btl_tcp(const char *name);

/* Before Open MPI's TCP transport pairs interfaces: have it use @a interfaces alone.
 * False: the user has named some, or what not to use. */
bool coll_mtree_params_keep_btl_tcp_to(const char *interfaces);

#endif
