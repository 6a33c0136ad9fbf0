# SPDX-License-Identifier: BSD-3-Clause
"""What mtree doctor runs on each host, sent through the standard input of a Python there.

A host may have nothing but Python 3.6 and its standard library.  Each line of input is a request,
each line of output that begins with MARK the answer to the latest one.  The agent ends with its
input, or LIFE_SECONDS after its start.
"""

import concurrent.futures
import ctypes
import fcntl
import ipaddress
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

MARK = "mtree-doctor:"
LIFE_SECONDS = 60
RESOLVE_SECONDS = 3.0
OMPI_INFO_SECONDS = 6.0
CONNECT_SECONDS = 2.5  # a lost SYN is sent again after one
BULK_SECONDS = 2.0
LEAST_BULK = 16384
SEGMENTS = (1460, 1200)  # bytes in packets of Ethernet, and in such as every tunnel carries
STREAMS = 8
STREAM_SECONDS = 0.5
MOST_STREAM_BYTES = 64 << 20

# Of Open MPI, as ompi_info prints them.
PARAMETERS = (
    "btl_tcp_if_include",
    "btl_tcp_if_exclude",
    "btl_tcp_port_min_v4",
    "btl_tcp_port_range_v4",
    "oob_tcp_if_include",
    "oob_tcp_if_exclude",
    "oob_tcp_dynamic_ipv4_ports",
    "coll_mtree_topology",
    "coll_mtree_protocol",
)
SETTINGS = ("tcp_rmem", "tcp_wmem")
PROGRAMS = ("orted", "prted", "mpirun", "ompi_info")


# What the host is


class Entry(ctypes.Structure):
    """A struct ifaddrs."""


Entry._fields_ = [("next", ctypes.POINTER(Entry)), ("name", ctypes.c_char_p), ("flags", ctypes.c_uint)] + [
    (name, ctypes.c_void_p) for name in ("address", "mask", "other", "data")]


def mtu_of(device):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            return struct.unpack_from("=I", fcntl.ioctl(sock, 0x8921, struct.pack("16s16x", device.encode())), 16)[0]
        except OSError:
            return 0


def interfaces():
    """The IPv4 addresses of the host, each with its device."""
    found, entry = [], ctypes.POINTER(Entry)()
    ctypes.CDLL(None).getifaddrs(ctypes.byref(entry))
    while entry:
        its = entry.contents
        if its.address and its.mask and ctypes.c_ushort.from_address(its.address).value == socket.AF_INET:
            address, mask = (ctypes.string_at(end + 4, 4) for end in (its.address, its.mask))
            device = its.name.decode().partition(":")[0]  # without the label of the address
            found.append({"device": device, "address": socket.inet_ntoa(address),
                          "prefix": bin(int.from_bytes(mask, "big")).count("1"), "mtu": mtu_of(device),
                          "up": bool(its.flags & 1), "loopback": bool(its.flags & 8)})
        entry = its.next
    return found


def ipv6_addresses():
    """Those of the host that hold beyond one link."""
    words = [line.split() for line in read_file("/proc/net/if_inet6").splitlines()]
    found = [ipaddress.IPv6Address(int(entry[0], 16)) for entry in words if len(entry) == 6]
    return [str(address) for address in found if not address.is_loopback and not address.is_link_local]


