/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/members.h"

double mtree_report_number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

const char *mtree_report_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text == NULL ? "" : text;
}

double mtree_report_direction(const json_t *link, const char *key, size_t direction)
{
    return json_number_value(json_array_get(json_object_get(link, key), direction));
}
