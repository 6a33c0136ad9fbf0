/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/simulate_options.h"

#include "base/log.h"
#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds between words of progress. */
#define SAMPLE 2.0

static double wall_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void simulating_init(simulating_t *simulating)
{
    mtree_simulate_default_options(&simulating->options);
    simulating->sample.start = wall_clock();
    simulating->sample.last = simulating->sample.start;
}

static mtree_status_t read_size(const char *option, const char *value, size_t *bytes_p)
{
    const char *why;

    if (mtree_units_parse_size(value, bytes_p, &why) != MTREE_OK) {
        mtree_error("--%s '%s': %s; write it like 64K", option, value, why);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

static mtree_status_t read_ranks(simulating_t *simulating, const char *value)
{
    char *end;
    long ranks;

    errno = 0;
    ranks = strtol(value, &end, 10);
    if (*end != '\0' || errno != 0 || ranks < 1 || ranks > MTREE_WORLD_MAX_RANKS) {
        mtree_error("--ranks-per-host '%s': a whole number from 1 to %d is needed", value,
                    MTREE_WORLD_MAX_RANKS);
        return MTREE_ERR_INVALID;
    }
    simulating->options.ranks_per_host = (int)ranks;
    return MTREE_OK;
}

static mtree_status_t read_model(simulating_t *simulating, const char *value)
{
    if (strcmp(value, "queue") == 0) {
        simulating->options.network.model = MTREE_NETWORK_QUEUE;
    } else if (strcmp(value, "flow") == 0) {
        simulating->options.network.model = MTREE_NETWORK_FLOW;
    } else {
        mtree_error("--model '%s': queue or flow is needed", value);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

static mtree_status_t read_overhead(simulating_t *simulating, const char *value)
{
    const char *why;

    if (mtree_units_parse_time(value, &simulating->options.overhead, &why) != MTREE_OK) {
        mtree_error("--overhead '%s': %s; write it like 20us", value, why);
        return MTREE_ERR_INVALID;
    }
    return MTREE_OK;
}

static mtree_status_t read_window(simulating_t *simulating, const char *value)
{
    size_t bytes = 0;
    mtree_status_t status = read_size("window", value, &bytes);

    simulating->options.network.window_bytes = (double)bytes;
    return status;
}

mtree_status_t simulating_option(simulating_t *simulating, int letter, const char *value)
{
    switch (letter) {
    case SIMULATING_RANKS:
        return read_ranks(simulating, value);
    case SIMULATING_MODEL:
        return read_model(simulating, value);
    case SIMULATING_CHUNK:
        return read_size("chunk", value, &simulating->options.chunk_bytes);
    case SIMULATING_SEGMENT:
        return read_size("segment", value, &simulating->options.segment_bytes);
    case SIMULATING_EAGER:
        return read_size("eager", value, &simulating->options.eager_bytes);
    case SIMULATING_OVERHEAD:
        return read_overhead(simulating, value);
    case SIMULATING_WINDOW:
        return read_window(simulating, value);
    case SIMULATING_CHECK:
        simulating->options.check = true;
        return MTREE_OK;
    default:
        return MTREE_ERR_NOT_FOUND;
    }
}

bool simulating_due(simulating_sample_t *sample)
{
    const double now = wall_clock();

    if (now - sample->last < SAMPLE) {
        return false;
    }
    sample->last = now;
    return true;
}

static void progress(double now, void *arg)
{
    simulating_t *simulating = arg;
    char text[MTREE_UNITS_LENGTH];

    if (simulating_due(&simulating->sample)) {
        fprintf(stderr, "mtree: %.0f s: simulated %s of the network's time%s%s\n",
                simulating->sample.last - simulating->sample.start,
                mtree_units_format_time(now, text, sizeof(text)),
                simulating->what == NULL ? "" : " with ",
                simulating->what == NULL ? "" : simulating->what);
    }
}

void simulating_watch(simulating_t *simulating)
{
    simulating->options.progress = progress;
    simulating->options.progress_arg = simulating;
}
