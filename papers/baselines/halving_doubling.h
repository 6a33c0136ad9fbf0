/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Halving-doubling allreduce as a step schedule, and its rank mapping: the baseline HDRM
 * of papers/multitree.txt.
 */
#ifndef MTREE_PAPERS_BASELINES_HALVING_DOUBLING_H
#define MTREE_PAPERS_BASELINES_HALVING_DOUBLING_H

#include "papers/baselines/rounds.h"

/*
 * Recursive halving, then doubling: 2 log2(n) steps.  @a host_of maps ranks to host
 * numbers; NULL: the same. MTREE_ERR_UNSUPPORTED (logged) when @a num_hosts is not a
 * power of two.
 */
mtree_status_t mtree_halving_doubling_schedule(int num_hosts, const int *host_of,
                                               mtree_rounds_t **schedule_p);

/*
 * The rank mapping for a BiGraph: every lower switch joined to every upper one, hosts
 * numbered switch by switch, the lower side's @a num_hosts / 2 first, @a per_switch on
 * each.  Partners always sit on different sides.  Ranks with an even number of ones go
 * below: those of a switch differ by members of one linear space, those of an upper
 * switch by members of another.  When the two spaces meet in zero only, the partners of a
 * switch's hosts sit on as many switches, and no link carries two messages in a step.
 * Both numbers must be powers of two. MTREE_ERR_UNSUPPORTED (logged) otherwise.
 */
mtree_status_t mtree_halving_doubling_map_bigraph(int num_hosts, int per_switch,
                                                  int *host_of);

#endif
