/* SPDX-License-Identifier: BSD-3-Clause */
/* When a probe counts as one under load. */
#include "tests/unit/runner.h"
#include "topo/probe/probe.h"

#include <time.h>

UNIT_TEST(test_reasons)
{
    static const struct {
        double seconds;
        mtree_pressure_t worst;
        int num_repeated, num_unsteady;
        const char *reason;
    } cases[] = {
        {9, {0, 0}, 0, 0, NULL},
        {9, {0.8, 0.4}, 40, 20, NULL},
        {9, {1.0, 0}, 0, 0, "a host had no processor free"},
        {0.5, {0.06, 0}, 0, 0, "a host had no processor free"},
        {9, {0, 0.5}, 0, 0, "a hypervisor took a host's processors"},
        {9, {0, 0}, 40, 21, "repeated measurements differ"},
        {9, {0, 0}, 4, 3, "repeated measurements differ"},
        {9, {0, 0}, 3, 3, NULL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const mtree_probe_findings_t findings = {.num_repeated = cases[i].num_repeated,
                                                 .num_unsteady = cases[i].num_unsteady};
        const char *reason =
            mtree_probe_load_reason(&findings, cases[i].seconds, &cases[i].worst);

        ck_assert_int_eq(reason == NULL, cases[i].reason == NULL);
        if (reason != NULL) {
            ck_assert_str_eq(reason, cases[i].reason);
        }
    }
}

/* What the system counts never falls. */
UNIT_TEST(test_pressure)
{
    mtree_pressure_t before, after;
    clock_t until = clock() + CLOCKS_PER_SEC / 20;

    mtree_pressure_read(&before);
    while (clock() < until) {}
    mtree_pressure_read(&after);
    ck_assert_double_ge(before.waited, 0);
    ck_assert_double_ge(after.waited, before.waited);
    ck_assert_double_ge(after.stolen, before.stolen);
}
