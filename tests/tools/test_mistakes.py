#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The errors of mistakes that test_mtree.sh and test_netlab.py do not make: each case is a command line, its exit status and the
one line that it prints.  test_errors.py lists the errors that no test expects."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(os.environ.get("srcdir", ".")).resolve()
BUILD = pathlib.Path.cwd()
B4, STAR = ROOT / "topologies/b4.dot", ROOT / "topologies/star-8.dot"
MTREE = [BUILD / "mtree"]
NETLAB = [sys.executable, ROOT / "tools/netlab/netlab"]
COMPARE = [sys.executable, ROOT / "bench/mtree_bench_compare"]
RELAY = [BUILD / "netlab_relay"]
failures = []
checks = 0


def says(command, code, line, stdin="", environment=None):
    """The command exits with CODE, and a line of its output matches."""
    global checks
    checks += 1
    done = subprocess.run([str(word) for word in command], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, timeout=120, env=environment)
    if done.returncode != code or re.search(line, done.stdout) is None:
        failures.append(f"{' '.join(str(word) for word in command)}: exit {done.returncode}, wanted {code} and '{line}' in:\n{done.stdout}")


def check_files(folder):
    def file(name, text):
        path = folder / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    plan = {"collective": "allreduce", "algorithm": "packing", "throughput_bps": 1e6, "hosts": ["a", "b"],
            "trees": [{"root": "a", "rate_bps": 1e6, "share": 1, "edges": [["a", "b"]]}]}

    def changed(**changes):
        return file("plan.json", json.dumps({**plan, **changes}))

    def tree(**changes):
        return changed(trees=[{**plan["trees"][0], **changes}])

    says([*MTREE, "check", changed()], 0, "every tree spans")
    says([*MTREE, "check", file("list.json", "[1")], 1, "list.json:1: .*; a plan is one JSON object")
    says([*MTREE, "check", changed(hosts=[])], 1, 'plan.json: no "hosts"; give an array of host names')
    says([*MTREE, "check", changed(relays="c")], 1, '"relays" is no array; give host names, or leave it out')
    says([*MTREE, "check", changed(hosts=["a", "a"])], 1, "host 1 is not a name, or is there twice; name each host once")
    says([*MTREE, "check", changed(throughput_bps=-1)], 1, '"throughput_bps" is not a number of at least 0; correct it or leave it out')
    says([*MTREE, "check", changed(bound_bps=1e-308)], 1, '"bound_bps" is not 0 or a rate of 1e-12 to 1e[+]24 b/s; correct it')
    says([*MTREE, "check", changed(trees=[])], 1, 'no "trees"; give an array')
    says([*MTREE, "check", tree(share=1.5)], 1, "tree 0 has share 1.5; shares lie between 0 and 1")
    says([*MTREE, "check", tree(latency_s=[1, 2])], 1, '"latency_s" and "edges" differ in length')
    says([*MTREE, "check", tree(edges=[["a"]])], 1, 'an edge is not two names from "hosts"')
    for rate in (-1, 1e308, 5e-324):
        says([*MTREE, "check", tree(rate_bps=rate)], 1, "tree 0 has rate .*; give 0 or a rate of 1e-12 to 1e[+]24 b/s")
    says([*MTREE, "draw", "--json", "--plan", tree(rate_bps=1e308), file("two.dot", 'graph { a -- b [capacity="1Mbps"]; }')], 1,
         "tree 0 has rate 1e[+]308")
    twice = {**plan["trees"][0], "edges": [["a", "b"], ["a", "b"]]}
    says([*MTREE, "check", changed(hosts=["a", "b", "c"], trees=[twice])], 1, "a host has two parents")
    says([*MTREE, "check", tree(root="c")], 1, 'tree 0: "root" is not one of "hosts"; name the root')
    says([*MTREE, "check", changed(root="c")], 1, '"root" is not one of "hosts"; name a host or write null')
    says([*MTREE, "check", tree(share="all")], 1, 'no "share" or no "rate_bps"')
    says([*MTREE, "check", changed(route_bps=[1])], 1, '"route_bps", _ns and _links are not of every two hosts')
    says([*MTREE, "check", changed(collective="bcast", root="b")], 1, "tree 0 has root a, but the bcast is from b")
    says([*MTREE, "check", changed(collective="bcast")], 1, 'name the root|"root"')
    pair = file("pair.dot", 'graph { "A.site" -- b -- c [capacity="1Mbps"]; }')
    says([*MTREE, "check", changed(hosts=["a", "B"], trees=[{**plan["trees"][0], "edges": [["a", "B"]]}]), pair], 0, "every tree spans")
    spelt = {"root": "a", "rate_bps": 1e6, "share": 1, "edges": [["a", "A.site."]]}
    says([*MTREE, "check", changed(hosts=["a", "A.site."], trees=[spelt]), pair], 1,
         "plan: hosts a and A.site. are one host of .*; name each host once")
    says([*MTREE, "check"], 2, "a plan, and maybe a topology file, are needed")
    for command in ("plan", "draw", "simulate", "compare", "topology"):
        says([*MTREE, command], 2, "one topology file is needed")
    for command in ("report", "top"):
        says([*MTREE, command], 2, "one report file is needed")
    says([*MTREE, "generate"], 2, "one shape is needed")
    says([*MTREE, "import"], 2, "one file is needed")
    says([*MTREE, "topology", file("nul.dot", b"graph { a\0 }")], 1, "nul.dot: holds a NUL byte: not a DOT file")
    says([*MTREE, "topology", file("case.dot", 'graph { Node1 -- node1 [capacity="1Mbps"]; }')], 1,
         "case.dot:1: nodes .* and .* both stand for host .*; give each a host of its own")
    slow = file("slow.dot", 'graph { a -- b [capacity="1bps"]; b -- c [capacity="1Gbps"]; c -- a [capacity="1bps"]; }')
    says([*MTREE, "plan", "-a", "topoadopt", slow], 0, "throughput")
    says([*MTREE, "compare", file("one.dot", "graph { a }")], 0, r"openmpi:allgather_reduce  .*0 us    1.00\s*\Z")
    says([*MTREE, "topology", folder], 1, "cannot be read: Is a directory|is a directory")
    says([*MTREE, "topology", file("long.dot", 'graph { a [host="' + "x" * (1 << 21) + '"]; }')], 1,
         "long.dot:1: .* over 1 MiB; mtree takes no larger file")
    says([*MTREE, "import", file("nul.gml", b"graph [\0]")], 1, "nul.gml: holds a NUL byte: not a GML file")
    says([*MTREE, "import", file("broken.gml", "graph [ node [ id 1 ] ] ]")], 1, "broken.gml:1: .*: not a GML file")
    says([*MTREE, "import", file("value.gml", 'graph [ "x" 1 ]')], 1, "value.gml:1: a value without a key: not a GML file")
    says([*MTREE, "import", file("key.gml", "graph [ node ]")], 1, "key.gml:1: a key without a value: not a GML file")
    says([*MTREE, "import", file("deep.gml", "a [ " * 40)], 1, "deep.gml:1: lists nested too deeply: not a GML file")
    says([*MTREE, "import", file("deep.xml", "<graphml>" * 300)], 1, "deep.xml:1: elements nested too deeply: not a GraphML file")
    says([*MTREE, "import", file("deep.yaml", "[" * 100000)], 1, "deep.yaml:1: lists nested too deeply: not a topology.yaml")
    says([*MTREE, "import", file("close.gml", "]")], 1, r"close.gml:1: a '\]' without its '\[': not a GML file")
    labels = "".join(f'node [ id {number} label "{label}" ] ' for number, label in enumerate(("a_n2", "a", "a")))
    says([*MTREE, "import", file("same.gml", f"graph [ {labels}]")], 1, "same.gml: two nodes would be named a_n2; rename one")
    says([*MTREE, "import", file("name.tsv", 'a"b\tc\n')], 1,
         "name.tsv:1: a node's name must be 1 to .* bytes of UTF-8 without quotes, backslashes and control characters")
    says([*MTREE, "import", file("empty.tsv", "# source\ttarget\n")], 1, "empty.tsv: no host: there are no nodes, or all are switches")
    says([*MTREE, "import", file("one.tsv", "a\n")], 1, "one.tsv:1: two nodes with a tab between them are needed")
    says([*MTREE, "import", file("nul.tsv", b"a\tb\0\n")], 1, r"nul.tsv:1: not a line of a table \(over .* bytes, or a NUL in it\)")
    says([*MTREE, "import", file("word.conf", "SwitchName=s Nodes\n")], 1, "word.conf:1: 'Nodes' is no Key=value")


