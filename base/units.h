/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Quantities as people write them: "200Mbps", "25GBps", "38ms".
 *
 * The decimal separator is a point in any locale of the program.
 */
#ifndef MTREE_BASE_UNITS_H
#define MTREE_BASE_UNITS_H

#include "base/status.h"

#include <stddef.h>

/* The end of a noun behind @a _count, "1 tree" and "2 trees". */
#define MTREE_UNITS_PLURAL(_count) ((_count) == 1 ? "" : "s")

/* Bytes of the longest text that the functions below write. */
#define MTREE_UNITS_LENGTH 40

/* bits/s.  No network is as fast: a rate above it is a mistake, and sums of such rates
 * would overflow. */
#define MTREE_UNITS_MOST_RATE 1e18

/*
 * Read the decimal number ("12", "-0.5", "1e3"; no hexadecimal, no infinity) with which
 * @a text begins.  *end_p is the first character after it.  MTREE_ERR_INVALID, not
 * logged.
 */
mtree_status_t mtree_units_parse_number(const char *text, double *value_p,
                                        const char **end_p);

/*
 * Read a rate: a decimal number and bps, b/s, bit or bit/s, with an optional k, M, G or T
 * (powers of 1000), or Bps or B/s, which count bytes.  Other letters have no case.
 * *rate_p is bits/s, from 0 to MTREE_UNITS_MOST_RATE.  MTREE_ERR_INVALID is not logged:
 * *why_p is then a static text for the caller's message, which names the units that are
 * allowed.
 */
mtree_status_t mtree_units_parse_rate(const char *text, double *rate_p,
                                      const char **why_p);

/* Read a time: a number and us, ms or s.  Zero is allowed.  *seconds_p is seconds. */
mtree_status_t mtree_units_parse_time(const char *text, double *seconds_p,
                                      const char **why_p);

/* Read a size: a number with an optional k, M, G or T (powers of 1024) and an optional B
 * or, behind one of them, iB. */
mtree_status_t mtree_units_parse_size(const char *text, size_t *bytes_p,
                                      const char **why_p);

/* Write bits/s, seconds or bytes for people ("66.7 Mb/s", "38.0 ms", "16 MB" in powers of
 * 1024) into @a buffer; returns it. */
const char *mtree_units_format_rate(double rate, char *buffer, size_t length);
const char *mtree_units_format_time(double seconds, char *buffer, size_t length);
const char *mtree_units_format_size(double bytes, char *buffer, size_t length);

/* The same, in a buffer that the block around the call has. */
#define MTREE_UNITS_RATE(_rate)    MTREE_UNITS_FORMAT(rate, _rate)
#define MTREE_UNITS_TIME(_seconds) MTREE_UNITS_FORMAT(time, _seconds)
#define MTREE_UNITS_SIZE(_bytes)   MTREE_UNITS_FORMAT(size, _bytes)
#define MTREE_UNITS_FORMAT(_what, _value)                                                \
    mtree_units_format_##_what(_value, (char[MTREE_UNITS_LENGTH]){""}, MTREE_UNITS_LENGTH)

/*
 * Write a number, a rate or a time as the parsers read it ("66.7Mbps", "38ms") into
 * @a buffer of MTREE_UNITS_LENGTH bytes; returns it.  Reading it gives the same number.
 */
const char *mtree_units_write_number(double value, char *buffer);
const char *mtree_units_write_rate(double rate, char *buffer);
const char *mtree_units_write_time(double seconds, char *buffer);

/* Digits that a measurement is good for. */
#define MTREE_UNITS_DIGITS 3

/* The number of so many digits that is nearest to @a value, which is not negative. */
double mtree_units_round(double value);

#endif
