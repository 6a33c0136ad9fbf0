#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Every option that --help names works: for each program the options of its help text are those that a case here (of
mtree, in test_mtree.sh; of netlab, in tests/lab) uses with success.

mtree_bench runs under mpirun on two ranks; mtree_bench_compare with stand-ins for the programs that it starts, which take down how."""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("srcdir", ".")).resolve()
BUILD = pathlib.Path.cwd()
OPTION = re.compile(r"(?:^|(?<=[\s,\[|]))(--[a-z][a-z-]*|-[a-zA-Z])(?=[\s,=\]]|$)", re.M)
failures = []


def expect(condition, text):
    if not condition:
        failures.append(text)


def run(command, **options):
    return subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False, **options)


def named(text):
    """The options that a help text names at the beginning of a line; each a set of its names."""
    rows = [re.match(r"(?:  |      )(-[^ ].*)", line) for line in text.splitlines()]
    groups = [frozenset(OPTION.findall(re.split(r"  +", row[1])[0])) for row in rows if row]
    return [group for group in groups if group]


def compare(program, text, used):
    """Each option of the help has a case, and each case an option."""
    groups = named(text)
    expect(len(groups) > 1, f"{program}: no options in its help:\n{text}")
    for group in groups:
        expect(group & set(used), f"{program}: no case uses {' '.join(sorted(group))}")
    known = frozenset().union(*groups)
    for option in used:
        expect(option in known, f"{program}: {option} is used and not in its help")


def used_of_mtree(command):
    """Options in what test_mtree.sh expects to succeed."""
    text = (ROOT / "tests/tools/test_mtree.sh").read_text().replace("\\\n", " ")
    words = []
    if command == "simulate":
        words += OPTION.findall(" ".join(line for line in text.splitlines() if '"$(took ' in line))
    for line in text.splitlines():
        if re.match(r"\s*(expect 0 |\"\$mtree\" |plan |for command in)", line):
            try:
                parts = shlex.split(line.split(" >")[0] if line.lstrip().startswith('"$mtree') else line)
            except ValueError:
                continue
            parts = [part.replace("$command", command) for part in parts]
            if command in parts:
                words += [word.split("=")[0] for word in parts[parts.index(command):]]
    return {word for word in words if OPTION.fullmatch(word)}


def check_mtree():
    listed = re.findall(r"^  ([a-z]+)  ", run([BUILD / "mtree", "--help"]).stdout, re.M)
    expect(len(listed) > 8, f"mtree --help lists {listed}")
    for command in listed:
        text = run([BUILD / "mtree", command, "--help"]).stdout
        known = frozenset().union(*named(text))
        used = used_of_mtree(command)
        if command in ("probe", "doctor"):
            used |= set(OPTION.findall((ROOT / f"tests/lab/test_{command}.py").read_text().replace('"', " ")))
        compare(f"mtree {command}", text, used & known)


def check_netlab():
    source = " ".join(path.read_text() for path in sorted((ROOT / "tests/lab").glob("*.py")))
    for command in ("up", "run", "exec", "set", "status", "down", "probe"):
        done = run([ROOT / "tools/netlab/netlab", command, "--help"])
        groups = named(done.stdout)
        expect(done.returncode == 0 and groups, f"netlab {command} --help: {done.stdout}")
        for group in groups:
            expect("--help" in group or any(f'"{option}"' in source for option in group),
                   f"netlab {command}: no case uses {' '.join(sorted(group))}")


# What is given to mtree_bench, and what its output then has (a pattern of its table, or a test of its JSON).
BENCH = {
    "-t": ("-t bcast -m 64 -i 2 -x 0", r"MPI bcast latency, 2 ranks"),
    "--collective": ("--collective barrier -i 2 -x 0", r"MPI barrier latency"),
    "-m": ("-m 64:256 -i 2 -x 0", r"\n64 .*\n128 .*\n256 [^\n]*\n$"),
    "--message-size": ("--message-size 1k:1k -i 2 -x 0", r"\n1024 [^\n]*\n$"),
    "-i": ("-i 3 -x 0 -m 8:8 -f", r"Iterations.*\n8 .* 3\s"),
    "--iterations": ("--iterations 4 -x 0 -m 8:8 -f", r"\n8 .* 4\s"),
    "-c": ("-c -m 8:8 -i 2 -x 0", r"Validation\n8 .* Pass"),
    "--validation": ("--validation -m 8:8 -i 2 -x 0", r" Pass"),
    "-f": ("-f -m 8:8 -i 2 -x 0", r"Min Latency.*Max Latency.*Iterations"),
    "--full": ("--full -m 8:8 -i 2 -x 0", r"Min Latency"),
    "--root": ("--root rotate -t bcast -m 8:8 -i 2 -x 0 -c", r" Pass"),
    "--active": ("--active 1 -t bcast -m 8:8 -i 2 -x 0", r"MPI bcast latency, 1 ranks\n"),
    "--total": ("--total -t allgather -m 64:64 -i 2 -x 0 --json", lambda bench: bench["total"] is True),
    "--together": ("--together -t gather -m 64:64 -i 3 -x 1 -c", r"\n64 .* Pass"),
    "--json": ("--json -m 8:16 -i 2 -x 0", lambda bench: [size["bytes"] for size in bench["sizes"]] == [8, 16]),
    "--tasks": ("--tasks", "^$"),
    "--limit": ("--limit 0s -m 8:8 -i 5 -x 5 --json", lambda bench: len(bench["sizes"][0]["calls_us"]) == 1),
    "--control": ("--control coll_tuned_allreduce_algorithm=1 -m 8:8 -i 2 -x 0 -c", r" Pass"),
    "--arrival": ("--arrival one-late --span 100ms -m 8:8 -i 1 -x 0 --json",
                  lambda bench: len(bench["sizes"][0]["stay_us"]) == 2),
    "--span": ("--span 300ms --arrival one-late -m 8:8 -i 1 -x 0 --json",
               lambda bench: 250e3 < bench["sizes"][0]["last_arrival_us"] < 3e6),
    "-h": ("-h", "^Usage: mtree_bench"),
    "--help": ("--help", "^Usage: mtree_bench"),
}


def mpi_environment():
    environment = dict(os.environ, OMPI_MCA_coll="^mtree", OMPI_MCA_rmaps_base_oversubscribe="1",
                       PRTE_MCA_rmaps_default_mapping_policy="slot:oversubscribe", OMPI_MCA_mpi_yield_when_idle="1",
                       OMPI_MCA_reachable="weighted")  # without it Open MPI 5 may complain of a host's own address
    if os.geteuid() == 0:
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return environment


def bench(words):
    return run(["mpirun", "-n", "2", BUILD / "mtree_bench", *words.split()], env=mpi_environment(), timeout=120)


def check_warmup():
    """Calls before the timed one are made: the report counts them."""
    if not (BUILD / ".libs/mca_coll_mtree.so").exists():
        return
    for option in ("-x", "--warmup"):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "report.json")
            environment = dict(mpi_environment(), OMPI_MCA_coll="mtree", OMPI_MCA_coll_mtree_report=str(path),
                               OMPI_MCA_mca_base_component_path=f"{BUILD}/.libs:SYS_DEFAULT", PMIX_MCA_mca_base_component_path="/sys",
                               OMPI_MCA_coll_mtree_topology=str(ROOT / "tests/mpi/hosts.dot"), OMPI_MCA_coll_mtree_hosts="h0,h1")
            done = run(["mpirun", "-n", "2", BUILD / "mtree_bench", "-t", "bcast", "-m", "4k:4k", "-i", "2", option, "7"], env=environment)
            expect(done.returncode == 0, f"mtree_bench {option}: {done.stdout}")
            calls = sum(served["calls"] for group in json.loads(path.read_text())["communicators"] for kind in group["calls"]
                        if kind["function"] == "bcast" for served in kind["served"])
            expect(calls == 9, f"mtree_bench {option} 7 -i 2 makes {calls} calls")


def check_bench():
    if shutil.which("mpirun") is None:
        return
    for option, (words, wanted) in BENCH.items():
        done = bench(words)
        if callable(wanted):
            is_right = done.returncode == 0 and wanted(json.loads(done.stdout[done.stdout.index("{"):]))
        else:
            is_right = done.returncode == 0 and re.search(wanted, done.stdout) is not None
        expect(is_right, f"mtree_bench {words}: {done.stdout}")
    check_warmup()
    compare("mtree_bench", bench("--help").stdout, [*BENCH, "-x", "--warmup"])


# Stand-ins: mpirun writes down how it was called and answers as mtree_bench would, ompi_info knows two algorithms.
STANDINS = {
    "mpirun": """#!/bin/sh
