/* SPDX-License-Identifier: BSD-3-Clause */
#include "topo/probe/record.h"

void mtree_probe_log_hosts(FILE *log, const mtree_probe_host_t *hosts, int num_hosts)
{
    for (int i = 0; log != NULL && i < num_hosts; ++i) {
        (void)fprintf(log, "host %s %s %.6g\n", hosts[i].name, hosts[i].address,
                      hosts[i].speed);
    }
}

void mtree_probe_log_address(FILE *log, int host, const char *address)
{
    if (log != NULL) {
        (void)fprintf(log, "address %d %s\n", host, address);
    }
}

void mtree_probe_log_route(FILE *log, int from, int to, const char *const *hops,
                           int num_hops)
{
    if (log == NULL) {
        return;
    }
    (void)fprintf(log, "route %d %d", from, to);
    for (int i = 0; i < num_hops; ++i) {
        (void)fprintf(log, " %s", (hops[i][0] == '\0') ? "-" : hops[i]);
    }
    (void)fputc('\n', log);
}

void mtree_probe_log_round(FILE *log, int number, double seconds, const char *purpose)
{
    if (log != NULL) {
        (void)fprintf(log, "round %d %.6f %s\n", number, seconds, purpose);
    }
}

void mtree_probe_log_set(FILE *log, double begin)
{
    if (log != NULL) {
        (void)fprintf(log, "set %.4f\n", begin);
    }
}

void mtree_probe_log_result(FILE *log, const mtree_probe_experiment_t *experiment,
                            const mtree_probe_result_t *result)
{
    if (log == NULL) {
        return;
    }
    (void)fprintf(log, "%s %d %d",
                  (experiment->kind == MTREE_PROBE_PING) ? "ping" : "stream",
                  experiment->from, experiment->to);
    if (!result->failed && experiment->kind == MTREE_PROBE_PING) {
        (void)fprintf(log, " %.6f %.6f", result->least, result->median);
    }
    for (int i = 0; !result->failed && i < result->num_samples; ++i) {
        (void)fprintf(log, " %.4f %.0f", result->samples[i].seconds,
                      result->samples[i].bytes);
    }
    (void)fputc('\n', log);
}
