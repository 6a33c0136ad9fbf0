# SPDX-License-Identifier: BSD-3-Clause
"""From a topology to a standing lab and back: up, run, set."""

import json
import os
import subprocess
import sys
import time
from collections import Counter

from . import capabilities, cross, faults, labs, programs, quantities, recipe, topology
from .errors import NetlabError, ignore_signals

END_SECONDS = 5.0  # for the user's command to end after a signal
BEARABLE_RATE = 1e9  # bits/s per processor, all links and directions (docs/lab.md)


def find_relay(network):
    """The program that holds or loses packets of some links; None: no link needs it."""
    if capabilities.has_netem():
        topology.use_netem(network.links)
    if not any(map(topology.needs_relay, network.links)):
        return None
    program = topology.find_program("netlab_relay", "NETLAB_RELAY")
    if program is None:
        raise NetlabError(
            "the kernel has no netem, or loss, jitter or reordering are wanted, and netlab_relay is "
            "neither in the build folder nor on PATH: build it with make, or leave latency "
            "out: --no-latency"
        )
    return program


def latency_kind(network, relay_program):
    """What delays packets, for `netlab status`."""
    if relay_program is not None:
        return "relay"
    return "netem" if any(link["netem"] for link in network.links) else "none"


def most_carried(network):
    """Bits/s that all links carry together at most: one that leads to a host alone carries no
    more than its switch gets from other switches, where it has such links."""
    links_at, elsewhere = Counter(), Counter()
    for link in network.links:
        links_at.update(topology.ends(link))
    for link in network.links:
        if all(links_at[end] > 1 for end in topology.ends(link)):
            elsewhere.update(dict.fromkeys(topology.ends(link), max(link["capacity_bps"])))
    return sum(
        min(rate, max(elsewhere[end] for end in topology.ends(link)) or rate)
        for link in network.links
        for rate in link["capacity_bps"]
    )


def warn_of_too_much(network, scale):
    """A lab that the processors limit and not its links measures the wrong thing."""
    total = most_carried(network) * scale
    bearable = BEARABLE_RATE * (os.cpu_count() or 1)
    if total > bearable:
        print(
            f"netlab: warning: {total / 1e9:.3g} Gb/s in all links are more than these "
            f"processors carry; --scale {scale * bearable / total:.2g} is not",
            file=sys.stderr,
        )


def spawn_holder(lab, lifeline):
    """Start the holder; returns (process, write end of its lifeline or None)."""
    ours, theirs = None, subprocess.DEVNULL
    if lifeline:
        theirs, ours = os.pipe()
        os.set_inheritable(ours, False)
    log = None if lifeline else os.open(lab.path("log"), os.O_WRONLY | os.O_CREAT, 0o600)
    command = [
        *capabilities.unshare_command(),
        sys.executable,
        os.path.abspath(sys.argv[0]),
        labs.HOLD_COMMAND,
        lab.folder,
        "lifeline" if lifeline else "detached",
    ]
    process = subprocess.Popen(
        command, stdin=theirs, stdout=subprocess.PIPE, stderr=log, start_new_session=True
    )
    if lifeline:
        os.close(theirs)
    else:
        os.close(log)
    return process, ours


def write_lab(lab, number, options, network, relay_program):
    """Write into the lab's folder what its holder and its programs need."""
    topology.write(options, lab.path(labs.TOPOLOGY))
    made = recipe.cook(
        network,
        topology.forwarding(network),
        number,
        options.scale,
        options.congestion_control,
    )
    made["relay_program"] = relay_program
    faults.inject(lab, made, number, options.fault)
    lab.write("recipe.json", json.dumps(made))
    lab.description = {
        "file": os.path.abspath(options.file),
        "scale": options.scale,
        "latency": latency_kind(network, relay_program),
        "congestion_control": options.congestion_control
        or capabilities.read_tcp_setting("congestion_control"),
        "number": number,
        **made["description"],
    }
    programs.write_scripts(lab, options.ranks_per_host)


def start(options, network, lifeline):
    """Build the lab of `network`; it stands until stop() or the end of its lifeline."""
    capabilities.require_namespaces()
    capabilities.require_congestion_control(options.congestion_control)
    relay_program = find_relay(network)
    name = options.name or labs.default_name(options.file)
    if not recipe.SAFE_NAME.match(name):
        raise NetlabError(
            f"'{name}' cannot name a lab: letters, digits, '_', '-' and '.' only; "
            "choose one with --name"
        )
    warn_of_too_much(network, options.scale)
    lab, number = labs.claim(name)
    try:
        write_lab(lab, number, options, network, relay_program)
        process, lab.lifeline = spawn_holder(lab, lifeline)
        lab.description["holder"] = process.pid
        lab.description["holder_start"] = labs.start_time(process.pid)
        lab.save()
        if process.stdout.readline() != b"ready\n":
            raise NetlabError(f"the lab could not be built{quote_log(lab)}")
        process.stdout.close()
        cross.start(lab)
        lab.save()
    except BaseException:
        lab.stop()
        raise
    return lab


