/* SPDX-License-Identifier: BSD-3-Clause */
/* Rates, times and sizes, of files and of the command line; what is read is finite and,
 * written, reads as the same. */
#include "tests/fuzz/fuzz.h"

#include "base/units.h"

#include <math.h>

typedef mtree_status_t (*parse_t)(const char *text, double *value_p, const char **why_p);
typedef const char *(*write_t)(double value, char *text);

static void expect_again(parse_t parse, write_t write, const char *text)
{
    char written[MTREE_UNITS_LENGTH];
    const char *why = NULL;
    double value = 0.0, again = 0.0;

    if (parse(text, &value, &why) != MTREE_OK) {
        fuzz_expect(why != NULL);
        return;
    }
    write(value, written);
    fuzz_expect(isfinite(value) && value >= 0.0 &&
                parse(written, &again, &why) == MTREE_OK && again == value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    const char *why = NULL;
    size_t bytes;

    expect_again(mtree_units_parse_rate, mtree_units_write_rate, text);
    expect_again(mtree_units_parse_time, mtree_units_write_time, text);
    fuzz_expect(mtree_units_parse_size(text, &bytes, &why) == MTREE_OK || why != NULL);
    free(text);
    return 0;
}
