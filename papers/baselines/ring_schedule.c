/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/baselines/ring_schedule.h"

/* A ring within a larger schedule: host(i) = first + i * stride; its chunk c is every
 * piece that is c modulo the ring's length in the range of pieces given. */
typedef struct {
    int length, first, stride;
    bool backwards;
    int first_piece, num_pieces;
    int first_step; /* the step before its first */
} ring_t;

static int modulo(int a, int n)
{
    return (a % n + n) % n;
}

static int host_at(const ring_t *ring, const int *order, int position)
{
    int host = ring->first + modulo(position, ring->length) * ring->stride;

    return order == NULL ? host : order[host];
}

/* Position `position` sends chunk `chunk` onwards. */
static void send_chunk(mtree_rounds_t *schedule, const ring_t *ring, const int *order,
                       int step, int position, int chunk, bool reduce)
{
    int turn = ring->backwards ? -1 : 1;
    int from = host_at(ring, order, turn * position);
    int to = host_at(ring, order, turn * (position + 1));

    for (int piece = modulo(chunk, ring->length); piece < ring->num_pieces;
         piece += ring->length) {
        mtree_rounds_add(schedule, ring->first_step + step, from, to,
                         ring->first_piece + piece, reduce);
    }
}

/* In n - 1 steps chunk p, which starts at position p, becomes complete at p - 1; n - 1
 * more carry it around. */
static void add_ring(mtree_rounds_t *schedule, const ring_t *ring, const int *order)
{
    int n = ring->length;

    for (int step = 1; step < n; step++) {
        for (int i = 0; i < n; i++) {
            send_chunk(schedule, ring, order, step, i, i - step + 1, true);
            send_chunk(schedule, ring, order, n - 1 + step, i, i - step + 2, false);
        }
    }
}

mtree_rounds_t *mtree_ring_schedule(int num_hosts, const int *order)
{
    ring_t ring = {.length = num_hosts, .stride = 1, .num_pieces = num_hosts};
    mtree_rounds_t *schedule = mtree_rounds_create("ring", num_hosts, num_hosts);

    add_ring(schedule, &ring, order);
    return schedule;
}

void mtree_ring_order_grid(int rows, int cols, int *order)
{
    bool by_row = rows % 2 == 0;
    int lines = by_row ? rows : cols, length = by_row ? cols : rows;
    int across = by_row ? 1 : cols, along = by_row ? cols : 1, at = 0;

    /* Back and forth over all but the first of each line, and back along the firsts. */
    for (int line = 0; line < lines; line++) {
        for (int i = 1; i < length; i++) {
            order[at++] = line * along + (line % 2 == 0 ? i : length - i) * across;
        }
    }
    for (int line = lines - 1; line >= 0; line--) {
        order[at++] = line * along;
    }
}

static int common_multiple(int a, int b)
{
    int multiple = a;

    while (multiple % b != 0) {
        multiple += a;
    }
    return multiple;
}

/* The rings of one quarter in one dimension. */
static void add_dimension(mtree_rounds_t *schedule, int rows, int cols, int quarter,
                          bool along_rows, int first_step)
{
    ring_t ring = {.length = along_rows ? cols : rows,
                   .stride = along_rows ? 1 : cols,
                   .backwards = quarter % 2 == 1,
                   .num_pieces = schedule->num_pieces / 4,
                   .first_piece = quarter * (schedule->num_pieces / 4),
                   .first_step = first_step};

    for (int line = 0; line < (along_rows ? rows : cols); line++) {
        ring.first = line * (along_rows ? cols : 1);
        add_ring(schedule, &ring, NULL);
    }
}

mtree_rounds_t *mtree_ring_schedule_2d(int rows, int cols)
{
    int second = 2 * ((rows > cols ? rows : cols) - 1);
    mtree_rounds_t *schedule =
        mtree_rounds_create("2d-ring", rows * cols, 4 * common_multiple(rows, cols));

    for (int quarter = 0; quarter < 4; quarter++) {
        bool rows_first = quarter < 2;

        add_dimension(schedule, rows, cols, quarter, rows_first, 0);
        add_dimension(schedule, rows, cols, quarter, !rows_first, second);
    }
    return schedule;
}
