/* SPDX-License-Identifier: BSD-3-Clause */
/* How many connections a process may open, and what it sets its limit to. */
#include "coll_mtree/tcp/descriptors.h"
#include "tests/unit/runner.h"

#include <limits.h>

UNIT_TEST(connections_share_what_is_left)
{
    static const struct {
        coll_mtree_descriptors_facts_t facts;
        long limit;
        int connections;
    } cases[] = {/* There is enough: nothing is changed. */
                 {{1024, 524288, 17, 11, 1, 8}, 1024, 8},
                 {{1024, 1024, 17, 11, 1, 8}, 1024, 8},
                 {{LONG_MAX, LONG_MAX, 17, 4095, 4, 16}, LONG_MAX, 16},
                 /* The limit is raised, by what is needed, with room for the program. */
                 {{1024, 524288, 17, 120, 1, 8}, 17 + 2 + 120 * 9 + 256, 8},
                 {{64, 1024, 17, 11, 1, 2}, 17 + 2 + 11 * 3 + 256, 2},
                 {{1024, LONG_MAX, 30, 4095, 1, 2}, 30 + 2 + 4095 * 3 + 256, 2},
                 /* As far as it goes: fewer connections. */
                 {{64, 64, 17, 11, 1, 8}, 64, 1},
                 {{64, 64, 17, 11, 1, 2}, 64, 1},
                 {{64, 100, 17, 11, 1, 8}, 100, 4},
                 {{1024, 1024, 17, 120, 1, 8}, 1024, 7},
                 {{1024, 4096, 17, 1000, 1, 8}, 4096, 3},
                 /* None are left, not even for Open MPI's own. */
                 {{64, 64, 40, 11, 1, 2}, 64, 0},
                 {{64, 64, 17, 11, 4, 2}, 64, 0},
                 {{1024, 1024, 17, 4095, 1, 2}, 1024, 0},
                 {{20, 20, 17, 11, 1, 2}, 20, 0},
                 /* There is nobody to connect to. */
                 {{64, 64, 60, 0, 1, 8}, 64, 8},
                 {{64, 64, 17, 11, 1, 0}, 64, 0}};

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        coll_mtree_descriptors_t share = coll_mtree_descriptors_share(&cases[i].facts);

        ck_assert_msg(share.limit == cases[i].limit, "case %zu: %ld", i, share.limit);
        ck_assert_msg(share.connections == cases[i].connections, "case %zu: %d", i,
                      share.connections);
    }
}

/* Whatever the facts are: no more than the hard limit, and room is left. */
UNIT_TEST(no_limit_is_passed)
{
    coll_mtree_descriptors_facts_t facts = {.openmpi = 2};

    for (facts.peers = 1; facts.peers < 300; facts.peers += 37) {
        for (facts.hard = 16; facts.hard < 5000; facts.hard += 101) {
            for (facts.wanted = 1; facts.wanted <= 16; facts.wanted *= 2) {
                coll_mtree_descriptors_t share;
                long used;

                facts.soft = facts.hard / 2;
                facts.open = (int)(facts.hard % 41);
                share = coll_mtree_descriptors_share(&facts);
                used = facts.open + 2L * facts.peers + share.connections * facts.peers;
                ck_assert_int_le(share.limit, facts.hard);
                ck_assert_int_ge(share.limit, facts.soft);
                ck_assert_int_ge(share.connections, 0);
                ck_assert_int_le(share.connections, facts.wanted);
                ck_assert(share.connections == 0 || used + 16 <= share.limit);
            }
        }
    }
}
