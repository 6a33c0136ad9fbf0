/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/units.h"

#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Small units divide: 10 is exact as a double, a tenth is not. */
typedef struct {
    const char *name;
    double factor, divisor;
} unit_t;

static const unit_t rate_units[] = {
    {"bps", 1, 1},    {"kbps", 1e3, 1},  {"Kbps", 1e3, 1}, {"Mbps", 1e6, 1},
    {"Gbps", 1e9, 1}, {"Tbps", 1e12, 1}, {"Bps", 8, 1},    {"kBps", 8e3, 1},
    {"KBps", 8e3, 1}, {"MBps", 8e6, 1},  {"GBps", 8e9, 1}, {"TBps", 8e12, 1},
    {NULL, 0, 0},
};

static const unit_t time_units[] = {
    {"s", 1, 1}, {"ms", 1, 1e3}, {"us", 1, 1e6}, {NULL, 0, 0}};

static const unit_t size_units[] = {
    {"", 1, 1},         {"B", 1, 1},         {"k", 1 << 10, 1},   {"K", 1 << 10, 1},
    {"kB", 1 << 10, 1}, {"KB", 1 << 10, 1},  {"KiB", 1 << 10, 1}, {"kiB", 1 << 10, 1},
    {"M", 1 << 20, 1},  {"MB", 1 << 20, 1},  {"MiB", 1 << 20, 1}, {"G", 1 << 30, 1},
    {"GB", 1 << 30, 1}, {"GiB", 1 << 30, 1}, {NULL, 0, 0},
};

static const char *skip_digits(const char *text)
{
    while (*text >= '0' && *text <= '9') {
        ++text;
    }
    return text;
}

/* Use the decimal point in this thread.  glibc's C locale needs no memory and always
 * exists; where it does not, the program's own locale remains. */
static locale_t locale_enter(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static void locale_leave(locale_t previous)
{
    locale_t entered = uselocale(previous);

    if (entered != previous && entered != LC_GLOBAL_LOCALE) {
        freelocale(entered);
    }
}

/* The end of the decimal number at the begin of @a text, or NULL when there is none. */
static const char *number_end(const char *text)
{
    const char *digits = text + (*text == '-' || *text == '+');
    const char *end = skip_digits(digits);
    const char *exponent;
    size_t count = (size_t)(end - digits);

    if (*end == '.') {
        const char *fraction = end + 1;

        end = skip_digits(fraction);
        count += (size_t)(end - fraction);
    }
    if (count == 0) {
        return NULL;
    }
    if (*end == 'e' || *end == 'E') {
        exponent = end + 1;
        exponent += (*exponent == '-' || *exponent == '+');
        if (*exponent >= '0' && *exponent <= '9') {
            end = skip_digits(exponent);
        }
    }
    return end;
}

mtree_status_t mtree_units_parse_number(const char *text, double *value_p,
                                        const char **end_p)
{
    const char *end = number_end(text);
    locale_t previous;
    double value;

    if (end == NULL) {
        return MTREE_ERR_INVALID;
    }
    previous = locale_enter();
    value = strtod(text, NULL);
    locale_leave(previous);
    if (!isfinite(value)) {
        return MTREE_ERR_INVALID;
    }
    *value_p = value;
    *end_p = end;
    return MTREE_OK;
}

static mtree_status_t parse_quantity(const char *text, const unit_t *units,
                                     double *value_p, const char **why_p)
{
    mtree_status_t status;
    const char *end;
    double value;

    text += strspn(text, " \t");
    status = mtree_units_parse_number(text, &value, &end);
    if (status != MTREE_OK) {
        *why_p = "not a number";
        return status;
    }
    if (value < 0) {
        *why_p = "must not be negative";
        return MTREE_ERR_INVALID;
    }
    end += strspn(end, " \t");
    for (; units->name != NULL; ++units) {
        if (strcmp(end, units->name) == 0) {
            value = value * units->factor / units->divisor;
            if (!isfinite(value)) {
                *why_p = "too large";
                return MTREE_ERR_INVALID;
            }
            *value_p = value;
            return MTREE_OK;
        }
    }
    *why_p = (*end == '\0') ? "no unit" : "unknown unit";
    return MTREE_ERR_INVALID;
}

mtree_status_t mtree_units_parse_rate(const char *text, double *rate_p,
                                      const char **why_p)
{
    return parse_quantity(text, rate_units, rate_p, why_p);
}

mtree_status_t mtree_units_parse_time(const char *text, double *seconds_p,
                                      const char **why_p)
{
    return parse_quantity(text, time_units, seconds_p, why_p);
}

mtree_status_t mtree_units_parse_size(const char *text, size_t *bytes_p,
                                      const char **why_p)
{
    mtree_status_t status;
    double bytes;

    status = parse_quantity(text, size_units, &bytes, why_p);
    if (status != MTREE_OK) {
        return status;
    }
    /* 2^53: larger doubles are not exact. */
    if (bytes > 9007199254740992.0) {
        *why_p = "too large";
        return MTREE_ERR_INVALID;
    }
    *bytes_p = (size_t)bytes;
    return MTREE_OK;
}

/* A number that is off a whole one by a smaller part of it is that one, rounded in sums.
 */
#define WHOLE 1e-9

/* Write three digits in the largest of @a count units, a factor of @a step apart, that
 * fits. */
static const char *format_scaled(double value, const char *const *units, int count,
                                 double step, char *buffer, size_t length)
{
    int unit = 0;
    int decimals;

    while (unit + 1 < count && value >= 0.9995 * step) {
        value /= step;
        ++unit;
    }
    decimals = (value >= 99.95 || fabs(value - round(value)) <= WHOLE * value) ? 0
               : (value >= 9.995)                                              ? 1
                                                                               : 2;
    snprintf(buffer, length, "%.*f %s", decimals, value, units[unit]);
    return buffer;
}

const char *mtree_units_format_rate(double rate, char *buffer, size_t length)
{
    static const char *const units[] = {"b/s", "kb/s", "Mb/s", "Gb/s", "Tb/s"};

    return format_scaled(rate, units, 5, 1000, buffer, length);
}

const char *mtree_units_format_time(double seconds, char *buffer, size_t length)
{
    static const char *const units[] = {"us", "ms", "s"};

    return format_scaled(seconds * 1e6, units, 3, 1000, buffer, length);
}

const char *mtree_units_format_size(double bytes, char *buffer, size_t length)
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};

    return format_scaled(bytes, units, 5, 1024, buffer, length);
}

