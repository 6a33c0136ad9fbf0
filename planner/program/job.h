/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the builders of planner/program are given: a call, and who takes part in it, as
 * one rank sees it.
 */
#ifndef MTREE_PLANNER_PROGRAM_JOB_H
#define MTREE_PLANNER_PROGRAM_JOB_H

#include "planner/plan/collective.h"
#include "planner/program/program.h"

/* The most dimensions of a torus. */
#define MTREE_SHAPE_DIMENSIONS 6

/* Everything belongs to the caller. */
typedef struct {
    mtree_collective_t collective;
    int root; /* rank, where the collective has one */
    size_t units;
    bool is_exclusive;    /* of a scan: results leave out the rank's own part */
    const size_t *blocks; /* [num_ranks + 1] first unit of each rank's block; NULL: they
                             are equal */
    int num_ranks, num_hosts;
    const int *host;  /* [num_ranks] where a rank runs */
    const int *order; /* [num_hosts] hosts, in the order of the program */
    const int
        *shape; /* [MTREE_SHAPE_DIMENSIONS] sizes of the torus whose points, the last
                   coordinate fastest, are the places; 0 behind the last size */
    const int *leader; /* [num_hosts] the rank that communicates for a host */
    int rank;
    int parent; /* rank above this one on its host; -1: it leads the host */
    int num_children;
    const int *children; /* ranks below this one on its host */
} mtree_program_job_t;

#endif
