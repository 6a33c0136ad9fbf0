/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What topo/host/machine.c and its neighbours see of machines that hwloc recorded
 * (tests/fixtures/machines).
 */
#include "tests/unit/owned.h"
#include "tests/unit/runner.h"
#include "topo/host/interface.h"
#include "topo/host/machine.h"

OWNED_TYPE(machine)

#define LENGTH(_array) (int)(sizeof(_array) / sizeof((_array)[0]))

static mtree_machine_t *load(const char *name)
{
    mtree_machine_t *machine = NULL;
    char path[512];

    snprintf(path, sizeof(path), FIXTURES "/machines/%s.xml", name);
    unit_ok(mtree_machine_load(path, &machine));
    return machine;
}

static const struct {
    const char *machine;
    int cores, core;
    mtree_locality_t place; /* of that core */
} places[] = {
    {"24em64t-2n6c2t-pci", 12, 0, {0, 0, -1, 0, 0, MTREE_NEAR_NUMA}},
    {"24em64t-2n6c2t-pci", 12, 6, {1, 1, -1, 6, 0, MTREE_NEAR_HOST}},
    {"32em64t-2n8c2t-pci-normalio", 16, 7, {0, 0, -1, 7, 0, MTREE_NEAR_HOST}},
    {"32em64t-2n8c2t-pci-normalio", 16, 8, {1, 1, -1, 8, 0, MTREE_NEAR_NUMA}},
    /* Packages inside NUMA nodes, caches that two cores share. */
    {"96em64t-4n4d3ca2co-pci", 96, 50, {8, 2, 25, 50, 1, MTREE_NEAR_NUMA}},
    {"AMD-17h-Zen-2xEpyc-7451", 48, 23, {0, 3, 7, 23, 0, MTREE_NEAR_HOST}},
    {"AMD-17h-Zen-2xEpyc-7451", 48, 24, {1, 4, 8, 24, 0, MTREE_NEAR_HOST}},
    /* Two NUMA nodes on the same cores count as the first. */
    {"64intel64-fakeKNL-SNC4-hybrid", 16, 1, {0, 0, 0, 1, 0, MTREE_NEAR_HOST}},
    {"64intel64-fakeKNL-SNC4-hybrid", 16, 15, {0, 6, 7, 15, 0, MTREE_NEAR_HOST}},
    {"nvidia-dgx-gb10", 20, 9, {0, 0, 0, 9, 0, MTREE_NEAR_HOST}},
    {"nvidia-dgx-gb10", 20, 10, {0, 0, 1, 10, 0, MTREE_NEAR_HOST}},
};

UNIT_LOOP(test_places, 0, LENGTH(places))
{
    OWNED(machine) *machine = load(places[_i].machine);
    mtree_locality_t place = mtree_machine_locate_core(machine, places[_i].core);
    UNIT_FREED mtree_nic_t *nics = NULL;
    int num;

    ck_assert_int_eq(mtree_machine_num_cores(machine), places[_i].cores);
    nics = mtree_machine_nics(machine, &num);
    ck_assert_int_eq(place.near, MTREE_NEAR_HOST);
    mtree_locality_measure(&place, nics, num);
    ck_assert_mem_eq(&place, &places[_i].place, sizeof(place));
}

UNIT_TEST(test_nowhere)
{
    OWNED(machine) *machine = load("24em64t-2n6c2t-pci");
    mtree_locality_t unknown = mtree_locality_unknown();
    mtree_locality_t place = mtree_machine_locate_core(machine, 12);

    ck_assert_mem_eq(&place, &unknown, sizeof(place));
    ck_assert(!mtree_locality_is_known(&place));
    /* This process is bound to nothing there. */
    place = mtree_machine_locate_self(machine);
    ck_assert(!mtree_locality_is_known(&place));
}

