# SPDX-License-Identifier: BSD-3-Clause
"""Lists of host names as Slurm writes them: "login,n[0-15,20],rack[0-3]n[00-17]"."""

import itertools
import re

MOST_HOSTS, MOST_NAME = 16384, 255
PART = re.compile(r"\[([^]]*)(\]?)|(\])|([^][]+)")
RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


class ListError(Exception):
    """What is wrong with a list."""


def numbers(text):
    """The numbers in a bracket, with as many digits as the first of their range."""
    for part in text.split(","):
        found = RANGE.fullmatch(part)
        if found is None or int(found[2] or found[1]) < int(found[1]):
            raise ListError("brackets hold numbers and ranges like [0-7,12]")
        for number in range(int(found[1]), int(found[2] or found[1]) + 1):
            yield f"{number:0{len(found[1])}}"


def choices(name):
    """What may stand at each place of a name."""
    for inside, closing, stray, text in PART.findall(name):
        if stray:
            raise ListError("a ']' without its '['")
        if text:
            yield [text]
        elif closing:
            yield list(itertools.islice(numbers(inside), MOST_HOSTS + 1))
        else:
            raise ListError("a '[' without its ']'")


def expand(text):
    """The names of a list in its order; several brackets give every combination."""
    names = []
    for name in re.split(r",(?![^[]*\])", text):
        if not name:
            raise ListError("a name is missing")
        for combination in itertools.product(*choices(name)):
            names.append("".join(combination))
            if len(names[-1]) > MOST_NAME:
                raise ListError("a name is too long")
            if len(names) > MOST_HOSTS:
                raise ListError(f"more than {MOST_HOSTS} names")
    return names
