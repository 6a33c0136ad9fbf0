/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "coll_mtree/plan/plan_cache.h"

#include "base/hash.h"
#include "base/memory.h"
#include "planner/plan/json.h"
#include "topo/dot/cache_file.h"
#include "topo/dot/read.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first line of a file: the forecast. */
#define FORECAST_WRITE "mtree plan: pays %d seconds %.17g fallback %.17g\n"
#define FORECAST_READ  "mtree plan: pays %d seconds %lg fallback %lg%n"

/* Another build may plan otherwise, whatever its version. */
static void write_build(FILE *out)
{
    static const char here;
    struct stat is;
    Dl_info info;

    if (dladdr(&here, &info) != 0 && stat(info.dli_fname, &is) == 0) {
        fprintf(out, "%lld %lld.%ld\n", (long long)is.st_size,
                (long long)is.st_mtim.tv_sec, is.st_mtim.tv_nsec);
    }
}

static void write_request(const mtree_plan_request_t *request, FILE *out)
{
    fprintf(out, "%s %s %d %d %d %.17g %.17g %u\n",
            mtree_collective_name(request->collective),
            request->algorithm == NULL ? "-" : request->algorithm, request->root,
            request->max_trees, request->max_height, request->min_rate, request->bytes,
            request->seed);
}

static void write_question(const coll_mtree_plan_question_t *question, FILE *out)
{
    const coll_mtree_plan_hosts_t *hosts = question->hosts;
    char *donor = NULL;

    if (question->donor != NULL) {
        mtree_require(mtree_plan_to_json(question->donor, &donor));
    }
    write_build(out);
    write_request(question->request, out);
    fprintf(out, "%s\n%s\n", question->rest, donor == NULL ? "" : donor);
    free(donor);
    for (int host = 0; host < hosts->num_hosts; host++) {
        fprintf(out, "%d ", hosts->vertices[host]);
    }
    mtree_require(mtree_topology_write(hosts->topology, out));
}

/* The name of the file of @a question. */
static void find_name(const coll_mtree_plan_question_t *question,
                      char name[MTREE_CACHE_NAME_LENGTH + 1])
{
    size_t length;
    char *text;
    FILE *out = mtree_text_begin(&text, &length);

    write_question(question, out);
    mtree_text_end(out);
    mtree_cache_file_name(mtree_hash_bytes(MTREE_HASH_INIT, text, length),
                          MTREE_CACHE_PLANS, name);
    free(text);
}

/* Is @a plan one for @a question?  By chance other questions have the same hash. */
static bool answers(const mtree_plan_t *plan, const coll_mtree_plan_question_t *question)
{
    const coll_mtree_plan_hosts_t *hosts = question->hosts;

    if (plan->collective != question->request->collective || plan->num_relays != 0 ||
        plan->bytes != question->request->bytes || plan->num_hosts != hosts->num_hosts) {
        return false;
    }
    for (int host = 0; host < plan->num_hosts; host++) {
        const mtree_vertex_t *vertex = &hosts->topology->vertices[hosts->vertices[host]];

        if (strcmp(plan->hosts[host], vertex->host) != 0) {
            return false;
        }
    }
    return true;
}

/* The plan in @a text of the file @a path, the caller's; NULL: it is none for @a
 * question. */
static mtree_plan_t *parse(const char *text, size_t length, const char *path,
                           const coll_mtree_plan_question_t *question,
                           mtree_forecast_t *forecast_p)
{
    mtree_forecast_t forecast = mtree_forecast_of(false);
    mtree_plan_t *plan;
    int pays, begin = 0;

    if (sscanf(text, FORECAST_READ, &pays, &forecast.seconds, &forecast.fallback,
               &begin) != 3 ||
        begin == 0 ||
        mtree_plan_from_json(text + begin, length - (size_t)begin, path, &plan) !=
            MTREE_OK) {
        return NULL;
    }
    if (!answers(plan, question)) {
        mtree_plan_destroy(plan);
        return NULL;
    }
    forecast.pays = pays != 0;
    *forecast_p = forecast;
    return plan;
}

mtree_plan_t *coll_mtree_plan_cache_read(const coll_mtree_plan_question_t *question,
                                         mtree_forecast_t *forecast_p)
{
    char path[MTREE_CACHE_PATH_LENGTH], name[MTREE_CACHE_NAME_LENGTH + 1];
    char file[MTREE_CACHE_FILE_LENGTH];
    mtree_plan_t *plan = NULL;
    char *text = NULL;
    size_t length;
    int folder;

    if (mtree_cache_file_folder(path) != MTREE_OK ||
        (folder = mtree_cache_file_open(path)) < 0) {
        return NULL;
    }
    find_name(question, name);
    if (mtree_cache_file_read(folder, name, &text, &length) == NULL) {
        snprintf(file, sizeof(file), "%s/%s", path, name);
        plan = parse(text, length, file, question, forecast_p);
    }
    free(text);
    close(folder);
    return plan;
}

void coll_mtree_plan_cache_write(const coll_mtree_plan_question_t *question,
                                 const mtree_plan_t *plan, mtree_forecast_t forecast)
{
    char path[MTREE_CACHE_PATH_LENGTH], name[MTREE_CACHE_NAME_LENGTH + 1];
    char *json, *text;
    size_t length;
    FILE *out;

    if (mtree_cache_file_folder(path) != MTREE_OK) {
        return;
    }
    find_name(question, name);
    mtree_require(mtree_plan_to_json(plan, &json));
    out = mtree_text_begin(&text, &length);
    fprintf(out, FORECAST_WRITE "%s", forecast.pays, forecast.seconds, forecast.fallback,
            json);
    mtree_text_end(out);
    (void)mtree_cache_file_write(path, name, text, COLL_MTREE_PLAN_CACHE_MOST);
    free(text);
    free(json);
}
