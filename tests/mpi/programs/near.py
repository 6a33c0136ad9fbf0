#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""near.py A B TOLERANCE: two outputs that are the same but for numbers, which are so to a relative tolerance."""

import re
import sys

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
tolerance = float(sys.argv[3])


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return NUMBER.sub("#", text), [float(number) for number in NUMBER.findall(text)]


(words, numbers), (other_words, others) = read(sys.argv[1]), read(sys.argv[2])
if words != other_words or not numbers:
    sys.exit("near.py: the outputs differ in more than numbers, or have none")
worst = max(abs(a - b) / max(abs(a), abs(b), 1e-300) if a != b else 0.0 for a, b in zip(numbers, others))
print(f"{len(numbers)} numbers, the largest relative difference {worst:.1g}")
sys.exit(worst > tolerance)
