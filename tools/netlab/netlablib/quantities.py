# SPDX-License-Identifier: BSD-3-Clause
"""Rates, times and parts as people write them on the command line."""

import re
from dataclasses import dataclass

LEAST_MTU, MOST_MTU = 576, 65535  # as in topology files
QUANTITY = re.compile(r"([0-9.]+(?:e-?[0-9]+)?)\s*([A-Za-z]+)\Z")
POWERS = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
RATES = {f"{prefix}{unit}": power * bits for prefix, power in POWERS.items() for unit, bits in (("bps", 1), ("Bps", 8))}
TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1}


@dataclass
class Rate:
    """A rate, or a part of a link's capacity."""

    number: float
    is_part: bool = False

    def of(self, capacity):
        """Bits/s on a link of CAPACITY."""
        return self.number * capacity if self.is_part else self.number


def to_number(text):
    """The positive or zero number that TEXT is, else ValueError."""
    value = float(text)
    if not 0 <= value < float("inf"):
        raise ValueError(text)
    return value


def to_positive(text):
    if to_number(text) == 0:
        raise ValueError(text)
    return float(text)


def to_count(text):
    if not text.isdigit() or int(text) < 1:
        raise ValueError(text)
    return int(text)


def parse_quantity(text, units):
    """A number times what its unit stands for in UNITS, else ValueError."""
    match = QUANTITY.match(text)
    if match is None or match[2] not in units:
        raise ValueError(text)
    return to_number(match[1]) * units[match[2]]


def parse_rate(text):
    """A Rate from '30Mbps', '2.5GBps' or 'x0.25', else ValueError."""
    if text.startswith("x"):
        return Rate(to_number(text[1:]), is_part=True)
    return Rate(parse_quantity(text, RATES))


def parse_time(text):
    """Seconds from '2ms', else ValueError."""
    return parse_quantity(text, TIMES)


def parse_part(text):
    """A number from 0 to 1, else ValueError."""
    if to_number(text) > 1:
        raise ValueError(text)
    return to_number(text)


def parse_mtu(text):
    """Bytes of the longest packet, else ValueError."""
    if not text.isdigit() or not LEAST_MTU <= int(text) <= MOST_MTU:
        raise ValueError(text)
    return int(text)