def quote_log(lab):
    """The errors of a detached lab's holder; others print theirs on the terminal."""
    try:
        with open(lab.path("log"), encoding="utf-8", errors="replace") as file:
            return ": " + file.read().strip().replace("netlab: error: ", "")
    except OSError:
        return "; see the message above"


def wait_for(child):
    """The status of the user's command as a shell has it."""
    status = child.wait()
    return status if status >= 0 else 128 - status


def end_child(child):
    """End the child after a signal, which the terminal may have sent to it, too."""
    deadline = time.monotonic() + END_SECONDS
    try:
        child.wait(timeout=0.3)
    except subprocess.TimeoutExpired:
        child.terminate()
    while child.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)


def run(options, network):
    """netlab run: a lab for one command.  Returns the command's status."""
    if options.name is None:
        options.name = f"{labs.default_name(options.file)}-{os.getpid()}"
    lab = child = None
    try:
        lab = start(options, network, lifeline=True)
        child = programs.spawn(lab, lab.hosts[0], options.program)
        return wait_for(child)
    finally:
        ignore_signals()
        if child is not None and child.poll() is None:
            end_child(child)
        if lab is not None:
            lab.stop()


def parse_rate(text, what):
    """A rate as in the file, or a part of the file's capacity."""
    try:
        return quantities.parse_rate(text)
    except ValueError:
        raise NetlabError(
            f"'{text}' is not {what}: write 30Mbps, 2.5GBps or x0.25"
        ) from None


def find_link(lab, text):
    """The link that TEXT names, and which of its directions: (link, [sides]).  A#2 is the second one of those
    that join the same two."""
    named, _, which = text.partition("#")
    passed = int(which) - 1 if which.isdigit() else 0
    for link in lab.description["links"]:
        if passed > 0 and {link["from"], link["to"]} == set(named.replace("->", "--").split("--")):
            passed -= 1
            continue
        for side, ends in enumerate((topology.ends(link), topology.ends(link)[::-1])):
            if named == "--".join(ends):
                return link, [0, 1]
            if named == "->".join(ends):
                return link, [side]
    raise NetlabError(
        f"lab {lab.name} has no link '{text}'; write A--B for both ways or "
        f"'A->B' for one; netlab status {lab.name} lists the links"
    )


def set_capacity(lab, link, sides, text):
    """Change the capacity of a link's directions; returns the new rates, bits/s."""
    wanted = parse_rate(text, "a capacity")
    rates = list(link["capacity_bps"])
    for side in sides:
        rates[side] = wanted.of(link["file_capacity_bps"][side]) * lab.description["scale"]
        if rates[side] == 0:
            raise NetlabError(f"'{text}' is not a capacity: it must be over zero")
        vertex = lab.find_host(link["from"] if side == 0 else link["to"])
        for command in recipe.queue_commands(link["devices"][side], rates[side], link, "replace"):
            programs.run_inside(lab, ["tc", "-n", vertex["namespace"], *command.split()])
    link["capacity_bps"] = rates
    return rates


def set_cross(lab, link, sides, text):
    """Change the cross traffic of a link's directions; returns the new rates, bits/s."""
    wanted = parse_rate(text, "a rate of cross traffic")
    rates = list(link["cross_bps"])
    for side in sides:
        capacity = link["file_capacity_bps"][side]
        topology.check_cross(link, capacity, wanted.of(capacity))
        rates[side] = wanted.of(capacity) * lab.description["scale"]
    link["cross_bps"] = rates
    cross.start(lab)
    return rates


def change(options):
    """Change a link of a standing lab."""
    key, _, value = options.setting.partition("=")
    setters = {"capacity": (set_capacity, ""), "cross": (set_cross, " of cross traffic")}
    if key not in setters:
        raise NetlabError(f"'{options.setting}': only capacity=RATE and cross=RATE can be set")
    setter, what = setters[key]
    with labs.lock():
        lab = labs.find(options.lab)
        if lab.holder is None:
            raise NetlabError(
                f"lab {lab.name} has no holder any more: netlab down {lab.name}"
            )
        link, sides = find_link(lab, options.link)
        rates = setter(lab, link, sides, value)
        lab.save()
    for side in sides:
        ends = topology.ends(link)[:: -1 if side else 1]
        print(f"{'->'.join(ends)}: {rates[side] / 1e6:g} Mb/s{what}")
