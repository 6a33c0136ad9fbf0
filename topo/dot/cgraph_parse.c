/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/dot/cgraph_parse.h"

#include "base/log.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Tries to bring the lexer back to where a text begins. */
#define MAX_RESETS 192

/* What cgraph had to say since the text was started; it comes in pieces. */
static struct {
    char text[512];
    size_t length;
} heard;

/* The graph that the parser is at work on. */
static Agraph_t *open_graph;

/* The text that the parser reads. */
typedef struct {
    const char *at;
    size_t left;
} channel_t;

static int hear(char *message)
{
    size_t room = sizeof(heard.text) - 1 - heard.length;
    size_t length = strnlen(message, room);

    memcpy(heard.text + heard.length, message, length);
    heard.length += length;
    heard.text[heard.length] = '\0';
    return 0;
}

static int channel_read(void *arg, char *buffer, int room)
{
    channel_t *channel = arg;
    size_t count = ((size_t)room < channel->left) ? (size_t)room : channel->left;

    memcpy(buffer, channel->at, count);
    channel->at += count;
    channel->left -= count;
    return (int)count;
}

static void *ids_open(Agraph_t *graph, Agdisc_t *disc)
{
    open_graph = graph;
    return AgIdDisc.open(graph, disc);
}

static void ids_close(void *state)
{
    open_graph = NULL;
    AgIdDisc.close(state);
}

/* "syntax error in line 7 near 'x'" into the line and what it was near. */
static void report(const char *name)
{
    static const char marker[] = "in line ";
    char *place = strstr(heard.text, marker);
    char *near;

    if (place == NULL) {
        mtree_error("%s:1: not a DOT graph; docs/topology-file.md has an example", name);
        return;
    }
    near = strstr(place, "near ");
    if (near == NULL) {
        near = "near the end";
    }
    mtree_error("%s:%ld: syntax error %.*s; docs/topology-file.md has an example", name,
                strtol(place + strlen(marker), NULL, 10), (int)strcspn(near, "\r\n"),
                near);
}

/* Read all graphs of the channel; the lexer keeps what is left in a buffer of its own
 * otherwise. */
static int read_graphs(channel_t *channel, Agdisc_t *disc, Agraph_t **first_p)
{
    Agraph_t *graph;
    int count = 0;

    *first_p = NULL;
    while ((graph = agread(channel, disc)) != NULL) {
        open_graph = NULL;
        if (count == 0) {
            *first_p = graph;
        } else {
            agclose(graph);
        }
        ++count;
    }
    if (open_graph != NULL) {
        agclose(open_graph);
    }
    return count;
}

static int ignore(char *message)
{
    (void)message;
    return 0;
}

static int read_text(const char *text, Agdisc_t *disc)
{
    channel_t channel = {.at = text, .left = strlen(text)};
    Agraph_t *graph;
    int count = read_graphs(&channel, disc, &graph);

    if (graph != NULL) {
        agclose(graph);
    }
    return count;
}

/*
 * The lexer remains in a string, label or comment in which it was when the parser gave a
 * text up, and would take the next text for the rest of it: end those.  Labels nest.
 */
static void reset_lexer(Agdisc_t *disc)
{
    static const char *const ends[] = {"\"", "*/", ">>>>>>>>>>>>>>>>"};
    int i;

    agseterrf(ignore);
    for (i = 0; i < MAX_RESETS && read_text("graph {}\n", disc) != 1; i++) {
        read_text(ends[i % (int)(sizeof(ends) / sizeof(ends[0]))], disc);
    }
}

mtree_status_t mtree_dot_graph_parse(const char *text, size_t length, const char *name,
                                     Agraph_t **graph_p)
{
    /* The graph keeps pointers to its disciplines until it is closed. */
    static Agiddisc_t ids;
    static Agiodisc_t io;
    static Agdisc_t disc;
    channel_t channel = {.at = text, .left = length};
    agusererrf previous;
    Agraph_t *graph;
    int count;

    ids = AgIdDisc;
    ids.open = ids_open;
    ids.close = ids_close;
    io = AgIoDisc;
    io.afread = channel_read;
    disc = (Agdisc_t){.mem = &AgMemDisc, .id = &ids, .io = &io};

    heard.length = 0;
    heard.text[0] = '\0';
    previous = agseterrf(hear);
    agsetfile(NULL);
    agreadline(1);
    count = read_graphs(&channel, &disc, &graph);
    reset_lexer(&disc);
    agseterrf(previous);

    if (count == 1 && strstr(heard.text, "in line ") == NULL) {
        *graph_p = graph;
        return MTREE_OK;
    }
    if (count > 1) {
        mtree_error("%s: holds %d graphs; keep one", name, count);
    } else {
        report(name);
    }
    if (graph != NULL) {
        agclose(graph);
    }
    return MTREE_ERR_INVALID;
}
