# SPDX-License-Identifier: BSD-3-Clause
"""A topology as a platform of SimGrid, in its XML of version 4.1: a link per direction that has a capacity, and the links that
each host's traffic to each other takes.  SimGrid's own search for routes would choose others where latencies are equal, so all
are written."""

from scene import escape

HOST_SPEED = "1Gf"  # a topology says nothing of processors, and SimGrid wants a speed
HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
"""


def link_id(start, end):
    """The attribute that names a direction of a link."""
    return f'id="{escape(start)}-&gt;{escape(end)}"'


def elements(topology):
    yield f'  <zone id="{escape(topology["name"])}" routing="Full">\n'
    yield from (f'    <host id="{escape(host["name"])}" speed="{HOST_SPEED}"/>\n' for host in topology["hosts"])
    yield from (f'    <router id="{escape(switch["name"])}"/>\n' for switch in topology["switches"])
    for link in topology["links"]:
        ends = link["from"], link["to"]
        for (start, end), capacity in zip((ends, ends[::-1]), link["capacity_bps"]):
            if capacity > 0:
                yield (f'    <link {link_id(start, end)} bandwidth="{capacity / 8:.15g}Bps" '
                       f'latency="{link["latency_s"]:.15g}s"/>\n')
    for route in topology["routes"]:
        hops = "".join(f"<link_ctn {link_id(*hop)}/>" for hop in zip(route["via"], route["via"][1:]))
        yield f'    <route src="{escape(route["from"])}" dst="{escape(route["to"])}" symmetrical="NO">{hops}</route>\n'
    yield "  </zone>\n"


def write_platform(topology):
    """@a topology is as mtree topology --json --routes prints it."""
    return HEAD + "".join(elements(topology)) + "</platform>\n"
