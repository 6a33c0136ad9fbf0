/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/report/parts.h"

#include "base/units.h"
#include "report/page.h"

#include <math.h>

/* Sizes in the units of the picture, which scales to the page. */
#define WIDTH 1080.0
#define LEFT  210.0 /* room for the names of the lanes */
#define LANE  26.0
#define HEAD  8.0
#define FOOT  26.0
#define BAR   16.0
#define LEAST 1.2 /* of a bar, to be seen at all */
#define TICKS 8

/* The class of a bar by the backend that served, in the component's numbering. */
static const char *const classes[] = {"trees", "openmpi"};

/* The next of 1, 2, 5, 10 ... that makes at most TICKS steps of @a length. */
static double step_of(double length)
{
    double step = pow(10, floor(log10(length / TICKS)));
    double times = length / TICKS / step;

    return step * (times <= 1 ? 1 : times <= 2 ? 2 : times <= 5 ? 5 : 10);
}

static double member(const json_t *event, size_t index)
{
    return json_number_value(json_array_get(event, index));
}

/* The lane of line @a number of the calls of communicator @a group, from 0. */
static size_t lane_of(const json_t *communicators, double group, double number)
{
    size_t lane = (size_t)fmax(number, 0);

    for (size_t c = 0; c < json_array_size(communicators) && (double)c < group; c++) {
        lane +=
            json_array_size(json_object_get(json_array_get(communicators, c), "calls"));
    }
    return lane;
}

/* The names of the lanes. */
static void write_lanes(const json_t *communicators, FILE *out)
{
    size_t lane = 0, c, i;
    json_t *communicator, *calls;
    char name[128];

    json_array_foreach ((json_t *)communicators, c, communicator) {
        json_array_foreach (json_object_get(communicator, "calls"), i, calls) {
            fprintf(out, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 12,
                    HEAD + LANE * (double)lane + BAR - 2);
            mtree_table_escape(mtree_page_calls_name(calls, name, sizeof(name)), out);
            fprintf(out,
                    "</text><line class=\"axis\" x1=\"%.0f\" x2=\"%.0f\" y1=\"%.1f\" "
                    "y2=\"%.1f\"/>\n",
                    LEFT, WIDTH, HEAD + LANE * (double)lane + LANE - 4,
                    HEAD + LANE * (double)lane + LANE - 4);
            lane++;
        }
    }
}

static void write_axis(double length, double bottom, FILE *out)
{
    double step = step_of(length);
    char text[MTREE_UNITS_LENGTH];

    for (int tick = 0; tick * step <= length; tick++) {
        double x = LEFT + (WIDTH - LEFT - 30) * tick * step / length;

        fprintf(out,
                "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" y2=\"%.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%s</text>\n",
                x, x, HEAD - 4, bottom + 4, x, bottom + 18,
                tick == 0 ? "0"
                          : mtree_units_format_time(tick * step, text, sizeof(text)));
    }
}

static void write_bar(const json_t *event, const json_t *communicators, double length,
                      FILE *out)
{
    double backend = member(event, 3);
    size_t lane = lane_of(communicators, member(event, 4), member(event, 5));
    double scale = (WIDTH - LEFT - 30) / length;
    char time[MTREE_UNITS_LENGTH], begin[MTREE_UNITS_LENGTH], size[MTREE_UNITS_LENGTH];

    if (!(backend >= 0 && backend < sizeof(classes) / sizeof(classes[0]))) {
        return;
    }
    fprintf(out,
            "<rect class=\"%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.0f\" "
            "rx=\"1.5\"><title>%s, %s, at %s</title></rect>\n",
            classes[(int)backend], LEFT + scale * member(event, 0),
            HEAD + LANE * (double)lane + 2, fmax(scale * member(event, 1), LEAST), BAR,
            mtree_units_format_size(member(event, 2), size, sizeof(size)),
            mtree_units_format_time(member(event, 1), time, sizeof(time)),
            mtree_units_format_time(member(event, 0), begin, sizeof(begin)));
}

static size_t count_lanes(const json_t *communicators)
{
    return lane_of(communicators, (double)json_array_size(communicators), 0);
}

void report_timeline_write(const json_t *report, FILE *out)
{
    const json_t *communicators = json_object_get(report, "communicators");
    const json_t *events = json_object_get(report, "timeline");
    double length = fmax(mtree_page_number(report, "elapsed_s"), 1e-6);
    double height = HEAD + LANE * (double)count_lanes(communicators);
    double lost = mtree_page_number(json_object_get(report, "totals"), "timeline_lost");

    fprintf(out,
            "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"Timeline of the "
            "calls\">\n",
            WIDTH, height + FOOT);
    write_lanes(communicators, out);
    write_axis(length, height, out);
    for (size_t i = 0; i < json_array_size(events); i++) {
        write_bar(json_array_get(events, i), communicators, length, out);
    }
    fputs("</svg>\n<div class=\"keys\"><span><i class=\"trees\"></i>mtree over "
          "trees</span><span><i class=\"openmpi\"></i>Open MPI</span>",
          out);
    if (lost > 0) {
        fprintf(out, "<span>the last %zu calls; %.0f earlier ones are not kept</span>",
                json_array_size(events), lost);
    }
    fputs("</div>\n", out);
}