def resolve(name):
    """The IPv4 addresses of a name on this host; none: it has none here."""
    try:
        found = socket.getaddrinfo(name, None, socket.AF_INET, socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return sorted({entry[4][0] for entry in found})


def ask_ompi_info():
    """What Open MPI says of itself: its version, its parameters, mtree's component."""
    try:
        done = subprocess.run(["ompi_info", "--all", "--parsable", "--level", "9"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=OMPI_INFO_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"error": str(error)}
    found = {"version": None, "mtree": None, "parameters": {}}
    for line in done.stdout.decode(errors="replace").splitlines():
        words = line.split(":")
        if line.startswith("ompi:version:full:"):
            found["version"] = words[3]
        elif line.startswith("mca:coll:mtree:version:") and "component" in line:
            found["mtree"] = words[-1].strip('"')
        elif words[0] == "mca" and len(words) > 6 and words[5] == "value" and words[4] in PARAMETERS:
            found["parameters"][words[4]] = ":".join(words[6:]).strip('"')
    if found["version"] is None:
        return {"error": "ompi_info does not tell its version"}
    return found


def read_file(path):
    """The first bytes of a small file of the kernel's, or nothing."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return file.read(65536).strip()
    except OSError:
        return ""


# Listening


class Listeners:
    """Two ports that wait for the peers: one where MPI's own would be, one of the kernel's choice."""

    def __init__(self, number, token, first, count):
        self.number = number
        self.token = token
        self.ports = {}
        for use, ports in (("btl", range(first, min(first + count, 65536))), ("oob", (0,))):
            sock = self.bind(ports)
            if sock is not None:
                self.ports[use] = sock.getsockname()[1]
                threading.Thread(target=self.accept, args=(sock,), daemon=True).start()

    @staticmethod
    def bind(ports):
        for port in ports:
            sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            try:
                sock.bind(("", port))
                sock.listen(128)
                return sock
            except OSError:
                sock.close()
        return None

    def accept(self, sock):
        while True:
            connection, peer = sock.accept()
            threading.Thread(target=self.serve, args=(connection, peer), daemon=True).start()

    def serve(self, connection, peer):
        """Say who this is and how the peer is seen, then take what it sends.  Strangers are left."""
        try:
            connection.settimeout(10)
            with connection, connection.makefile("rb") as stream:
                hello = json.loads(stream.readline(300).decode())
                if hello["token"] != self.token:
                    return
                answer = {"host": self.number, "seen": peer[0], "time": time.time()}
                connection.sendall(json.dumps(answer).encode() + b"\n")
                left = hello["bulk"]
                while left > 0:
                    data = stream.read1(min(left, 1 << 18))
                    if not data:
                        return
                    left -= len(data)
                if hello["bulk"] > 0:
                    connection.sendall(b"got\n")
                connection.recv(1)
        except (OSError, ValueError, KeyError, TypeError):
            pass


# Connecting


def tcp_info(sock):
    """What the kernel knows of a connection."""
    data = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
    data += bytes(256 - len(data))
    acked = struct.unpack_from("=Q", data, 120)[0]
    least = struct.unpack_from("=I", data, 148)[0] or struct.unpack_from("=I", data, 68)[0]
    return {"mss": struct.unpack_from("=I", data, 16)[0], "rtt": least * 1e-6, "acked": acked}


def open_connection(address, port, segment=None):
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if segment is not None:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, segment)
        sock.settimeout(CONNECT_SECONDS)
        sock.connect((address, port))
    except OSError:
        sock.close()
        raise
    return sock


def greet(sock, token, bulk):
    """Exchange who is who; returns the peer's answer and when it was asked and came."""
    hello = json.dumps({"token": token, "bulk": bulk}).encode() + b"\n"
    began = time.time()
    sock.sendall(hello)
    answer = b""
    while not answer.endswith(b"\n"):
        data = sock.recv(300)
        if not data or len(answer) > 300:
            raise ValueError("no agent")
        answer += data
    return json.loads(answer.decode()), began, time.time(), len(hello)


def send_bulk(sock, size, hello):
    """Send some full packets; "blackhole": the peer got none of them."""
    sock.settimeout(BULK_SECONDS)
    try:
        sock.sendall(bytes(size))
        if sock.recv(10):
            return "ok"
    except OSError:
        pass
    return "blackhole" if tcp_info(sock)["acked"] <= hello + 1 else "slow"


def failure(error):
    """A word for why a connection was not made."""
    if isinstance(error, socket.timeout):
        return "timeout"
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    return "unreachable"


def route_device(address):
    """The device that leads to an address."""
    target, best, device = int(ipaddress.ip_address(address)), -1, None
    for line in read_file("/proc/net/route").splitlines()[1:]:
        words = line.split()
        network, mask = (socket.ntohl(int(words[i], 16)) for i in (1, 7))
        if target & mask == network and mask > best:
            best, device = mask, words[0]
    return device


def source_of(address):
    """The address that packets to another one get here; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        try:
            sock.connect((address, 9))
            return sock.getsockname()[0]
        except OSError:
            return None


def connect(token, target):
    """Try one address and port of a peer."""
    address = target["address"]
    result = dict(target, source=source_of(address), device=route_device(address))
    try:
        with open_connection(address, target["port"]) as sock:
            bulk = max(LEAST_BULK, 4 * tcp_info(sock)["mss"]) if target["use"] == "btl" else 0
            answer, began, ended, hello = greet(sock, token, bulk)
            info = tcp_info(sock)
            result.update(state="ok", answered=answer["host"], seen=answer["seen"], rtt=info["rtt"], mss=info["mss"],
                          offset=answer["time"] - (began + ended) / 2, offset_error=(ended - began) / 2)
            if bulk > 0:
                result["bulk"] = send_bulk(sock, bulk, hello)
    except OSError as error:
        result.setdefault("state", failure(error))
        result["error"] = str(error)
    except (ValueError, KeyError, TypeError):
        result["state"] = "stranger"
    if result.get("bulk") == "blackhole":
        fitting = in_parallel(lambda segment: send_short(token, target, segment), SEGMENTS, BULK_SECONDS + 1, False)
        result["passes"] = next((segment for segment, fits in zip(SEGMENTS, fitting) if fits), None)
    return result


def send_short(token, target, segment):
    """Whether the peer gets as much in packets with at most SEGMENT bytes of data."""
    try:
        with open_connection(target["address"], target["port"], segment) as sock:
            hello = greet(sock, token, LEAST_BULK)[3]
            return send_bulk(sock, LEAST_BULK, hello) == "ok"
    except (OSError, ValueError, KeyError):
        return False


def pump(sock, until):
    """Send until the time is over, or enough is sent."""
    data = bytes(1 << 16)
    try:
        sock.settimeout(0.1)
        while time.monotonic() < until and tcp_info(sock)["acked"] < MOST_STREAM_BYTES // STREAMS:
            try:
                sock.send(data)
            except socket.timeout:
                pass
    except OSError:
        pass


def stream(token, target):
    """The bits/s that several connections carry together, in the second half of their time."""
    socks = []
    try:
        for _ in range(STREAMS):
            sock = open_connection(target["address"], target["port"])
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            socks.append(sock)
            greet(sock, token, 1 << 40)
        until = time.monotonic() + STREAM_SECONDS
        senders = [threading.Thread(target=pump, args=(sock, until), daemon=True) for sock in socks]
        for sender in senders:
            sender.start()
        time.sleep(STREAM_SECONDS / 2)
        half, then = sum(tcp_info(sock)["acked"] for sock in socks), time.monotonic()
        for sender in senders:
            sender.join(STREAM_SECONDS)
        whole, now = sum(tcp_info(sock)["acked"] for sock in socks), time.monotonic()
        return dict(target, rate=8 * (whole - half) / (now - then))
    except (OSError, ValueError, KeyError):
        return dict(target, rate=None)
    finally:
        for sock in socks:
            sock.close()


# Requests


def in_parallel(function, items, seconds, missing):
    """FUNCTION of each item, each in a thread of its own; MISSING where the time is over."""
    results = [missing] * len(items)

    def run(index):
        results[index] = function(items[index])

    threads = [threading.Thread(target=run, args=(i,), daemon=True) for i in range(len(items))]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + seconds
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
    return results


def first_and_count(parameters):
    """Where Open MPI's TCP transport listens: its first port and how many it tries."""
    try:
        return (int(parameters["btl_tcp_port_min_v4"]), int(parameters["btl_tcp_port_range_v4"]))
    except (KeyError, ValueError):
        return 1024, 64511


class Agent:
    def __init__(self):
        self.token = None

    def facts(self, request):
        """What this host is, and where it listens from now on."""
        os.environ.update(request["environment"])
        if os.path.isdir(request["folder"]):
            os.chdir(request["folder"])
        self.token = request["token"]
        names = sorted({*request["names"], socket.gethostname()})
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            ompi = pool.submit(ask_ompi_info)
            found = in_parallel(resolve, names, RESOLVE_SECONDS, None)
            ompi = ompi.result()
        listeners = Listeners(request["host"], self.token, *first_and_count(ompi.get("parameters", {})))
        return {
            "hostname": socket.gethostname(),
            "interfaces": interfaces(),
            "ipv6": ipv6_addresses(),
            "resolves": dict(zip(names, found)),
            "ompi": ompi,
            "programs": {name: shutil.which(name) for name in PROGRAMS},
            "environment": {name: value for name, value in os.environ.items()
                            if name.startswith("PRTE_MCA_prte_if_")},
            "settings": {name: read_file("/proc/sys/net/ipv4/" + name) for name in SETTINGS},
            "ports": listeners.ports,
        }

    def connect(self, request):
        targets = request["targets"]
        limit = CONNECT_SECONDS + 2 * BULK_SECONDS
        missing = {"state": "timeout"}
        done = in_parallel(lambda target: connect(self.token, target), targets, limit, missing)
        return [dict(target, **result) for target, result in zip(targets, done)]

    def stream(self, request):
        return [stream(self.token, target) for target in request["targets"]]


def main():
    signal.alarm(LIFE_SECONDS)
    agent = Agent()
    print(MARK + '{"hello": true}', flush=True)
    for line in iter(sys.stdin.buffer.readline, b""):
        request = json.loads(line.decode())
        answer = getattr(agent, request["do"])(request)
        print(MARK + json.dumps({"answer": answer}), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
