/* SPDX-License-Identifier: BSD-3-Clause */
/* The figures of papers/hoplite.txt: chains in the order of arrival (Section 4.3,
 * Appendix A). */
#include "papers/figures.h"
#include "papers/hoplite_figures.h"

#include "papers/baselines/chain_times.h"

#include <math.h>
#include <stdlib.h>

#define BANDWIDTH 10e9   /* bits/s (Section 6) */
#define LATENCY   125e-6 /* seconds (Section 6.1) */

/* T1d and T2d of 16 objects, and which the condition takes. */
static mtree_status_t print_times(FILE *out, unsigned seed)
{
    enum { OBJECTS = 16 };

    (void)seed;
    fprintf(out, "KB\tT1d ms\tT2d ms\tchosen ms\n");
    for (double kilobytes = 125; kilobytes <= 16000; kilobytes *= 2) {
        mtree_chains_link_t link = {kilobytes * 1e3, BANDWIDTH, LATENCY};
        double one = 1e3 * mtree_chains_time_1d(OBJECTS, &link);
        double two = 1e3 * mtree_chains_time_2d(OBJECTS, &link);

        fprintf(out, "%g\t%.3f\t%.3f\t%.3f\n", kilobytes, one, two,
                mtree_chains_use_2d(OBJECTS, &link) ? two : one);
    }
    return MTREE_OK;
}

/* The size below which two dimensions win, exactly and by the paper's n B L. */
static mtree_status_t print_switch(FILE *out, unsigned seed)
{
    (void)seed;
    fprintf(out, "objects\tT1d = T2d at KB\tn B L KB\n");
    for (int n = 4; n <= 1024; n *= 4) {
        fprintf(out, "%d\t%.1f\t%.1f\n", n,
                mtree_chains_switch_bytes(n, BANDWIDTH, LATENCY) / 1e3,
                n * BANDWIDTH * LATENCY / 8e3);
    }
    return MTREE_OK;
}

/* The least number of 1 MB objects for which the condition takes two dimensions. */
static mtree_status_t print_condition(FILE *out, unsigned seed)
{
    (void)seed;
    fprintf(out, "MB\tone chain up to objects\n");
    for (double megabytes = 1; megabytes <= 64; megabytes *= 4) {
        mtree_chains_link_t link = {megabytes * 1e6, BANDWIDTH, LATENCY};
        int n = 1;

        while (!mtree_chains_use_2d(n + 1, &link)) {
            n++;
        }
        fprintf(out, "%g\t%d\n", megabytes, n);
    }
    return MTREE_OK;
}

/* The longest path of an object in the chains that are built. */
static mtree_status_t print_depth(FILE *out, unsigned seed)
{
    static const double bytes[] = {64e6, 1e6, 1e5, 1e3};

    (void)seed;
    fprintf(out, "objects\t64 MB\t1 MB\t100 KB\t1 KB\n");
    for (int n = 4; n <= 1024; n *= 4) {
        fprintf(out, "%d", n);
        for (size_t i = 0; i < sizeof(bytes) / sizeof(bytes[0]); i++) {
            mtree_chains_link_t link = {bytes[i], BANDWIDTH, LATENCY};
            int arrivals[1024], parent[1025];
            mtree_status_t status;

            for (int host = 0; host < n; host++) {
                arrivals[host] = host;
            }
            status = mtree_chains_build(arrivals, n, n, &link, parent);
            if (status != MTREE_OK) {
                return status;
            }
            fprintf(out, "\t%d", mtree_chains_depth(parent, n + 1));
        }
        fprintf(out, "\n");
    }
    return MTREE_OK;
}

int main(int argc, char **argv)
{
    static const mtree_figure_t figures[] = {
        {"times", "Appendix A: T1d and T2d of 16 objects against size", print_times},
        {"switch", "Appendix A: where they cross", print_switch},
        {"condition", "Section 6.1: more than how many objects are cut in two dimensions",
         print_condition},
        {"depth", "Section 4.3: length of the chains built", print_depth},
        {"fig6-bcast", "Figure 6: bcast on 16 hosts, simulated",
         hoplite_print_fig6_bcast},
        {"fig6-reduce", "Figure 6: reduce", hoplite_print_fig6_reduce},
        {"fig6-allreduce", "Figure 6: allreduce", hoplite_print_fig6_allreduce},
        {"fig7-bcast", "Figure 7: bcast of 1 GB as hosts come one after another",
         hoplite_print_fig7_bcast},
        {"fig7-reduce", "Figure 7: reduce", hoplite_print_fig7_reduce},
        {"last-bcast", "bcast of 1 GB from the last arrival on, by who comes last",
         hoplite_print_last_bcast},
        {"last-reduce", "the same of reduce", hoplite_print_last_reduce},
        {NULL, NULL, NULL}};

    return mtree_figures_main(argc, argv, figures);
}
