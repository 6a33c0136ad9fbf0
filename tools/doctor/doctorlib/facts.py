# SPDX-License-Identifier: BSD-3-Clause
"""What a host tells, and whether all of it is there: a rank's mtree may be of another version, a file may be cut."""

import ipaddress

from .errors import DoctorError

TEXT = (str,)
NUMBER = (int, float)
MAYBE_TEXT = (str, type(None))
# What need not be there.
LEFT_OUT = type(...)


class Each:
    """A list, or the values of an object, of one shape."""

    def __init__(self, kind, shape):
        self.kind, self.shape = kind, shape


INTERFACE = {"device": TEXT, "address": TEXT, "prefix": (int,), "mtu": (int,), "up": (bool,), "loopback": (bool,)}
OMPI = {"version": MAYBE_TEXT, "mtree": MAYBE_TEXT, "parameters": Each(dict, TEXT)}
FACTS = {
    "hostname": TEXT,
    "interfaces": Each(list, INTERFACE),
    "ipv6": (list, LEFT_OUT),
    "resolves": (dict,),
    "ompi": (dict,),
    "programs": {name: MAYBE_TEXT for name in ("orted", "prted", "mpirun", "ompi_info")},
    "environment": Each(dict, TEXT),
    "settings": {name: TEXT for name in ("tcp_rmem", "tcp_wmem")},
    "ports": Each(dict, (int,)),
}
PATH = {
    "to": (int,), "address": TEXT, "use": TEXT, "port": (int,), "state": TEXT, "passes": (int, type(None), LEFT_OUT),
    **{name: (*MAYBE_TEXT, LEFT_OUT) for name in ("source", "device", "error", "bulk")},
}
PATH_THAT_WORKS = {"answered": (int,), "seen": TEXT, "rtt": NUMBER, "mss": (int,), "offset": NUMBER, "offset_error": NUMBER}
END = {"at": TEXT, "address": TEXT, "to": TEXT}
STREAM = {"to": (int,), "rate": (int, float, type(None))}
ENTRY = {"name": TEXT, "reached": (bool,), "error": MAYBE_TEXT, "paths": (list,), "streams": (list,)}


def lack(value, shape, where):
    """The name of the first thing that VALUE, called WHERE, lacks or has as something else; None: it has SHAPE."""
    if isinstance(shape, tuple):
        return None if isinstance(value, shape) and (bool in shape or not isinstance(value, bool)) else where
    if not isinstance(value, dict if isinstance(shape, dict) else shape.kind):
        return where
    if isinstance(shape, dict):
        parts = [(value.get(name, ...), its, f"{where}.{name}") for name, its in shape.items()]
    else:
        parts = [(its, shape.shape, where) for its in (value.values() if shape.kind is dict else value)]
    return next(filter(None, (lack(*part) for part in parts)), None)


def is_address(text):
    try:
        return isinstance(text, str) and ipaddress.IPv4Address(text) is not None
    except ValueError:
        return False


def lack_of_facts(facts):
    """What a host's facts lack, or None."""
    missing = lack(facts, FACTS, "facts")
    if missing is None and "error" not in facts["ompi"]:
        missing = lack(facts["ompi"], OMPI, "facts.ompi")
    if missing is None and not all(is_address(one["address"]) and 0 <= one["prefix"] <= 32 for one in facts["interfaces"]):
        missing = "facts.interfaces.address"
    answers = [] if missing else [answer for answer in facts["resolves"].values() if answer is not None]
    if not missing and not all(isinstance(answer, list) and all(map(is_address, answer)) for answer in answers):
        missing = "facts.resolves"
    return missing


def lack_of_paths(paths, count):
    """What a host's tries to connect to the COUNT hosts lack, or None."""
    missing = lack(paths, Each(list, PATH), "paths")
    if missing is None:
        missing = lack([path for path in paths if path["state"] == "ok"], Each(list, PATH_THAT_WORKS), "paths")
    return missing or (None if all(0 <= path["to"] < count for path in paths) else "paths.to")


def lack_of_streams(streams, count):
    missing = lack(streams, Each(list, STREAM), "streams")
    return missing or (None if all(0 <= one["to"] < count for one in streams) else "streams.to")


def settle(document):
    """DOCUMENT, where hosts whose facts are not all there have none; DoctorError: it is not one of facts."""
    hosts = document.get("hosts") if isinstance(document, dict) else None
    missing = lack(hosts, Each(list, ENTRY), "hosts")
    of_map = None if missing else document.get("map")
    if missing is None and of_map is not None:
        missing = lack(of_map, {"file": TEXT, **({} if "hosts" in of_map else {"error": TEXT})}, "map")
        missing = missing or lack(of_map.get("hosts", []), Each(list, Each(list, TEXT)), "map.hosts")
        missing = missing or lack(of_map.get("ends", []), Each(list, END), "map.ends")
    if missing is not None:
        raise DoctorError(f"no facts (there is no {missing}); write them with mtree doctor --output")
    return {**document, "map": of_map, "hosts": [settle_host(entry, len(hosts)) for entry in hosts]}


def settle_host(entry, count):
    if entry.get("facts") is None:
        return {**entry, "facts": None, "error": entry["error"] or "it does not answer"}
    missing = (lack_of_facts(entry["facts"]) or lack_of_paths(entry["paths"], count)
               or lack_of_streams(entry["streams"], count))
    return entry if missing is None else without_facts(entry, missing)


def without_facts(entry, missing):
    """The ENTRY of a host whose facts lack what is MISSING."""
    return {**entry, "facts": None, "paths": [], "streams": [], "lacks": missing}
