/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/units.h"

#include <check.h>
#include <locale.h>
#include <stdlib.h>

START_TEST(test_rates)
{
    static const struct {
        const char *text;
        double rate;
    } cases[] = {
        {"200Mbps", 200e6}, {"25GBps", 200e9},    {"1.5 Gbps", 1.5e9}, {"7bps", 7},
        {"3kBps", 24e3},    {"0bps", 0},          {"2e3kbps", 2e6},    {" 4Tbps", 4e12},
        {".5Mbps", 5e5},    {"9920Mbps", 9.92e9},
    };
    const char *why;
    double rate;
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        ck_assert_int_eq(mtree_units_parse_rate(cases[i].text, &rate, &why), MTREE_OK);
        ck_assert_double_eq(rate, cases[i].rate);
    }
}
END_TEST

START_TEST(test_bad_rates)
{
    static const struct {
        const char *text, *why;
    } cases[] = {
        {"", "not a number"},
        {"fast", "not a number"},
        {"-1Mbps", "must not be negative"},
        {"200", "no unit"},
        {"200Mps", "unknown unit"},
        {"200Mbps/s", "unknown unit"},
        {"0x10bps", "unknown unit"},
        {"infbps", "not a number"},
        {"nanbps", "not a number"},
        {"1e308Tbps", "too large"},
        {"1e999bps", "not a number"},
        {"1,5Mbps", "unknown unit"},
        {"5ms", "unknown unit"},
    };
    const char *why;
    double rate = -7;
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        ck_assert_int_eq(mtree_units_parse_rate(cases[i].text, &rate, &why),
                         MTREE_ERR_INVALID);
        ck_assert_str_eq(why, cases[i].why);
        ck_assert_double_eq(rate, -7);
    }
}
END_TEST

START_TEST(test_times_and_sizes)
{
    const char *why;
    double seconds;
    size_t bytes;

    ck_assert_int_eq(mtree_units_parse_time("38ms", &seconds, &why), MTREE_OK);
    ck_assert_double_eq(seconds, 0.038);
    ck_assert_int_eq(mtree_units_parse_time("0.5us", &seconds, &why), MTREE_OK);
    ck_assert_double_eq(seconds, 0.5e-6);
    ck_assert_int_eq(mtree_units_parse_time("0s", &seconds, &why), MTREE_OK);
    ck_assert_double_eq(seconds, 0);
    ck_assert_int_eq(mtree_units_parse_time("38", &seconds, &why), MTREE_ERR_INVALID);
    ck_assert_int_eq(mtree_units_parse_size("16M", &bytes, &why), MTREE_OK);
    ck_assert_uint_eq(bytes, 16u << 20);
    ck_assert_int_eq(mtree_units_parse_size("16MB", &bytes, &why), MTREE_OK);
    ck_assert_uint_eq(bytes, 16u << 20);
    ck_assert_int_eq(mtree_units_parse_size("1.5KiB", &bytes, &why), MTREE_OK);
    ck_assert_uint_eq(bytes, 1536);
    ck_assert_int_eq(mtree_units_parse_size("8", &bytes, &why), MTREE_OK);
    ck_assert_uint_eq(bytes, 8);
    ck_assert_int_eq(mtree_units_parse_size("1e30", &bytes, &why), MTREE_ERR_INVALID);
    ck_assert_str_eq(why, "too large");
}
END_TEST

START_TEST(test_formats)
{
    char text[MTREE_UNITS_LENGTH];

    ck_assert_str_eq(mtree_units_format_rate(66.7e6, text, sizeof(text)), "66.7 Mb/s");
    ck_assert_str_eq(mtree_units_format_rate(1e9, text, sizeof(text)), "1 Gb/s");
    ck_assert_str_eq(mtree_units_format_rate(999.96e6, text, sizeof(text)), "1.00 Gb/s");
    ck_assert_str_eq(mtree_units_format_rate(29999999.999999955, text, sizeof(text)),
                     "30 Mb/s");
    ck_assert_str_eq(mtree_units_format_rate(30.01e6, text, sizeof(text)), "30.0 Mb/s");
    ck_assert_str_eq(mtree_units_format_time(0.038, text, sizeof(text)), "38 ms");
    ck_assert_str_eq(mtree_units_format_time(0.21251, text, sizeof(text)), "213 ms");
    ck_assert_str_eq(mtree_units_format_size(16 << 20, text, sizeof(text)), "16 MB");
}
END_TEST

START_TEST(test_write_reads_back)
{
    static const double values[] = {0.1,       1.0 / 3,    200e6,   66.7e6,
                                    1,         12345678.9, 9.92e9,  1e-9,
                                    0.0006618, 0.038,      1.7e300, 0.21176470588235294};
    char text[MTREE_UNITS_LENGTH];
    const char *why, *end;
    double back;
    size_t i;

    for (i = 0; i < sizeof(values) / sizeof(values[0]); ++i) {
        mtree_units_write_rate(values[i], text);
        ck_assert_int_eq(mtree_units_parse_rate(text, &back, &why), MTREE_OK);
        ck_assert(back == values[i]);
        mtree_units_write_time(values[i], text);
        ck_assert_int_eq(mtree_units_parse_time(text, &back, &why), MTREE_OK);
        ck_assert(back == values[i]);
        mtree_units_write_number(-values[i], text);
        ck_assert_int_eq(mtree_units_parse_number(text, &back, &end), MTREE_OK);
        ck_assert(back == -values[i]);
    }
    ck_assert_str_eq(mtree_units_write_rate(66.7e6, text), "66.7Mbps");
    ck_assert_str_eq(mtree_units_write_time(0.0006618, text), "0.6618ms");
}
END_TEST

START_TEST(test_locale_does_not_matter)
{
    char text[MTREE_UNITS_LENGTH];
    const char *why;
    double rate;

    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        return; /* not installed here */
    }
    ck_assert_int_eq(mtree_units_parse_rate("1.5Gbps", &rate, &why), MTREE_OK);
    ck_assert_double_eq(rate, 1.5e9);
    ck_assert_str_eq(mtree_units_write_rate(1.5e9, text), "1.5Gbps");
}
END_TEST

/* Every status has words of its own, and what is none has some too. */
START_TEST(test_status_words)
{
    int status, other;

    for (status = MTREE_OK; status >= MTREE_ERR_CANCELLED; status--) {
        ck_assert_str_ne(mtree_status_string((mtree_status_t)status), "unknown status");
        for (other = status + 1; other <= MTREE_OK; other++) {
            ck_assert_str_ne(mtree_status_string((mtree_status_t)status),
                             mtree_status_string((mtree_status_t)other));
        }
    }
    ck_assert_str_eq(mtree_status_string((mtree_status_t)status), "unknown status");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("units");
    TCase *tcase = tcase_create("units");
    SRunner *runner;
    int failed;

    tcase_add_test(tcase, test_rates);
    tcase_add_test(tcase, test_bad_rates);
    tcase_add_test(tcase, test_times_and_sizes);
    tcase_add_test(tcase, test_formats);
    tcase_add_test(tcase, test_write_reads_back);
    tcase_add_test(tcase, test_locale_does_not_matter);
    tcase_add_test(tcase, test_status_words);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return (failed == 0) ? EXIT_SUCCESS : EXIT_FAILURE;
}
