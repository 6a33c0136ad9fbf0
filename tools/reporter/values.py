# SPDX-License-Identifier: BSD-3-Clause
"""Members of a report, of which any may be missing, or of another type."""

import re


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def member(value, key):
    return value.get(key) if isinstance(value, dict) else None


def number(value, key, direction=None):
    """Else 0.  Of a link, which has two: 0 from its `from` to its `to`, 1 back."""
    found = member(value, key) if direction is None else at(value, key, direction)
    return found if is_number(found) else 0


def text(value, key):
    """Else ""."""
    found = member(value, key)
    return found if isinstance(found, str) else ""


def elements(value, key):
    """Of a list; else none."""
    found = member(value, key)
    return found if isinstance(found, list) else []


def at(value, key, place):
    """An element of a list; None: it has none there."""
    return (elements(value, key)[place:] or [None])[0] if isinstance(place, int) and place >= 0 else None



def printable(value):
    """A report whose strings are fit for a terminal, as base/printable.h makes them."""
    if isinstance(value, dict):
        return {key: printable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [printable(inner) for inner in value]
    return re.sub("[\x80-\x9f]", "??", re.sub("[\0-\x1f\x7f]", "?", value)) if isinstance(value, str) else value
