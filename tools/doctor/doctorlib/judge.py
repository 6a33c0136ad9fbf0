# SPDX-License-Identifier: BSD-3-Clause
"""From facts to findings, without a look at anything else."""

from . import names, paths, states
from .cluster import Cluster


def judge(document):
    """The findings about recorded facts, what keeps a job from starting first."""
    cluster = Cluster(document)
    outside = paths.translated(cluster)
    return [
        *names.find_unreachable(cluster),
        *names.find_missing(cluster),
        *names.find_loopback(cluster),
        *names.find_different(cluster, outside),
        *paths.find_nat(cluster),
        *paths.find_twins(cluster, outside),
        *paths.find_interfaces(cluster, outside),
        *paths.find_ports(cluster, outside),
        *paths.find_black_holes(cluster),
        *states.find_openmpi(cluster),
        *states.find_component(cluster),
        *states.find_map(cluster),
        *states.find_ends(cluster),
        *states.find_buffers(cluster),
        *states.find_clocks(cluster),
    ]
