# SPDX-License-Identifier: BSD-3-Clause
"""Who plays in the league, and how each makes the calls of a cell inside a lab."""

import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import table
from networks import ROOT
from rows import CANDIDATES

# Without those who play only when they are named.
USUAL = tuple(name for name in table.NAMES if name != "mtree-mpich")

COMPONENTS = ("han", "adapt")  # of Open MPI
# Those who serve only some collectives (Open MPI 4.1.4).
SERVES = {"han": ("allreduce", "bcast", "allgather", "gather"), "adapt": ("bcast",)}
SERVES["mtree-mpich"] = ("allreduce", "bcast", "allgather")
LONG = 1 << 20  # bytes from which on algorithms for long messages are tried
SHORT_CANDIDATES = {
    "allreduce": "recursive_doubling,rabenseifner,ring",
    "bcast": "binomial,scatter_allgather,pipeline",
    "allgather": "bruck,bruck-k-fanout,ring",
    "alltoall": "linear,pairwise,modified_bruck",
    "gather": "basic_linear,binomial",
}
LONG_CANDIDATES = {**CANDIDATES, "alltoall": "linear,pairwise", "gather": "basic_linear,binomial"}
MPICH_LAUNCHER, MPICH_BENCH = "mpiexec.mpich", "bench/league/mtree_bench.mpich"
MPICH_LIBRARY = ".libs/libmtree_mpich.so"
MPICH = ("mpich", "mtree-mpich")  # the players that it starts
GLOO_BENCH = Path(__file__).resolve().parent / "gloo_bench.py"


def load_compare():
    """mtree_bench_compare as a module."""
    path = str(ROOT / "bench/mtree_bench_compare")
    loader = importlib.machinery.SourceFileLoader("mtree_bench_compare", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


compare = load_compare()


def candidates(collective, num_bytes):
    """Open MPI's algorithms that are tried, and the segments that they cut messages into."""
    if num_bytes < LONG:
        return SHORT_CANDIDATES[collective].split(","), [0]
    return LONG_CANDIDATES[collective].split(","), [64 << 10]


def forced_variant():
    """Open MPI with an algorithm that each task names (forced())."""
    return compare.Variant("forced", [("coll", "^mtree"), ("coll_tuned_use_dynamic_rules", "1")])


def forced(collective, num_bytes, num_ranks):
    """The algorithms that are tried, and the control variables that force each:
    [(label, ((name, value), ...))]."""
    names, segments = candidates(collective, num_bytes)
    return [
        (variant.label, tuple(each for each in variant.parameters if collective in each[0]))
        for variant in compare.forced_variants(collective, num_ranks, segments, names)
    ]


def torch_python():
    """A Python that has torch with Gloo, or None."""
    test = "import sys, torch.distributed as d; sys.exit(not d.is_gloo_available())"
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", test], capture_output=True, check=False)
        if done.returncode == 0:
            return python
    return None


def missing(build):
    """Of each player that cannot play here, the reason: {name: text}."""
    found = subprocess.run(["ompi_info", "--parsable"], capture_output=True, text=True, check=False)
    reasons = {
        name: f"this Open MPI has no component {name}"
        for name in COMPONENTS
        if f"mca:coll:{name}:version" not in found.stdout
    }
    if shutil.which(MPICH_LAUNCHER) is None or not (Path(build) / MPICH_BENCH).exists():
        reasons |= {name: "it needs Debian's packages mpich and libmpich-dev" for name in MPICH}
    if torch_python() is None:
        reasons["gloo"] = "it needs Debian's package python3-torch"
    return reasons


class Comparison(compare.Comparison):
    """Runs of mtree_bench under Open MPI's mpirun, and under MPICH's for its variants."""

    def __init__(self, options, topology):
        super().__init__(options, topology)
        self.lab = os.environ["NETLAB_LAB"]
        with open(os.path.join(self.lab, "hostfile"), encoding="utf-8") as file:
            self.hosts = [line.split()[0] for line in file]

    def launch(self, variant):
        if variant.label not in MPICH:
            return super().launch(variant)
        launch = [MPICH_LAUNCHER, "-launcher", "ssh", "-launcher-exec", f"{self.lab}/enter"]
        launch += ["-iface", "netlab", "-hosts", ",".join(self.hosts), "-n", str(len(self.hosts))]
        for name, value in variant.parameters:
            launch += ["-genv", name, value]
        return [*launch, str(Path(self.options.build).resolve() / MPICH_BENCH)]

    def mpich_variants(self):
        """MPICH, and the same with mtree's library before it."""
        library = str(Path(self.options.build).resolve() / MPICH_LIBRARY)
        parameters = [("LD_PRELOAD", library), ("MTREE_TOPOLOGY", self.topology)]
        return compare.Variant("mpich", []), compare.Variant("mtree-mpich", parameters)


def component_variant(name):
    """Open MPI with one of its components in front of all others."""
    return compare.Variant(name, [("coll", "^mtree"), (f"coll_{name}_priority", "100")])


def gloo_command(host):
    """torch.distributed over Gloo; its ranks meet at rank 0, on HOST."""
    return ["mpirun", torch_python(), str(GLOO_BENCH), host]


def gloo_environment(interface):
    return {"GLOO_SOCKET_IFNAME": interface, "OMP_NUM_THREADS": "1"}
