# SPDX-License-Identifier: BSD-3-Clause
"""The league's networks and cells: what is measured, where, and in which order."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench/conditions"))

from rows import Network, generated, read, star  # noqa: E402

COLLECTIVES = ("allreduce", "bcast", "allgather", "alltoall", "gather")
SIZES = (64 << 10, 1 << 20, 16 << 20)
# Twelve sites of GEANT have a host, the others forward: two cores carry no more.
GEANT_HOSTS = ("at1.at", "de1.de", "es1.es", "fr1.fr", "gr1.gr", "it1.it")
GEANT_HOSTS += ("nl1.nl", "ny1.ny", "pl1.pl", "pt1.pt", "se1.se", "uk1.uk")
QUICK_NETWORKS = ("sites", "star-unequal")
QUICK_COLLECTIVES, QUICK_SIZES = COLLECTIVES[:3], SIZES[1:2]


def hosts_only(text, hosts):
    """The topology with switches in place of all hosts but these."""

    def kind(match):
        return match[0] if match[1] in hosts else f'"{match[1]}" [kind=switch'

    return re.sub(r'"([^"]+)" \[kind=host', kind, text)


def geant(root, generate):
    return hosts_only(read("topologies/geant.dot")(root, generate), GEANT_HOSTS)


# Scales keep what all links carry together to what two cores do (docs/lab.md).
NETWORKS = {
    "b4": Network(["--scale", "0.25"], read("topologies/b4.dot")),
    "abilene": Network(["--scale", "0.007"], read("topologies/abilene.dot")),
    "geant": Network(["--scale", "0.001"], geant),
    "sites": Network(["--scale", "0.2"], read("examples/sites.dot")),
    "star-equal": Network(["--scale", "0.1"], read("topologies/star-8.dot")),
    "star-unequal": Network(["--scale", "5"], star(8, 1)),
    "tree": Network([], generated("tree:2x2x2", "--capacity", "100Mbps")),
    "torus": Network([], generated("torus:3x3", "--capacity", "40Mbps")),
    "cloud-dtfm": Network(["--scale", "0.035"], read("topologies/cloud-dtfm.dot")),
    "cloud-aws": Network(["--scale", "0.02"], read("topologies/cloud-aws.dot")),
}


@dataclass(frozen=True)
class Cell:
    """A row of the table, measured in one lab with the players in turns."""

    network: str
    collective: str
    num_bytes: int

    @property
    def name(self):
        return f"{self.network}-{self.collective}-{self.num_bytes}"

    def load(self, folder):
        """What was measured of it, or None; ValueError names a file that holds something else."""
        path = folder / f"{self.name}.json"
        try:
            return json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise ValueError(f"{path} holds no cell: {error}; remove it") from None

    def save(self, folder, measured):
        """In one step, so that an interruption leaves no half of it."""
        new = folder / f"{self.name}.new"
        new.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
        new.rename(folder / f"{self.name}.json")


def cells(networks, collectives, sizes):
    """Every cell, those of a network together."""
    return [
        Cell(network, collective, num_bytes)
        for network in networks
        for collective in collectives
        for num_bytes in sizes
    ]