def check_spelling():
    says([*MTREE, "plam"], 2, r"no command 'plam' \(did you mean plan\?\); 'mtree --help' lists them")
    says([*MTREE, "sim"], 2, r"no command 'sim' \(did you mean simulate\?\)")
    says([*MTREE, "plan", "--algoritm=ring", B4], 2,
         r"plan: unrecognized option '--algoritm' \(did you mean --algorithm\?\); see 'mtree plan --help'")
    says([*MTREE, "plan", "--json=3", B4], 2, "plan: option '--json=3' takes no value; see")
    says([*MTREE, "plan", "--help=3"], 2, "plan: option '--help=3' takes no value; see")
    says([*MTREE, "plan", "-jz", B4], 2, "plan: unrecognized option '-z'; see")
    says([*MTREE, "plan", "-zj", B4], 2, "plan: unrecognized option '-z'; see")
    says([*MTREE, "plan", B4, "--root"], 2, "plan: option '--root' needs a value; see")
    says([*MTREE, "plan", B4, "-jR"], 2, "plan: option '-jR' needs a value; see")
    says([*MTREE, "plan", "-a", "pakcing", B4], 1,
         r"there is no algorithm pakcing \(did you mean packing\?\); there are packing, latency, ")
    says([*MTREE, "plan", "-H", "US1,US22", B4], 1, r"no host 'US22' \(did you mean US2\?\); 'mtree topology' lists the hosts")


