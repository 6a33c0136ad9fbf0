/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/units.h"
#include "tests/unit/runner.h"

#include <locale.h>

static const struct {
    const char *text;
    double rate;
} rates[] = {
    {"200Mbps", 200e6}, {"25GBps", 200e9},    {"1.5 Gbps", 1.5e9}, {"7bps", 7},
    {"3kBps", 24e3},    {"0bps", 0},          {"2e3kbps", 2e6},    {" 4Tbps", 4e12},
    {".5Mbps", 5e5},    {"9920Mbps", 9.92e9}, {"500 Mb/s", 5e8},   {"500Mbit", 5e8},
    {"500mbps", 5e8},   {"10 GBit/s", 1e10},  {"10GBIT", 1e10},    {"2Gbits/s", 2e9},
    {"5 MB/s", 40e6},   {"5mBps", 40e6},      {"7bit", 7},         {"1TBps", 8e12},
};

UNIT_EACH(test_rates, rates)
{
    const char *why;
    double rate;

    unit_ok(mtree_units_parse_rate(rates[_i].text, &rate, &why));
    ck_assert_double_eq(rate, rates[_i].rate);
}

#define ALLOWED                                                                          \
    " (allowed: bps, kbps, Mbps, Gbps, Tbps, also Mb/s and Mbit; MBps or MB/s for "      \
    "bytes)"

static const struct {
    const char *text, *why;
} bad_rates[] = {
    {"", "not a number"},
    {"fast", "not a number"},
    {"-1Mbps", "must not be negative"},
    {"200", "no unit" ALLOWED},
    {"200Mps", "unknown unit" ALLOWED},
    {"200Mbps/s", "unknown unit" ALLOWED},
    {"200MBPS", "unknown unit" ALLOWED}, /* bits or bytes? */
    {"200Mib", "unknown unit" ALLOWED},
    {"200m", "unknown unit" ALLOWED},
    {"0x10bps", "unknown unit" ALLOWED},
    {"infbps", "not a number"},
    {"nanbps", "not a number"},
    {"1e308Tbps", "too large"},
    {"1e18Tbps", "too large"},
    {"1.1e18bps", "too large"},
    {"1e999bps", "not a number"},
    {"1,5Mbps", "unknown unit" ALLOWED},
    {"5ms", "unknown unit" ALLOWED},
};

UNIT_EACH(test_bad_rates, bad_rates)
{
    const char *why;
    double rate = -7;

    unit_invalid(mtree_units_parse_rate(bad_rates[_i].text, &rate, &why));
    ck_assert_str_eq(why, bad_rates[_i].why);
    ck_assert_double_eq(rate, -7);
}

UNIT_TEST(test_times_and_sizes)
{
    const char *why;
    double seconds;
    size_t bytes;

    unit_ok(mtree_units_parse_time("38ms", &seconds, &why));
    ck_assert_double_eq(seconds, 0.038);
    unit_ok(mtree_units_parse_time("0.5us", &seconds, &why));
    ck_assert_double_eq(seconds, 0.5e-6);
    unit_ok(mtree_units_parse_time("0s", &seconds, &why));
    ck_assert_double_eq(seconds, 0);
    unit_ok(mtree_units_parse_time("2 MS", &seconds, &why));
    ck_assert_double_eq(seconds, 0.002);
    unit_invalid(mtree_units_parse_time("38", &seconds, &why));
    ck_assert_str_eq(why, "no unit (allowed: us, ms, s)");
    unit_ok(mtree_units_parse_size("16M", &bytes, &why));
    ck_assert_uint_eq(bytes, 16u << 20);
    unit_ok(mtree_units_parse_size("16MB", &bytes, &why));
    ck_assert_uint_eq(bytes, 16u << 20);
    unit_ok(mtree_units_parse_size("1.5KiB", &bytes, &why));
    ck_assert_uint_eq(bytes, 1536);
    unit_ok(mtree_units_parse_size("8", &bytes, &why));
    ck_assert_uint_eq(bytes, 8);
    unit_ok(mtree_units_parse_size("2 tb", &bytes, &why));
    ck_assert_uint_eq(bytes, 2ull << 40);
    unit_invalid(mtree_units_parse_size("8iB", &bytes, &why));
    ck_assert_str_eq(why, "unknown unit (allowed: B, KB, MB, GB, TB, also K and KiB, all "
                          "powers of 1024)");
    unit_invalid(mtree_units_parse_size("1e30", &bytes, &why));
    ck_assert_str_eq(why, "too large");
}