static void print_number(double value, int digits, char *buffer)
{
    locale_t previous = locale_enter();

    snprintf(buffer, MTREE_UNITS_LENGTH, "%.*g", digits, value);
    locale_leave(previous);
}

const char *mtree_units_write_number(double value, char *buffer)
{
    const char *end;
    double back;

    print_number(value, 15, buffer);
    if (mtree_units_parse_number(buffer, &back, &end) != MTREE_OK || back != value) {
        print_number(value, 17, buffer);
    }
    return buffer;
}

/* Write @a value with @a digits in @a unit; returns whether it is read back exactly. */
static bool write_in_unit(double value, int digits, const unit_t *units,
                          const unit_t *unit, char *buffer)
{
    const char *why;
    double back;

    print_number(value / unit->factor * unit->divisor, digits, buffer);
    strcat(buffer, unit->name);
    return parse_quantity(buffer, units, &back, &why) == MTREE_OK && back == value;
}

/*
 * Write @a value in the first of @a names in which it is read back exactly: a short
 * number of at least one if possible, else a short one, else a long one.  The last name
 * has factor and divisor one, in which 17 digits are always exact.
 */
static const char *write_quantity(double value, const unit_t *units,
                                  const char *const *names, char *buffer)
{
    static const struct {
        int digits;
        double least;
    } passes[] = {{15, 1}, {15, 0}, {17, 0}};
    const unit_t *unit;

    for (size_t pass = 0; pass < sizeof(passes) / sizeof(passes[0]); ++pass) {
        for (int i = 0; names[i] != NULL; ++i) {
            for (unit = units; strcmp(unit->name, names[i]) != 0; ++unit) {}
            if (value / unit->factor * unit->divisor >= passes[pass].least &&
                write_in_unit(value, passes[pass].digits, units, unit, buffer)) {
                return buffer;
            }
        }
    }
    return buffer;
}

const char *mtree_units_write_rate(double rate, char *buffer)
{
    static const char *const names[] = {"Tbps", "Gbps", "Mbps", "kbps", "bps", NULL};

    return write_quantity(rate, rate_units, names, buffer);
}

const char *mtree_units_write_time(double seconds, char *buffer)
{
    static const char *const names[] = {"ms", "us", "s", NULL};

    return write_quantity(seconds, time_units, names, buffer);
}
