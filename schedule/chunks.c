/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/chunks.h"

#include "planner/plan/finish.h"

#include <math.h>

/*
 * Equal numbers of chunks per tree were faster than equal sizes, since the slowest tree
 * ends last.  This number keeps every hop busy.  A message above LARGEST_CHUNK leaves
 * TCP's eager protocol; below SMALLEST_CHUNK the cost of each message on the processors
 * shows (notes/performance.md).
 */
#define CHUNKS_PER_TREE 128
#define LARGEST_CHUNK   32768
#define SMALLEST_CHUNK  16384

/* Bytes of what is outstanding for MTREE_CHUNK_QUEUE_SECONDS at most, and for a neighbour
 * on the same host or of unknown rate. */
#define MOST_QUEUE_BYTES 196608

/* What a link may hold, beyond any that there is. */
#define MOST_LINK_BYTES 0x1p40

/* Seconds that a credit may take beyond its way there and the data's way back: both wait
 * in queues, and for processors. */
#define CREDIT_DELAY 0.1

/* With fewer a hop would idle while a credit is on its way; more take memory. */
#define LEAST_WINDOW_CHUNKS 4
#define MOST_WINDOW_CHUNKS  512

size_t mtree_chunk_default(size_t length, size_t longest)
{
    size_t pieces = (longest + SMALLEST_CHUNK - 1) / SMALLEST_CHUNK;
    size_t bytes;

    pieces = pieces > CHUNKS_PER_TREE ? CHUNKS_PER_TREE : pieces;
    bytes = pieces == 0 ? length : (length + pieces - 1) / pieces;
    bytes = bytes < SMALLEST_CHUNK ? SMALLEST_CHUNK : bytes;
    return bytes > LARGEST_CHUNK ? LARGEST_CHUNK : bytes;
}

size_t mtree_chunk_units(const mtree_call_t *call, size_t bytes)
{
    if (call->longest_bytes > 0 && bytes > call->longest_bytes) {
        bytes = call->longest_bytes;
    }
    return bytes < call->unit_bytes ? 1 : bytes / call->unit_bytes;
}

double mtree_chunk_outstanding(const mtree_call_t *call, double rate, double latency)
{
    return rate / 8 * (4 * latency + CREDIT_DELAY + call->recovery);
}

size_t mtree_chunk_slots(const mtree_call_t *call, double rate, double latency,
                         size_t chunk)
{
    double chunks = mtree_chunk_outstanding(call, rate, latency) /
                    ((double)chunk * (double)call->unit_bytes);

    if (chunks > MOST_WINDOW_CHUNKS - LEAST_WINDOW_CHUNKS) {
        return MOST_WINDOW_CHUNKS;
    }
    return LEAST_WINDOW_CHUNKS + (size_t)chunks;
}

bool mtree_chunk_slow_start(double trip)
{
    return trip > MTREE_CHUNK_QUEUE_SECONDS - MTREE_CHUNK_PAYLOAD_SECONDS &&
           trip <= MTREE_CHUNK_QUEUE_SECONDS;
}

size_t mtree_chunk_initial_window(double rate, size_t chunk)
{
    return (size_t)fmax(rate / 8 * MTREE_CHUNK_PAYLOAD_SECONDS, (double)chunk + 1);
}

/* What the link holds, and its queue in @a seconds, at least a chunk and a byte: while
 * one chunk is acknowledged another is sent. */
static size_t window_bytes(double rate, double trip, size_t chunk, double seconds)
{
    double link = fmin(rate / 8 * trip, MOST_LINK_BYTES);
    double queue =
        rate > 0 ? fmin(rate / 8 * seconds, MOST_QUEUE_BYTES) : MOST_QUEUE_BYTES;

    return (size_t)(link + fmax(queue, (double)chunk + 1));
}

size_t mtree_chunk_window(double rate, double trip, size_t chunk)
{
    return window_bytes(rate, trip, chunk, MTREE_CHUNK_QUEUE_SECONDS);
}

size_t mtree_chunk_direct_window(double rate, double trip, size_t chunk)
{
    size_t window = window_bytes(rate, trip, chunk, MTREE_CHUNK_PAYLOAD_SECONDS);

    /* A third chunk is let out where the link itself holds one. */
    return window < 3 * chunk ? chunk + 1 : window;
}
