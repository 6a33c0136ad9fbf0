/* SPDX-License-Identifier: BSD-3-Clause */
/* Random plans and placements of small jobs, the same for the same seed. */
#ifndef TESTS_UNIT_SCHEDULE_RANDOM_PARTS_H
#define TESTS_UNIT_SCHEDULE_RANDOM_PARTS_H

#include "planner/plan/plan.h"
#include "schedule/placement.h"

#define RANDOM_RANKS 24

/* Begin anew with @a seed. */
void random_seed(unsigned seed);

/* A number from 0 up to but not @a below. */
int random_draw(int below);

/*
 * Random spanning trees with random shares of @a hosts hosts: @a trees of them, or @a
 * trees for each root where the collective has blocks.  They are rooted in @a root; -1:
 * each anywhere.  Those for allreduce have lockstep steps half of the time.
 */
mtree_plan_t *random_plan(mtree_collective_t collective, int root, int hosts, int trees);

/* Make the last @a relays hosts of a plan for allreduce relays, which leave the trees
 * where they would be leaves. */
void random_relays(mtree_plan_t *plan, int relays);

/* Half of the time without knowledge of where in the hosts the ranks are; @a relays are
 * behind the @a hosts. */
mtree_placement_t *random_placement(int hosts, int ranks, int relays);

#endif
