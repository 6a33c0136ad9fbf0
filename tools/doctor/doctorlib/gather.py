# SPDX-License-Identifier: BSD-3-Clause
"""Facts of all hosts: three requests, of which each follows from the answers to the one before."""

import json
import os
import secrets
import subprocess

from .errors import reason
from .facts import FACTS, lack, paths_among

FORMAT = 1
FACTS_SECONDS = 6.0
CONNECT_SECONDS = 6.0
STREAM_SECONDS = 3.0
MAP_SECONDS = 10.0
LONG_RTT = 2e-3  # seconds; below, no buffer is too small
MOST_STREAMS = 2  # per host
MOST_ADDRESSES = 8  # per host
FORWARDED = ("OMPI_MCA_", "PRTE_MCA_", "PMIX_MCA_")


def forwarded(environment):
    """What mpirun would take along to the hosts."""
    return {name: value for name, value in environment.items() if name.startswith(FORWARDED)}


def own_addresses(facts):
    """The addresses by which others could reach a host."""
    return [entry["address"] for entry in facts["interfaces"] if entry["up"] and not entry["loopback"]]


def targets(number, names, facts):
    """The addresses and ports that host NUMBER tries: each of a peer's own, and each that the peer's
    name has here."""
    found = []
    for peer, its in sorted(facts.items()):
        if peer == number:
            continue
        resolved = facts[number]["resolves"].get(names[peer]) or []
        addresses = list(dict.fromkeys(own_addresses(its) + resolved))
        found += [
            {"to": peer, "address": address, "use": use, "port": port}
            for address in addresses[:MOST_ADDRESSES]
            if not address.startswith("127.")
            for use, port in sorted(its["ports"].items())
        ]
    return found


def long_targets(paths):
    """The farthest peers of a host, to measure what several connections carry there."""
    working = [path for path in paths if path["state"] == "ok" and path["answered"] == path["to"]
               and path["use"] == "btl" and path["rtt"] >= LONG_RTT and path.get("bulk") == "ok"]
    farthest = {}
    for path in sorted(working, key=lambda path: -path["rtt"]):
        farthest.setdefault(path["to"], path)
    return [
        {key: path[key] for key in ("to", "address", "port")}
        for path in list(farthest.values())[:MOST_STREAMS]
    ]


def read_map(path, mtree):
    """The names of the hosts and ends of a topology file, as mtree reads it; else why it cannot be read.  The path is a host's: it
    may be anything."""
    try:
        done = subprocess.run([mtree, "topology", "--json", "--", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=MAP_SECONDS, check=False)
    except OSError as error:
        return {"file": path, "error": f"{mtree} cannot be started: {reason(error)}"}
    except subprocess.TimeoutExpired:
        return {"file": path, "error": f"reading it takes more than {MAP_SECONDS:.0f} s; is it a file?"}
    if done.returncode != 0:
        return {"file": path, "error": done.stderr.decode(errors="replace").strip()}
    found = json.loads(done.stdout)
    names = [[entry["name"], entry["host"]] for entry in found["hosts"]]
    return {"file": path, "hosts": names, "ends": ends_of_links(found)}


def ends_of_links(topology):
    """The ends of links that a topology names."""
    return [{"at": link[end], "address": cable[f"{end}_address"], "to": link[other]}
            for link in topology["links"] for cable in link.get("cables", [])
            for end, other in (("from", "to"), ("to", "from")) if f"{end}_address" in cable]


def map_file(facts):
    """The file that coll_mtree_topology names, if it names one."""
    for its in facts.values():
        value = its["ompi"].get("parameters", {}).get("coll_mtree_topology", "")
        if "/" in value or "." in value:
            return value
    return None


def gather(channel, environment, mtree):
    """Everything that the decisions need to know."""
    names = channel.names
    token = secrets.token_hex(8)
    requests = {
        number: {"do": "facts", "host": number, "token": token, "names": names,
                 "environment": environment, "folder": os.getcwd()}
        for number in range(len(names))
    }
    told = channel.ask(requests, FACTS_SECONDS)
    facts = {number: its for number, its in told.items() if lack(its, FACTS, "facts") is None}
    wanted = {number: targets(number, names, facts) for number in facts}
    paths = channel.ask(
        {number: {"do": "connect", "targets": wanted[number]} for number in facts}, CONNECT_SECONDS
    )
    long = {number: long_targets(its) for number, its in paths.items() if lack(its, paths_among(len(names)), "paths") is None}
    streams = channel.ask(
        {number: {"do": "stream", "targets": long[number]} for number in long if long[number]},
        STREAM_SECONDS,
    )
    path = map_file(facts)
    hosts = []
    for number, name in enumerate(names):
        is_reached, error = channel.outcome(number)
        hosts.append({
            "name": name,
            "reached": is_reached,
            "error": None if number in told else error,
            "facts": told.get(number),
            "paths": paths.get(number, []),
            "streams": streams.get(number, []),
        })
    return {"format": FORMAT, "hosts": hosts, "map": read_map(path, mtree) if path else None}
