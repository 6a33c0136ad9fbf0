/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A relay dials another one by a name that nobody answers for: it goes on, and dials when
 * the name is known.  getaddrinfo() is the test's own.
 */
#define _GNU_SOURCE
#include "base/clock.h"
#include "relay/dialer.h"
#include "relay/lookup.h"
#include "tests/unit/runner.h"

#include <dlfcn.h>
#include <netdb.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_bool is_answered;
static atomic_int num_asked, num_over;

/* It waits for an answer about what is no number. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **found)
{
    int (*own)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    void *symbol = dlsym(RTLD_NEXT, "getaddrinfo");
    int code;

    memcpy(&own, &symbol, sizeof(own));
    num_asked++;
    while (node[0] == 's' && !is_answered) {
        (void)usleep(1000);
    }
    code = own(node[0] == 's' ? "127.0.0.1" : node, service, hints, found);
    num_over++;
    return code;
}

static mtree_relay_dialer_t *dial(const char *address)
{
    const mtree_relay_hello_t hello = {.number = 1};
    const mtree_relay_key_t key = {{0}};
    mtree_relay_dialer_t *dialer = mtree_relay_dialer_create(address, &hello, &key, 0, 9);

    ck_assert_ptr_nonnull(dialer);
    mtree_relay_dialer_aside(dialer);
    is_answered = false;
    num_asked = num_over = 0;
    return dialer;
}

UNIT_TEST(nobody_waits_for_a_name)
{
    mtree_relay_dialer_t *dialer = dial("slow.example:1");

    for (int i = 0; i < 100; i++) {
        ck_assert_int_eq(mtree_relay_dialer_poll(dialer, 1), 0);
    }
    ck_assert_int_eq(num_over, 0);
    ck_assert_int_eq(mtree_relay_dialer_poll(dialer, 10), -1);
    ck_assert_str_eq(mtree_relay_dialer_reason(dialer), "its address is not known");
    /* Whoever looks up outlives the dialer. */
    mtree_relay_dialer_destroy(dialer);
    is_answered = true;
    while (num_over < num_asked) {
        (void)usleep(1000);
    }
}

UNIT_TEST(a_name_that_is_known_is_dialed)
{
    mtree_relay_dialer_t *dialer = dial("slow.example,[::1]:1");

    ck_assert_int_eq(mtree_relay_dialer_poll(dialer, 1), 0);
    is_answered = true;
    while (strcmp(mtree_relay_dialer_reason(dialer), "it does not answer") != 0) {
        ck_assert_int_eq(mtree_relay_dialer_poll(dialer, 1), 0);
    }
    ck_assert_int_eq(num_asked, 2);
    mtree_relay_dialer_destroy(dialer);
}

UNIT_LOOP(what_is_no_address_is_not_dialed, 0, 5)
{
    static const char *const addresses[] = {"slow.example", ":1", "127.0.0.1:x",
                                            "127.0.0.1:70000", ""};
    mtree_relay_found_t found;

    mtree_relay_look_up(addresses[_i], &found);
    ck_assert_int_eq(found.count, 0);
}