UNIT_TEST(test_order)
{
    OWNED(machine) *machine = load("96em64t-4n4d3ca2co-pci");
    mtree_locality_t last = mtree_locality_unknown();

    for (int core = 0; core < mtree_machine_num_cores(machine); core++) {
        mtree_locality_t place = mtree_machine_locate_core(machine, core);

        ck_assert_int_lt(mtree_locality_compare(&last, &place), 0);
        ck_assert_int_gt(mtree_locality_compare(&place, &last), 0);
        ck_assert_int_eq(mtree_locality_compare(&place, &place), 0);
        /* The widest part is the NUMA node of 24 cores, then the package of 6. */
        ck_assert_int_eq(mtree_locality_part(&place, 0), core / 24);
        ck_assert_int_eq(mtree_locality_part(&place, 1), core / 6);
        ck_assert_int_eq(mtree_locality_part(&place, 2), core / 2);
        ck_assert_int_eq(mtree_locality_part(&place, 3), core);
        last = place;
    }
}

UNIT_TEST(test_nics)
{
    OWNED(machine) *machine = load("24em64t-2n6c2t-pci");
    int num;
    UNIT_FREED mtree_nic_t *nics = mtree_machine_nics(machine, &num);

    ck_assert_int_eq(num, 5);
    ck_assert_str_eq(nics[0].name, "eth0");
    ck_assert_int_eq(nics[0].kind, MTREE_NIC_NETWORK);
    ck_assert_int_eq(nics[0].package, 0);
    ck_assert_int_eq(nics[0].numa, 0);
    ck_assert_double_eq_tol(nics[0].speed, 1.6e9, 1e3);
    ck_assert_str_eq(nics[4].name, "mlx4_0");
    ck_assert_int_eq(nics[4].kind, MTREE_NIC_FABRIC);
    mtree_nics_keep_kind(nics, &num, MTREE_NIC_NETWORK);
    ck_assert_int_eq(num, 4);
    /* eth2 and ib0 sit in slots ten times as fast as the others'. */
    for (int i = 0; i < num; i++) {
        bool is_fast = nics[i].speed > 8e9;

        ck_assert_int_eq(is_fast, strcmp(nics[i].name, "eth2") == 0 ||
                                      strcmp(nics[i].name, "ib0") == 0);
    }
}

/* Of eth1, the fastest, it is not known where it is, and of eth3 how fast it is. */
static const mtree_nic_t some_nics[] = {{"eth0", MTREE_NIC_NETWORK, 0, 0, 10e9},
                                        {"eth1", MTREE_NIC_NETWORK, -1, -1, 20e9},
                                        {"eth2", MTREE_NIC_NETWORK, 1, -1, 9e9},
                                        {"eth3", MTREE_NIC_NETWORK, -1, 1, 0},
                                        {"eth4", MTREE_NIC_NETWORK, -1, 1, 40e9},
                                        {.package = 1, .numa = 4},
                                        {.package = 0, .numa = -1}};

static const struct {
    int16_t package, numa;
    int first, count; /* of the interfaces above */
    int near;
} distances[] = {
    {1, 5, 5, 2, MTREE_NEAR_PACKAGE}, {1, 4, 5, 2, MTREE_NEAR_NUMA},
    {0, 2, 5, 1, MTREE_NEAR_HOST},    {0, 2, 5, 2, MTREE_NEAR_NUMA},
    {0, 2, 5, 0, MTREE_NEAR_HOST},    {0, 0, 0, 3, MTREE_NEAR_NUMA},
    {1, 1, 0, 3, MTREE_NEAR_HOST}, /* eth2 is less than half as fast */
    {1, 1, 3, 1, MTREE_NEAR_NUMA},    {0, 0, 3, 2, MTREE_NEAR_HOST},
    {1, 1, 3, 2, MTREE_NEAR_NUMA},
};

UNIT_EACH(test_distance, distances)
{
    mtree_locality_t place = mtree_locality_unknown();

    place.package = distances[_i].package;
    place.numa = distances[_i].numa;
    mtree_locality_measure(&place, some_nics + distances[_i].first, distances[_i].count);
    ck_assert_int_eq(place.near, distances[_i].near);
}

static const struct {
    const char *list;
    bool listed; /* eth1 with the address 10.1.2.3 */
} lists[] = {
    {"eth1", true},
    {"eth0,eth1", true},
    {"eth0,eth11", false},
    {"eth", false},
    {"", false},
    {",,eth1", true},
    {"10.1.2.3/32", true},
    {"10.1.2.4/32", false},
    {"10.1.2.4/31", false},
    {"10.1.2.2/31", true},
    {"10.1.0.0/16", true},
    {"10.2.0.0/16,10.0.0.0/8", true},
    {"0.0.0.0/0", true},
    {"10.1.2.3", false},
    {"10.1.2.3/33", false},
    {"10.1.2.3/", false},
    {"10.1.2.3/8x", false},
    {"10.1/16", false},
};