echo "mpirun $*" >>"$CALLS"
case "$*" in *slow*) sleep 30 ;; esac
echo '{"ranks": 4, "validated": true, "sizes": [{"failures": 0, "slowest_median_us": 400000, "calls_us": [400000]}]}'
""",
    "ompi_info": """#!/bin/sh
echo mca:coll:tuned:param:coll_tuned_bcast_algorithm:enumerator:value:1:basic_linear
echo mca:coll:tuned:param:coll_tuned_bcast_algorithm:enumerator:value:3:pipeline
echo mca:coll:tuned:param:coll_tuned_bcast_algorithm:enumerator:value:5:chain
echo mca:coll:tuned:param:coll_tuned_allreduce_algorithm:enumerator:value:1:basic_linear
""",
    "mtree": "#!/bin/sh\necho '{\"bound_seconds\": 0.1, \"bound_by\": \"cut\"}'\n",
    "mtree_bench": "#!/bin/sh\n",
    "netlab": '#!/bin/sh\necho "netlab $*" >>"$CALLS"\n',
}

# What is given to mtree_bench_compare, and what its output, then what the programs that it started were called with, must match.
COMPARE = {
    "--local": ("--local 3 -t bcast -m 1k --quick -R 1", r"# 3 ranks on this machine", r"mpirun -n 3 "),
    "--scale": ("net.dot --scale 0.5", "", r"^netlab run net.dot --scale 0.5 "),
    "--no-latency": ("net.dot --no-latency", "", r"^netlab run .* --no-latency -- "),
    "--ranks-per-host": ("net.dot --ranks-per-host 2", "", r"^netlab run .*--ranks-per-host 2 "),
    "-t": ("--local 4 -t bcast,allreduce -m 1k --quick -R 1", r"\nbcast .*\nallreduce ", r"-t bcast .*-t allreduce "),
    "--collectives": ("--local 4 --collectives bcast -m 1k --quick -R 1", r"\nbcast ", r"-t bcast "),
    "-m": ("--local 4 -t bcast -m 1k,4k --quick -R 1", r"\nbcast +1024 .*\nbcast +4096 ", r"-m 1024:1024 .*-m 4096:4096 "),
    "--sizes": ("--local 4 -t bcast --sizes 1k:4k --quick -R 1", r" 1024 .* 2048 .* 4096 ", r"-m 2048:2048 "),
    "-R": ("--local 4 -t bcast -m 1k --quick -R 3 --json", r'"repetitions": 3', r"(coll mtree .*){3}$"),
    "--repetitions": ("--local 4 -t bcast -m 1k --quick --repetitions 2 --json", r'"repetitions": 2', ""),
    "--segments": ("--local 4 -t bcast -m 1k -R 1 --segments 8k", r"3 pipeline by 8k", r"bcast_algorithm_segmentsize 8192 "),
    "--algorithms": ("--local 4 -t bcast -m 1k --quick -R 1 --algorithms pipeline", r"3 pipeline", r"^(?!.*bcast_algorithm [15] )"),
    "--timeout": ("--local 4 -t bcast -m 1k --quick -R 1 --timeout 1 --mca note slow", r"stopped after 1 s", ""),
    "--quick": ("--local 4 -t bcast -m 1k --quick -R 1", r"\nbcast ", r"^(?!.*segmentsize)"),
    "--baselines": ("--local 4 -t bcast -m 1k --quick -R 1 --baselines", r"\nbcast ", r"^(?!.*coll mtree)"),
    "--json": ("--local 4 -t bcast -m 1k --quick -R 1 --json", r'"rows": \[\n', ""),
    "--build": ("--local 4 -t bcast -m 1k --quick -R 1", r"\nbcast ", r" /\S*/programs/mtree_bench -t bcast"),
    "--mca": ("--local 4 -t bcast -m 1k --quick -R 1 --mca btl self", r"\nbcast ", r"^(mpirun -n 4 --mca btl self [^\n]*\n)+$"),
    "--mtree-mca": ("--local 4 -t bcast -m 1k --quick -R 1 --mtree-mca coll_mtree_trees 2", r"\nbcast ",
                    r"--mca coll mtree --mca coll_mtree_trees 2 "),
    "-h": ("-h", r"^usage: mtree_bench_compare", ""),
    "--help": ("--help", r"^usage: mtree_bench_compare", ""),
}


def check_compare():
    with tempfile.TemporaryDirectory() as folder:
        programs, calls = pathlib.Path(folder, "programs"), pathlib.Path(folder, "calls")
        programs.mkdir()
        for name, text in STANDINS.items():
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        environment = dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}", CALLS=str(calls))
        environment.pop("NETLAB_LAB", None)
        for option, (words, printed, called) in COMPARE.items():
            calls.write_text("")
            done = run([sys.executable, ROOT / "bench/mtree_bench_compare", "--build", programs, *words.split()], env=environment)
            is_right = (done.returncode == 0 or option == "--timeout") and re.search(printed, done.stdout, re.S)
            expect(is_right, f"mtree_bench_compare {words}: {done.stdout}")
            expect(re.search(called, calls.read_text(), re.S), f"mtree_bench_compare {words} called: {calls.read_text()}")
    compare("mtree_bench_compare", run([sys.executable, ROOT / "bench/mtree_bench_compare", "--help"]).stdout, COMPARE)


def check_formats():
    """Each format of mtree import is described in both documents, imported in test_mtree.sh and has a reader."""
    tests, readers = ((ROOT / path).read_text() for path in ("tests/tools/test_mtree.sh", "tools/import/importer/__main__.py"))
    for ending in re.findall(r"^  FILE(\.\w+) ", run([BUILD / "mtree", "import", "--help"]).stdout, re.M):
        for page in ("docs/mtree.1", "docs/topology-file.md"):
            text = re.sub(r"\\f.", " ", (ROOT / page).read_text())
            expect(re.search(re.escape(ending) + r"\b", text), f"{page} does not have {ending}, which mtree import reads")
        expect(re.search(rf"expect 0 .* import .*{re.escape(ending)}\"", tests), f"test_mtree.sh imports no file {ending}")
        expect(f'"{ending[1:]}": ' in readers, f"importer/__main__.py has no reader of {ending}")


check_mtree()
check_formats()
check_netlab()
check_compare()
check_bench()
print("\n".join(failures) if failures else "test_options.py: every option of mtree, netlab, mtree_bench and mtree_bench_compare is used")
sys.exit(1 if failures else 0)