UNIT_TEST(test_formats)
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

/* What is written for people is a quantity for the parsers. */
static const double values[] = {3, 4.56e3, 78.9e6, 500e6, 1e9, 9.99e12};

UNIT_EACH(test_formats_read_back, values)
{
    char text[MTREE_UNITS_LENGTH];
    const char *why;
    double back;
    size_t bytes;

    mtree_units_format_rate(values[_i], text, sizeof(text));
    unit_ok(mtree_units_parse_rate(text, &back, &why));
    ck_assert_double_eq(back, values[_i]);
    mtree_units_format_time(values[_i] / 1e6, text, sizeof(text));
    unit_ok(mtree_units_parse_time(text, &back, &why));
    mtree_units_format_size(values[_i], text, sizeof(text));
    unit_ok(mtree_units_parse_size(text, &bytes, &why));
}

UNIT_TEST(test_round)
{
    const struct {
        double value;
        const char *rate;
    } cases[] = {{396266896.91380759, "396Mbps"},
                 {1e9, "1Gbps"},
                 {0, "0Tbps"},
                 {99.96, "100bps"},
                 {7.1249, "7.12bps"},
                 {1234567, "1.23Mbps"},
                 {38499999.9, "38.5Mbps"}};
    char text[MTREE_UNITS_LENGTH];

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); ++i) {
        mtree_units_write_rate(mtree_units_round(cases[i].value), text);
        ck_assert_str_eq(text, cases[i].rate);
    }
    for (int digits = 100; digits < 1000; ++digits) {
        for (int power = 0; power < 9; ++power) {
            const double rate = mtree_units_round(digits * pow(10, power));
            const double seconds = mtree_units_round(digits * pow(10, power - 10));

            mtree_units_write_rate(rate, text);
            ck_assert_msg(strlen(text) <= 10, "%g bits/s is %s", rate, text);
            mtree_units_write_time(seconds, text);
            ck_assert_msg(strlen(text) <= 10, "%g s is %s", seconds, text);
        }
    }
    ck_assert_str_eq(mtree_units_write_time(mtree_units_round(0.00032678123), text),
                     "327us");
}

UNIT_TEST(test_write_reads_back)
{
    static const double values[] = {0.1,       1.0 / 3,    200e6,  66.7e6,
                                    1,         12345678.9, 9.92e9, 1e-9,
                                    0.0006618, 0.038,      1.7e17, 0.21176470588235294};
    char text[MTREE_UNITS_LENGTH];
    const char *why, *end;
    double back;

    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); ++i) {
        mtree_units_write_rate(values[i], text);
        unit_ok(mtree_units_parse_rate(text, &back, &why));
        ck_assert(back == values[i]);
        mtree_units_write_time(values[i], text);
        unit_ok(mtree_units_parse_time(text, &back, &why));
        ck_assert(back == values[i]);
        mtree_units_write_number(-values[i], text);
        unit_ok(mtree_units_parse_number(text, &back, &end));
        ck_assert(back == -values[i]);
    }
    ck_assert_str_eq(mtree_units_write_rate(66.7e6, text), "66.7Mbps");
    ck_assert_str_eq(mtree_units_write_time(0.0006618, text), "661.8us");
}

UNIT_TEST(test_locale_does_not_matter)
{
    char text[MTREE_UNITS_LENGTH];
    const char *why;
    double rate;

    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        return; /* not installed here */
    }
    unit_ok(mtree_units_parse_rate("1.5Gbps", &rate, &why));
    ck_assert_double_eq(rate, 1.5e9);
    ck_assert_str_eq(mtree_units_write_rate(1.5e9, text), "1.5Gbps");
}

/* Every status has words of its own, and what is none has some too. */
UNIT_TEST(test_status_words)
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