UNIT_LOOP(test_lists, 0, LENGTH(lists))
{
    mtree_address_t address = mtree_address_parse("10.1.2.3");
    mtree_address_t none = mtree_address_parse("");
    mtree_address_t long_one = mtree_address_parse("fd00:1::5");

    ck_assert_int_eq(mtree_interface_is_listed("eth1", &address, lists[_i].list),
                     lists[_i].listed);
    if (strchr(lists[_i].list, '/') != NULL) {
        ck_assert(!mtree_interface_is_listed("eth1", &none, lists[_i].list));
    }
    ck_assert(mtree_interface_is_listed("eth1", &long_one, "fd00:1::/32"));
    ck_assert(mtree_interface_is_listed("eth1", &long_one, "fd00:1::4/127"));
    ck_assert(!mtree_interface_is_listed("eth1", &long_one, "fd00:1::4/128,0.0.0.0/0"));
}

/* Every system that runs tests has lo, up, at 127.0.0.1. */
UNIT_TEST(test_tcp)
{
    const mtree_nic_t both[] = {{.name = "none0"}, {.name = "lo"}};
    static const struct {
        const char *include, *exclude;
        int kept;
    } cases[] = {{NULL, NULL, 0},          {"", "lo", 0},           {"lo", "lo", 1},
                 {"127.0.0.0/8", NULL, 1}, {NULL, "10.0.0.0/8", 0}, {"none0", NULL, 0}};

    for (int i = 0; i < LENGTH(cases); i++) {
        mtree_nic_t nics[LENGTH(both)];
        int num = LENGTH(both);

        memcpy(nics, both, sizeof(both));
        mtree_nics_keep_tcp(nics, &num, cases[i].include, cases[i].exclude);
        ck_assert_int_eq(num, cases[i].kept);
        ck_assert(num == 0 || strcmp(nics[0].name, "lo") == 0);
    }
    ck_assert_double_eq(mtree_nic_read_speed("none0", MTREE_NIC_NETWORK), 0);
}

/* What this system has besides is excluded by its name. */
UNIT_TEST(test_excluded)
{
    mtree_interface_t all[MTREE_HOST_INTERFACES], others[MTREE_HOST_INTERFACES];
    const int count = mtree_interfaces_list(all, NULL, NULL);

    for (int i = 0; i < count; i++) {
        const int left = mtree_interfaces_list(others, NULL, all[i].name);

        ck_assert_int_lt(left, count);
        for (int j = 0; j < left; j++) {
            ck_assert_str_ne(others[j].name, all[i].name);
        }
        ck_assert_int_eq(mtree_interfaces_list(others, all[i].name, all[i].name),
                         count - left);
    }
}

UNIT_TEST(test_this_machine)
{
    OWNED(machine) *machine = NULL;
    UNIT_FREED mtree_nic_t *nics = NULL;
    int num;

    unit_ok(mtree_machine_load(NULL, &machine));
    ck_assert_int_ge(mtree_machine_num_cores(machine), 1);
    nics = mtree_machine_nics(machine, &num);
    ck_assert_int_ge(mtree_machine_locate_core(machine, 0).core, 0);
}

UNIT_TEST(test_bad_files)
{
    mtree_machine_t *machine = NULL;

    ck_assert_int_eq(mtree_machine_load(FIXTURES "/machines/none.xml", &machine),
                     MTREE_ERR_IO);
    heard_only("/none.xml: hwloc cannot read it (No such file or directory); give it a "
               "file");
    ck_assert_int_eq(mtree_machine_load(FIXTURES "/machines/SOURCE.txt", &machine),
                     MTREE_ERR_IO);
    ck_assert_int_eq(heard_lines(), 2);
    ck_assert_ptr_null(machine);
    ck_assert_int_eq(mtree_machine_borrow(NULL, &machine), MTREE_ERR_UNSUPPORTED);
    ck_assert_int_eq(heard_lines(), 2);
}
