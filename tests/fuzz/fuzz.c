/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"

#include "base/log.h"
#include "topo/dot/read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int num_errors;
static char last_error[1024];

static void hear(mtree_log_level_t level, const char *message, void *arg)
{
    (void)level;
    (void)arg;
    num_errors++;
    snprintf(last_error, sizeof(last_error), "%s", message);
}

static void expect(bool holds, const char *why)
{
    if (!holds) {
        fprintf(stderr, "fuzz: %s; the last line was '%s'\n", why, last_error);
        abort();
    }
}

void fuzz_start(void)
{
    num_errors = 0;
    last_error[0] = '\0';
    mtree_log_set(hear, NULL, MTREE_LOG_ERROR);
}

void fuzz_expect_told(mtree_status_t status)
{
    expect(status != MTREE_OK || num_errors == 0,
           "an error was logged, but the reader says that all is well");
    expect(status == MTREE_OK || num_errors > 0, "the reader failed without a word");
    expect(num_errors <= 1, "the reader logged more than one error");
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    expect(text != NULL, "out of memory");
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    return text;
}

static void expect_same(const mtree_topology_t *a, const mtree_topology_t *b)
{
    expect(a->num_vertices == b->num_vertices && a->num_links == b->num_links,
           "a topology that was written has other vertices or links when read back");
    for (int i = 0; i < a->num_vertices; i++) {
        expect(strcmp(a->vertices[i].name, b->vertices[i].name) == 0 &&
                   a->vertices[i].kind == b->vertices[i].kind,
               "a topology that was written has another vertex when read back");
    }
    for (int i = 0; i < a->num_links; i++) {
        expect(a->links[i].u == b->links[i].u && a->links[i].v == b->links[i].v &&
                   a->links[i].capacity[0] == b->links[i].capacity[0] &&
                   a->links[i].capacity[1] == b->links[i].capacity[1] &&
                   a->links[i].latency == b->links[i].latency,
               "a topology that was written has another link when read back");
    }
}

void fuzz_expect_topology(const mtree_topology_t *topology)
{
    mtree_topology_t *copy = NULL;
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    expect(out != NULL && mtree_topology_write(topology, out) == MTREE_OK &&
               fclose(out) == 0,
           "a topology that was read cannot be written");
    expect(mtree_topology_parse(text, length, "written", &copy) == MTREE_OK,
           "a topology that was written cannot be read back");
    expect_same(topology, copy);
    mtree_topology_destroy(copy);
    free(text);
}
