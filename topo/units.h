/*
 * Quantities as people write them: "200Mbps", "25GBps", "38ms".
 */
#ifndef MTREE_TOPO_UNITS_H
#define MTREE_TOPO_UNITS_H

#include "topo/status.h"

#include <stddef.h>

/*
 * Read a rate: a positive decimal number and bps or Bps with an optional k, M, G, T (powers of 1000;
 * Bps counts bytes).  *rate_p is bits/s.  On MTREE_ERR_INVALID *why_p points to a static text
 * ("unknown unit", "not a number", "must be positive") for the caller's message; nothing is logged here.
 * "0bps" is MTREE_ERR_INVALID unless the caller accepts a zero, which is reported as MTREE_OK with 0.
 */
mtree_status_t mtree_units_parse_rate(const char *text, double *rate_p, const char **why_p);


/* Read a time: a number and us, ms or s.  Zero is allowed.  *seconds_p is seconds. */
mtree_status_t mtree_units_parse_time(const char *text, double *seconds_p, const char **why_p);


/* Read a size: a number with an optional k, M, G (powers of 1024) or KiB, MiB, GiB, and optional B. */
mtree_status_t mtree_units_parse_size(const char *text, size_t *bytes_p, const char **why_p);


/* Write bits/s, seconds or bytes for people ("66.7 Mb/s", "38.0 ms", "16 MB") into @a buffer; returns it. */
const char *mtree_units_format_rate(double rate, char *buffer, size_t length);
const char *mtree_units_format_time(double seconds, char *buffer, size_t length);
const char *mtree_units_format_size(double bytes, char *buffer, size_t length);

#endif
