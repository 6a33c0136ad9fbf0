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


def is_address(text):
    try:
        return isinstance(text, str) and ipaddress.IPv4Address(text) is not None
    except ValueError:
        return False


def below(count):
    return lambda number: isinstance(number, int) and 0 <= number < count


def is_answer(addresses):
    return addresses is None or (isinstance(addresses, list) and all(map(is_address, addresses)))


def ompi(value):
    return {} if isinstance(value, dict) and "error" in value else OMPI


INTERFACE = {"device": TEXT, "address": is_address, "prefix": below(33), "mtu": (int,), "up": (bool,), "loopback": (bool,)}
OMPI = {"version": MAYBE_TEXT, "mtree": MAYBE_TEXT, "parameters": Each(dict, TEXT)}
FACTS = {
    "hostname": TEXT,
    "interfaces": Each(list, INTERFACE),
    "ipv6": (list, LEFT_OUT),
    "resolves": Each(dict, is_answer),
    "ompi": ompi,
    "programs": {name: MAYBE_TEXT for name in ("orted", "prted", "mpirun", "ompi_info")},
    "environment": Each(dict, TEXT),
    "settings": {name: TEXT for name in ("tcp_rmem", "tcp_wmem")},
    "ports": Each(dict, (int,)),
}
PATH = {
    "address": TEXT, "use": TEXT, "port": (int,), "state": TEXT, "passes": (int, type(None), LEFT_OUT),
    **{name: (*MAYBE_TEXT, LEFT_OUT) for name in ("source", "device", "error", "bulk")},
}
PATH_THAT_WORKS = {"answered": (int,), "seen": TEXT, "rtt": NUMBER, "mss": (int,), "offset": NUMBER, "offset_error": NUMBER}
END = {"at": TEXT, "address": TEXT, "to": TEXT}
ENTRY = {"name": TEXT, "reached": (bool,), "error": MAYBE_TEXT, "paths": (list,), "streams": (list,)}


def paths_among(count):
    """A host's tries to connect to COUNT hosts."""
    def path(value):
        works = isinstance(value, dict) and value.get("state") == "ok"
        return {"to": below(count), **PATH, **(PATH_THAT_WORKS if works else {})}
    return Each(list, path)


def lack(value, shape, where):
    """The name of the first thing that VALUE, called WHERE, lacks or has as something else; None: it has SHAPE: one of some types,
    an object with members, Each(), or what a function says of the value, a shape or whether it is right."""
    if isinstance(shape, tuple):
        return None if isinstance(value, shape) and (bool in shape or not isinstance(value, bool)) else where
    if callable(shape):
        shape = shape(value)
    if isinstance(shape, bool):
        return None if shape else where
    if not isinstance(value, dict if isinstance(shape, dict) else shape.kind):
        return where
    if isinstance(shape, dict):
        parts = [(value.get(name, ...), its, f"{where}.{name}") for name, its in shape.items()]
    else:
        parts = [(its, shape.shape, where) for its in (value.values() if shape.kind is dict else value)]
    return next(filter(None, (lack(*part) for part in parts)), None)


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
    stream = {"to": below(count), "rate": (int, float, type(None))}
    shapes = {"facts": FACTS, "paths": paths_among(count), "streams": Each(list, stream)}
    missing = next(filter(None, (lack(entry[name], shape, name) for name, shape in shapes.items())), None)
    return entry if missing is None else {**entry, "facts": None, "paths": [], "streams": [], "lacks": missing}
