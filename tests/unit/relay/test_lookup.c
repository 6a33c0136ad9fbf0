/* SPDX-License-Identifier: BSD-3-Clause */
/* Addresses of relays are read, and written as numbers. */
#include "relay/dialer.h"
#include "tests/unit/runner.h"

UNIT_LOOP(what_is_no_address_is_not_dialed, 0, 6)
{
    static const char *const texts[] = {"127.0.0.1",       ":1", "127.0.0.1:x",
                                        "127.0.0.1:70000", "",   "localhost:1"};
    mtree_relay_found_t found;
    char text[MTREE_RELAY_ADDRESS];

    mtree_relay_look_up(texts[_i], false, &found);
    ck_assert_int_eq(found.count, 0);
    mtree_relay_found_write(&found, text);
    ck_assert_str_eq(text, "");
}

UNIT_LOOP(addresses_are_written_as_numbers, 0, 3)
{
    static const char *const texts[] = {"localhost:7", "10.0.0.3:7471",
                                        "10.0.0.3,[fe00::1],10.0.0.4:1"};
    mtree_relay_found_t found, again;
    char text[MTREE_RELAY_ADDRESS];

    mtree_relay_look_up(texts[_i], true, &found);
    mtree_relay_found_write(&found, text);
    mtree_relay_look_up(text, false, &again);
    ck_assert_int_ge(again.count, 1);
    ck_assert_mem_eq(&again, &found, sizeof(found));
    ck_assert(_i == 0 || strcmp(text, texts[_i]) == 0);
}
