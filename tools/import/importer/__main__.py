# SPDX-License-Identifier: BSD-3-Clause
"""The program behind `mtree import`, which has read the options (tools/commands/import.c): it prints the topology file that
mtree reads, without what the options draw.  importer FILE ENDING CAPACITY NODES NAME FORMAT TOPOLOGY SWITCHES; empty: not given."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import slurm  # noqa: E402
import tables  # noqa: E402
from network import ImportFailure, Network, read_file, write  # noqa: E402

BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # with which editors of Windows begin UTF-8


def read_xml(network, content):
    from xml_files import read_graphml  # the parser of XML, which other formats do not need
    read_graphml(network, content)


READERS = {"tsv": tables.read_links, "gml": tables.read_gml, "graphml": read_xml, "xml": read_xml, "conf": slurm.read_conf,
           "yaml": slurm.read_yaml}


def main(file, ending, capacity, nodes, name, _format, topology, switches):
    network = Network(file, topology or None)
    content = read_file(file)
    READERS[ending](network, content[3:] if content.startswith(BYTE_ORDER_MARK) else content)
    if nodes:
        network.file = nodes
        tables.read_nodes(network, read_file(nodes))
        network.file = file
    network.name = name or network.name
    write(network, float(capacity), switches.split(","))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except ImportFailure as error:
        sys.exit("mtree: " + "".join(letter if letter.isprintable() else "?" for letter in str(error)))
