/* SPDX-License-Identifier: BSD-3-Clause */
#include "coll_mtree/probe/experiments.h"

#include "coll_mtree/base/memory.h"
#include "coll_mtree/probe/pingpong.h"
#include "coll_mtree/probe/stream.h"

#include "base/clock.h"

#include <stdlib.h>

typedef struct {
    coll_mtree_probe_part_t part;
    coll_mtree_ping_t *ping; /* one of the two, once it has begun */
    coll_mtree_stream_t *stream;
    bool begun, ended;
} running_t;

struct coll_mtree_probe_experiments {
    const coll_mtree_channel_t *channel;
    double began;
    int num_parts;
    running_t parts[];
};

static void part_begin(running_t *running, const coll_mtree_channel_t *channel)
{
    running->begun = true;
    if (running->part.kind == MTREE_PROBE_PING) {
        running->ping = coll_mtree_ping_begin(channel, &running->part);
    } else {
        running->stream = coll_mtree_stream_begin(channel, &running->part);
    }
}

coll_mtree_probe_experiments_t *
coll_mtree_probe_experiments_begin(const coll_mtree_channel_t *channel,
                                   const coll_mtree_probe_part_t *parts, int num_parts)
{
    coll_mtree_probe_experiments_t *experiments = coll_mtree_calloc(
        1, sizeof(*experiments) + (size_t)num_parts * sizeof(experiments->parts[0]));

    experiments->channel = channel;
    experiments->began = mtree_clock_seconds();
    experiments->num_parts = num_parts;
    for (int i = 0; i < num_parts; i++) {
        experiments->parts[i].part = parts[i];
    }
    return experiments;
}

bool coll_mtree_probe_experiments_advance(coll_mtree_probe_experiments_t *experiments)
{
    double since = mtree_clock_seconds() - experiments->began;
    bool ended = true;

    for (int i = 0; i < experiments->num_parts; i++) {
        running_t *running = &experiments->parts[i];

        if (!running->begun && since >= running->part.begin) {
            part_begin(running, experiments->channel);
        }
        if (running->begun && !running->ended) {
            running->ended = running->ping != NULL
                                 ? coll_mtree_ping_advance(running->ping)
                                 : coll_mtree_stream_advance(running->stream);
        }
        ended = ended && running->ended;
    }
    return ended;
}

void coll_mtree_probe_experiments_end(coll_mtree_probe_experiments_t *experiments,
                                      coll_mtree_probe_report_t *reports)
{
    for (int i = 0; i < experiments->num_parts; i++) {
        running_t *running = &experiments->parts[i];
        mtree_probe_result_t *result = NULL;

        if (coll_mtree_probe_part_reports(&running->part)) {
            reports->number = running->part.number;
            result = &reports->result;
            *result = (mtree_probe_result_t){.failed = true};
            reports++;
        }
        if (running->ping != NULL) {
            coll_mtree_ping_end(running->ping, result);
        } else if (running->stream != NULL) {
            coll_mtree_stream_end(running->stream, result);
        }
    }
    free(experiments);
}
