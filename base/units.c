/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/units.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Small units divide: 10 is exact as a double, a tenth is not. */
typedef struct {
    const char *name; /* NULL: there is no such unit */
    double factor, divisor;
} unit_t;

/* Those that are written, the likeliest first.  The last has factor and divisor one, in
 * which 17 digits are always exact. */
static const unit_t rate_units[] = {{"Tbps", 1e12, 1}, {"Gbps", 1e9, 1}, {"Mbps", 1e6, 1},
                                    {"kbps", 1e3, 1},  {"bps", 1, 1},    {NULL, 0, 0}};
static const unit_t time_units[] = {
    {"ms", 1, 1e3}, {"us", 1, 1e6}, {"s", 1, 1}, {NULL, 0, 0}};

/* What a quantity may be written in. */
typedef struct {
    unit_t (*find)(const char *name);
    const char *missing, *unknown; /* errors */
} dimension_t;

#define DIMENSION(_find, _allowed)                                                       \
    {                                                                                    \
        _find, "no unit (allowed: " _allowed ")", "unknown unit (allowed: " _allowed ")" \
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

/* With the digits of a double and more, so that the double that is nearest to a quantity
 * in any unit is that quantity.  Unlike strtold() it takes no blanks and no infinity, and
 * of what it reads as hexadecimal the zero. */
static mtree_status_t parse_number(const char *text, long double *value_p,
                                   const char **end_p)
{
    const char *digits = text + (*text == '-' || *text == '+');
    const bool is_hexadecimal =
        digits[0] == '0' && tolower((unsigned char)digits[1]) == 'x';
    locale_t previous;
    long double value;
    char *end;

    if (!isdigit((unsigned char)*digits) && *digits != '.') {
        return MTREE_ERR_INVALID;
    }
    previous = locale_enter();
    value = strtold(text, &end);
    locale_leave(previous);
    if (end == text || !isfinite((double)value)) {
        return MTREE_ERR_INVALID;
    }
    *value_p = is_hexadecimal ? 0 : value;
    *end_p = is_hexadecimal ? digits + 1 : end;
    return MTREE_OK;
}

mtree_status_t mtree_units_parse_number(const char *text, double *value_p,
                                        const char **end_p)
{
    long double value;
    mtree_status_t status = parse_number(text, &value, end_p);

    *value_p = status == MTREE_OK ? (double)value : *value_p;
    return status;
}

/* The power of @a step for which the prefix of *unit stands, which is passed. */
static double take_prefix(const char **unit, double step)
{
    static const char prefixes[] = "kmgt";
    const char *found = **unit != '\0' ? strchr(prefixes, tolower(**unit)) : NULL;

    *unit += found != NULL;
    return found != NULL ? pow(step, (double)(found - prefixes + 1)) : 1;
}

/* Letters have no case, but b before "ps" and "/s": it is a bit, and B a byte. */
static unit_t find_rate(const char *name)
{
    static const char *const bits[] = {"bit", "bits", "bit/s", "bits/s"};
    unit_t unit = {NULL, take_prefix(&name, 1000), 1};

    if (strcmp(name, "Bps") == 0 || strcmp(name, "B/s") == 0) {
        unit.name = name;
        unit.factor *= 8;
    } else if (*name == 'b' &&
               (strcasecmp(name, "bps") == 0 || strcasecmp(name, "b/s") == 0)) {
        unit.name = name;
    }
    for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); ++i) {
        unit.name = strcasecmp(name, bits[i]) == 0 ? name : unit.name;
    }
    return unit;
}

static unit_t find_time(const char *name)
{
    const unit_t *unit = time_units;

    while (unit->name != NULL && strcasecmp(unit->name, name) != 0) {
        ++unit;
    }
    return *unit;
}

static unit_t find_size(const char *name)
{
    unit_t unit = {NULL, take_prefix(&name, 1024), 1};

    if (*name == '\0' || strcasecmp(name, "B") == 0 ||
        (unit.factor > 1 && strcasecmp(name, "iB") == 0)) {
        unit.name = name;
    }
    return unit;
}

