/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/chunks.h"

/*
 * Equal numbers of chunks per tree were faster than equal sizes, since the slowest tree
 * ends last.  This number keeps every hop busy.  A message above LARGEST_CHUNK leaves
 * TCP's eager protocol; below SMALLEST_CHUNK the cost of each message on the processors
 * shows (docs/performance.md).
 */
#define CHUNKS_PER_TREE 128
#define LARGEST_CHUNK   32768
#define SMALLEST_CHUNK  16384

/* Chunks in a queue beyond those on the link in a round trip. */
#define QUEUED_CHUNKS 6
/* Bytes of the queue that each peer gets at least, where all peers share it. */
#define LEAST_QUEUE 32768

/* Bytes, for a neighbour on the same host or of unknown rate. */
#define DEFAULT_WINDOW 262144

/* What a link may hold, beyond any that there is. */
#define MOST_LINK_BYTES 0x1p40

/* Seconds that a credit may take beyond the round trip. */
#define CREDIT_DELAY 0.1

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

size_t mtree_chunk_slots(const mtree_call_t *call, double rate, double latency,
                         size_t chunk)
{
    double chunks = rate / 8 * (4 * latency + CREDIT_DELAY + call->recovery) /
                    ((double)chunk * (double)call->unit_bytes);

    if (chunks > MOST_WINDOW_CHUNKS - LEAST_WINDOW_CHUNKS) {
        return MOST_WINDOW_CHUNKS;
    }
    return LEAST_WINDOW_CHUNKS + (size_t)chunks;
}

size_t mtree_chunk_window(double rate, double trip, size_t chunk, int sharers)
{
    double bytes = rate > 0 ? rate / 8 * trip : DEFAULT_WINDOW;
    size_t link = bytes < MOST_LINK_BYTES ? (size_t)bytes : (size_t)MOST_LINK_BYTES;
    size_t queue = QUEUED_CHUNKS * chunk;
    size_t part = queue / (size_t)sharers;

    part = part < LEAST_QUEUE ? LEAST_QUEUE : part;
    return link + (part < queue ? part : queue);
}
