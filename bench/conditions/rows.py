# SPDX-License-Identifier: BSD-3-Clause
"""The rows of the table of conditions: networks, what their links do to packets, collectives."""

import random
import re
from dataclasses import dataclass, field

MEGABYTE = 1 << 20
CAPACITY = re.compile(r'capacity="([0-9.]+)Mbps"')
STAR_RATES = (10, 25, 50, 100)  # Mb/s
# Open MPI's algorithms that are worth forcing where messages are long.
CANDIDATES = {
    "allreduce": "ring,segmented_ring,rabenseifner",
    "bcast": "pipeline,chain,scatter_allgather_ring",
    "allgather": "ring,neighbor",
}


@dataclass
class Row:
    name: str
    network: str  # a key of NETWORKS
    collective: str
    num_bytes: int
    options: list = field(default_factory=list)  # of netlab
    mtu: int = 9000
    without_streams: bool = False  # measured as well without TCP connections of mtree's own
    # Rows of many calls of mtree alone: the map that it plans with, and what happens meanwhile.
    num_calls: int = 0
    wrong_map: bool = False
    events: tuple = ()  # (seconds after the start, link, setting)


@dataclass
class Network:
    options: list  # of netlab, besides those of the row
    text: object  # text(root folder, generate) of the topology file


def read(path):
    def text(root, _generate):
        with open(root / path, encoding="utf-8") as file:
            return file.read()

    return text


def star(num_hosts, seed):
    def text(_root, _generate):
        draw = random.Random(seed)
        edges = "".join(
            f'  h{host} -- s [capacity="{draw.choice(STAR_RATES)}Mbps"];\n'
            for host in range(num_hosts)
        )
        return f"graph star {{\n  s [kind=switch];\n{edges}}}\n"

    return text


def generated(*arguments):
    return lambda _root, generate: generate(*arguments)


NETWORKS = {
    "sites": Network(["--scale", "0.2"], read("examples/sites.dot")),
    "b4": Network(["--scale", "0.2"], read("topologies/b4.dot")),
    "random64": Network(
        ["--no-latency"], generated("random:64:140", "--capacity", "7Mbps", "--skew", "1")
    ),
    **{f"star{hosts}-{seed}": Network([], star(hosts, seed)) for hosts in (8, 16) for seed in (1, 2)},
}


def other_drawing(text, seed=1):
    """The network with each capacity off by up to half, up or down."""
    draw = random.Random(seed)
    return CAPACITY.sub(
        lambda match: f'capacity="{float(match[1]) * draw.uniform(0.5, 1.5):.1f}Mbps"', text
    )


def site_rows():
    """Those of the first are the ones that say most."""
    for collective in ("allreduce", "bcast", "allgather"):
        for mtu in (1500, 9000):
            for loss in ("0", "0.001", "0.01", "0.0001"):
                for control in ("cubic", "bbr", "reno"):
                    yield Row(
                        f"sites {collective} {control} loss {loss} mtu {mtu}",
                        "sites",
                        collective,
                        64 * MEGABYTE,
                        ["--congestion-control", control, "--loss", loss, "--mtu", str(mtu)],
                        mtu,
                        True,
                    )


def other_rows():
    for control in ("bbr", "cubic"):
        yield Row(
            f"b4 allreduce {control}", "b4", "allreduce", 64 * MEGABYTE, ["--congestion-control", control]
        )
    for star_name in ("star8-1", "star8-2", "star16-1", "star16-2"):
        yield Row(f"{star_name} allreduce", star_name, "allreduce", 4 * MEGABYTE)
    yield Row("random64 allreduce", "random64", "allreduce", 4 * MEGABYTE)
    yield Row(
        "sites allreduce cross x0.5",
        "sites",
        "allreduce",
        16 * MEGABYTE,
        ["--congestion-control", "cubic"],
        events=((0, "paris--berlin", "cross=x0.5"),),
    )
    yield Row(
        "b4 wrong map",
        "b4",
        "allreduce",
        16 * MEGABYTE,
        ["--no-latency"],
        num_calls=12,
        wrong_map=True,
    )
    yield Row(
        "b4 cross x0.5 for 10 s",
        "b4",
        "allreduce",
        4 * MEGABYTE,
        ["--no-latency"],
        num_calls=40,
        events=((12, "US2--US3", "cross=x0.5"), (22, "US2--US3", "cross=x0")),
    )


def table():
    """Every row, in the order in which they are measured."""
    return [*other_rows(), *site_rows()]