def check_planning(folder):
    (pathlib.Path(folder) / "pair.dot").write_text('graph { a -- b [capacity="10Gbps"] }', encoding="utf-8")
    says([*MTREE, "plan", B4, "--size", "many"], 2, "--size 'many': .*; write it like 16M")
    says([*MTREE, "plan", B4, "--hosts", "US1,nowhere"], 1, "no host 'nowhere'; 'mtree topology' lists the hosts")
    says([*MTREE, "plan", B4, "--hosts", "US1,US2,US3,US4,US5,US6,EU1,EU2,EU3,EU4,AS1,AS2,US1"], 1,
         "--hosts names more hosts than there are")
    says([*MTREE, "plan", B4, "--hosts", ""], 1, "--hosts names no host")
    says([*MTREE, "plan", B4, "--hosts", "US1,US2", "--relays", "EU1,US2"], 1,
         "--relays names host 'US2', which is one of --hosts; a relay is another host")
    says(["sh", "-c", f"{MTREE[0]} generate star:257 >{folder}/star.dot; {MTREE[0]} plan -C scan {folder}/star.dot"], 1,
         "a scan over 257 hosts is not supported, as each host needs the trees of all; at most 256 have one")
    says([*MTREE, "plan", B4, "-a", "psld", "-C", "bcast"], 1, "algorithm psld does not do bcast; choose another, packing does all")
    says([*MTREE, "simulate", STAR, "--chunk", "x"], 2, "--chunk 'x': .*; write it like 64K")
    says([*MTREE, "simulate", STAR, "--overhead", "x"], 2, "--overhead 'x': .*; write it like 20us")
    says([*MTREE, "compare", STAR, "-a", "psld", "-C", "bcast", "-b", "1M"], 1, "none of the algorithms could run; the first: ")
    says([*MTREE, "compare", STAR, "-a", ",".join(["ring"] * 200)], 1, "more than .* algorithms; name fewer")
    says([*MTREE, "simulate", STAR, "-b", "16M", "--chunk", "1"], 1,
         "simulate: 16 MB in pieces of 1 B take too long to simulate; give longer pieces or a shorter message, 13.* MB at most")
    says([*MTREE, "simulate", STAR, "-b", "8192T"], 1, "simulate: 8192 TB in pieces of .* take too long to simulate")
    says([*MTREE, "compare", STAR, "-b", "8192T"], 1, "compare: 8192 TB in pieces of 64 KB take too long to simulate")
    done = subprocess.run([*MTREE, "simulate", "-C", "bcast", "-b", "68G", f"{folder}/pair.dot"], capture_output=True, check=False)
    if done.returncode != 0 or b"bcast of 68 GB" not in done.stdout:
        failures.append(f"68 GB between two hosts: exit {done.returncode}: {done.stderr}")
    says([*MTREE, "simulate", STAR, "--ranks-per-host", "8192", "-b", "1M"], 1, "8192 ranks per host on 8 hosts; 1 to .* can be simulated")
    if pathlib.Path("/dev/full").exists():
        subprocess.run([*MTREE, "plan", B4, "-o", f"{folder}/plan"], stdout=subprocess.DEVNULL, check=True)
        for words in (["topology", "--json", B4], ["topology", B4], ["check", f"{folder}/plan"], ["check", "--json", f"{folder}/plan"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([*MTREE, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode != 1 or done.stderr != "mtree: the output cannot be written: is the disk full?\n":
                failures.append(f"{words[:2]}, a full disk: exit {done.returncode}: {done.stderr}")


def check_netlab():
    says([*NETLAB, "up", B4, "--ranks-per-host", "0"], 2, "'0' is not a whole number above zero")
    says([*NETLAB, "up", B4, "--scale", "none"], 2, "'none' is not a positive number")
    says([*NETLAB, "rnu", STAR], 2, r"invalid choice: 'rnu' .*did you mean run\?")
    says([*NETLAB, "up", STAR, "--scael", "0.1"], 2, r"unrecognized arguments: --scael 0.1 .did you mean --scale\?.; see")
    says([*NETLAB, "down", "no-such-lab"], 1, "no lab is named no-such-lab; netlab status lists those that stand")
    says([*NETLAB, "set", "no-such-lab", "a--b", "latency=1ms"], 1, "'latency=1ms': only capacity=RATE and cross=RATE can be set")
    says([*NETLAB, "run", B4], 2, "run needs '-- COMMAND' at the end")
    says([*NETLAB, "status", "--", "ls"], 2, "status takes no '-- COMMAND'")
    says([*NETLAB, "up", B4, "--mtree", ROOT / "README.md"], 1, "README.md is not a program; it should be mtree")
    says([*NETLAB, "up", "/nowhere.dot", "--mtree", BUILD / "mtree"], 1, "could not read /nowhere.dot")
    with tempfile.TemporaryDirectory() as folder:
        # Alone, netlab finds mtree nowhere.
        shutil.copytree(ROOT / "tools/netlab/netlablib", pathlib.Path(folder, "bin/netlablib"))
        shutil.copy(ROOT / "tools/netlab/netlab", pathlib.Path(folder, "bin/netlab"))
        environment = {**os.environ, "PATH": "/usr/bin:/bin"}
        environment.pop("MTREE", None)
        if shutil.which("mtree", path="/usr/bin:/bin:/usr/sbin:/sbin") is None:
            says([sys.executable, f"{folder}/bin/netlab", "up", B4], 1,
                 "mtree is neither in the build folder nor on PATH: build it with make, or give --mtree PATH", environment=environment)
    says(RELAY, 1, "not a link: 'nonsense'; wanted DEVICE DEVICE NANOSECONDS BITS_PER_SECOND", stdin="nonsense\n")
    says([*NETLAB, "_cross", "no-such b 1000000 1500"], 1, "netlab: error: .*No such file.*/run/netns/no-such")
    says([*NETLAB, "_cross", "a b -1 1500"], 1, "not a sender: 'a b -1 1500'; wanted NAMESPACE DEVICE BITS_PER_SECOND MTU")


def check_lab():
    """What a standing lab is needed for, where namespaces can be made."""
    if subprocess.run([str(word) for word in [*NETLAB, "probe"]], stdout=subprocess.DEVNULL, check=False).returncode != 0:
        return
    name = f"mistakes{os.getpid()}"
    up = [*NETLAB, "up", STAR, "--mtree", BUILD / "mtree", "--no-latency", "--name", name]
    says(up, 0, name)
    try:
        says(up, 1, f"a lab named {name} is there already; choose another with --name, or remove it: netlab down {name}")
        says([*NETLAB, "exec", name, "nowhere", "--", "true"], 1, f"lab {name} has no host 'nowhere'; see netlab status {name}")
        says([*NETLAB, "set", name, "h0--h1", "capacity=1Mbps"], 1, f"lab {name} has no link 'h0--h1'; write A--B for both ways or 'A->B'")
        says([*NETLAB, "set", name, "h0--switch", "capacity=much"], 1, "'much' is not a capacity: write 30Mbps, 2.5GBps or x0.25")
    finally:
        says([*NETLAB, "down", name], 0, "is gone")


def mpi_environment():
    environment = dict(os.environ, OMPI_MCA_coll="^mtree", OMPI_MCA_rmaps_base_oversubscribe="1")
    if os.geteuid() == 0:
        environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    return environment


def check_bench(folder):
    if shutil.which("mpirun") is None:
        return
    short = pathlib.Path(folder, "short.txt")
    short.write_text("1 2 3\n")
    empty = pathlib.Path(folder, "empty.txt")
    empty.write_text("")
    for words, line in (
            ("-t sort", "--collective sort: no such operation; --help lists them"),
            ("-m tiny", "-m: size 'tiny': .*; give bytes, or 64k, 16M"),
            ("-m 0:0", "-m: size '0': must be from 1 to [0-9]* bytes"),
            ("-m 2k:1k", "-m: the least size, 2048 bytes, is above the greatest, 1024"),
            ("-i 0", "mtree_bench: --iterations '0': a whole number from 1 to"),
            ("--root 5", "--root 5: there are 1 ranks, numbered from 0"),
            ("--active 2", "--active 2: give from 1 to 1, the ranks up to the root, and all"),
            ("--span x", "mtree_bench: --span 'x': .*; write it like 2s"),
            ("--limit x", "mtree_bench: --limit 'x': .*; write it like 2s"),
            ("--control coll_tuned_priority", "--control coll_tuned_priority: give NAME=NUMBER"),
            ("--control coll_sort=1", "--control coll_sort=1: this MPI has no such variable"),
            ("--control mpi_param_check=1", "--control mpi_param_check=1: this variable .*"),
            (9 * "--control a=1 ", "--control a=1: only 8 variables can be set"),
            ("-t alreduce", r"--collective alreduce: no such operation \(did you mean allreduce\?\); --help lists them"),
            ("--iterration=3", r"mtree_bench: unrecognized option '--iterration' \(did you mean --iterations\?\); see 'mtree_bench --help'"),
            ("--root", "mtree_bench: option '--root' needs a value"),
            ("here", "mtree_bench: it takes options alone; see 'mtree_bench --help'"),
            (f"--arrival {short}", "short.txt:1: not 1 times in seconds; give one for each rank"),
            (f"--arrival {empty}", "empty.txt: it is empty; give a line of 1 times in seconds")):
        says(["mpirun", "-n", "1", BUILD / "mtree_bench", *words.split()], 1, line, environment=mpi_environment())
    says(["mpirun", "-n", "2", BUILD / "mtree_bench", "-t", "allgather", "-m", "2000M:2000M"], 1,
         "allgather of 2097152000 bytes on 2 ranks has more than [0-9]* elements: give a smaller maximum with -m",
         environment=mpi_environment())
    says(["mpirun", "-n", "1", *MTREE, "probe"], 2, "-o FILE.dot, and nothing else, is needed", environment=mpi_environment())


def check_compare(folder):
    says(COMPARE, 2, r"give FILE.dot, or --local N")
    says([*COMPARE, "--local", "4", "-m", "much"], 2, "'much' is not a size such as 65536, 64k or 16M")
    says([*COMPARE, "--local", "none"], 2, "'none' is not a number above zero")
    programs = pathlib.Path(folder, "programs")
    programs.mkdir()
    for name, text in (("mpirun", 'echo "mtree_bench: it broke" >&2; exit 3'), ("ompi_info", "exit 0"), ("mtree_bench", "exit 0"),
                       ("mtree", "echo 'mtree: no such map' >&2; exit 1")):
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    environment.pop("NETLAB_LAB", None)
    says([*COMPARE, "--build", programs, "--local", "2", "-t", "bcast", "-m", "1k"], 1,
         "FAILED bcast 1024 default: exit status 3, mtree_bench: it broke", environment=environment)
    says([*COMPARE, "--build", programs, "net.dot", "-t", "bcast", "-m", "1k"], 2, "mtree plan .*' failed: mtree: no such map",
         environment={**environment, "NETLAB_LAB": folder})


with tempfile.TemporaryDirectory() as scratch:
    check_files(pathlib.Path(scratch))
    check_bench(scratch)
    check_compare(scratch)
    check_planning(scratch)
check_netlab()
check_lab()
print("\n".join(failures) if failures else f"test_mistakes.py: {checks} mistakes, each answered by one line")
sys.exit(1 if failures else 0)
