/* SPDX-License-Identifier: BSD-3-Clause */
#include "papers/published/algorithms.h"

#include "papers/published/blink.h"
#include "papers/published/gost.h"
#include "papers/published/lp.h"
#include "papers/published/optree.h"
#include "papers/published/psld_plink.h"
#include "papers/published/steiner.h"
#include "papers/published/topoadopt.h"
#include "planner/algorithms.h"

#define ALLREDUCE MTREE_DOES(MTREE_ALLREDUCE)
#define BLOCKS    (MTREE_DOES(MTREE_ALLGATHER) | MTREE_DOES(MTREE_REDUCE_SCATTER))
#define ROOTED    (MTREE_DOES(MTREE_REDUCE) | MTREE_DOES(MTREE_BCAST))

static const mtree_algorithm_t published[] = {
    {"gost", "GOST of MTREE: spanning trees of bounded height", ALLREDUCE,
     mtree_gost_plan, mtree_lp_is_available, NULL, MTREE_BY_NAME},
    {"blink", "Blink: a packing of spanning trees by multiplicative weights", ALLREDUCE,
     mtree_blink_plan, mtree_lp_is_available, NULL, MTREE_BY_NAME},
    {"topoadopt", "spanning trees by simulated annealing", ALLREDUCE,
     mtree_topoadopt_plan, mtree_lp_is_available, NULL, MTREE_BY_NAME},
    {"psld", "several parameter servers, to which all send", ALLREDUCE, mtree_psld_plan,
     NULL, NULL, MTREE_BY_NAME},
    {"plink", "PLink: groups of hosts, and a level above them", ALLREDUCE,
     mtree_plink_plan, NULL, NULL, MTREE_BY_NAME},
    {"optree", "OpTree: an all-gather in stages on an optical ring", BLOCKS,
     mtree_optree_plan, NULL, mtree_optree_fits, MTREE_BY_NAME},
    {"steiner", "Steiner trees through switches, by an integer program",
     ALLREDUCE | ROOTED, mtree_steiner_plan, mtree_lp_is_available, mtree_steiner_fits,
     MTREE_BY_NAME},
};

void mtree_published_add(void)
{
    mtree_algorithms_add(published, (int)(sizeof(published) / sizeof(published[0])));
}