static const dimension_t rates = DIMENSION(
    find_rate, "bps, kbps, Mbps, Gbps, Tbps, also Mb/s and Mbit; MBps or MB/s for bytes");
static const dimension_t times = DIMENSION(find_time, "us, ms, s");
static const dimension_t sizes =
    DIMENSION(find_size, "B, KB, MB, GB, TB, also K and KiB, all powers of 1024");

static mtree_status_t parse_quantity(const char *text, const dimension_t *dimension,
                                     double *value_p, const char **why_p)
{
    mtree_status_t status;
    const char *end;
    long double value;
    unit_t unit;

    text += strspn(text, " \t");
    status = parse_number(text, &value, &end);
    if (status != MTREE_OK) {
        *why_p = "not a number";
        return status;
    }
    end += strspn(end, " \t");
    unit = dimension->find(end);
    value = value * unit.factor / unit.divisor;
    if (value < 0) {
        *why_p = "must not be negative";
    } else if (unit.name == NULL) {
        *why_p = (*end == '\0') ? dimension->missing : dimension->unknown;
    } else if (!isfinite((double)value)) {
        *why_p = "too large";
    } else {
        *value_p = (double)value;
        return MTREE_OK;
    }
    return MTREE_ERR_INVALID;
}

mtree_status_t mtree_units_parse_rate(const char *text, double *rate_p,
                                      const char **why_p)
{
    double rate;
    mtree_status_t status = parse_quantity(text, &rates, &rate, why_p);

    if (status != MTREE_OK) {
        return status;
    }
    if (rate > MTREE_UNITS_MOST_RATE) {
        *why_p = "too large";
        return MTREE_ERR_INVALID;
    }
    *rate_p = rate;
    return MTREE_OK;
}

mtree_status_t mtree_units_parse_time(const char *text, double *seconds_p,
                                      const char **why_p)
{
    return parse_quantity(text, &times, seconds_p, why_p);
}

mtree_status_t mtree_units_parse_size(const char *text, size_t *bytes_p,
                                      const char **why_p)
{
    mtree_status_t status;
    double bytes;

    status = parse_quantity(text, &sizes, &bytes, why_p);
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
static bool write_in_unit(double value, int digits, const dimension_t *dimension,
                          const unit_t *unit, char *buffer)
{
    const char *why;
    double back;

    print_number(value / unit->factor * unit->divisor, digits, buffer);
    strcat(buffer, unit->name);
    return parse_quantity(buffer, dimension, &back, &why) == MTREE_OK && back == value;
}

/*
 * Write @a value in the first of @a units in which it is read back exactly: a short
 * number of at least one if possible, else a short one, else a long one.
 */
static const char *write_quantity(double value, const dimension_t *dimension,
                                  const unit_t *units, char *buffer)
{
    static const struct {
        int digits;
        double least;
    } passes[] = {{15, 1}, {15, 0}, {17, 0}};

    for (size_t pass = 0; pass < sizeof(passes) / sizeof(passes[0]); ++pass) {
        for (const unit_t *unit = units; unit->name != NULL; ++unit) {
            if (value / unit->factor * unit->divisor >= passes[pass].least &&
                write_in_unit(value, passes[pass].digits, dimension, unit, buffer)) {
                return buffer;
            }
        }
    }
    return buffer;
}

const char *mtree_units_write_rate(double rate, char *buffer)
{
    return write_quantity(rate, &rates, rate_units, buffer);
}

const char *mtree_units_write_time(double seconds, char *buffer)
{
    return write_quantity(seconds, &times, time_units, buffer);
}

double mtree_units_round(double value)
{
    char text[MTREE_UNITS_LENGTH];
    const char *end;

    print_number(value, MTREE_UNITS_DIGITS, text);
    (void)mtree_units_parse_number(text, &value, &end);
    return value;
}
