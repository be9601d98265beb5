"""Two network namespaces with a link between them that delays every packet.

The link leads through this process's namespace. Where the kernel has netem, tc delays the packets;
otherwise a process forwards frames between two veth pairs, each after its time.
"""
import os
import shutil
import subprocess
import sys
import tempfile
import time


class NotPermitted(Exception):
    """This machine does not let us make namespaces; the reason."""


def call(*words, quiet=False):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0 and not quiet:
        reason = (done.stderr.strip() or "failed").splitlines()[0]
        raise NotPermitted(f"{' '.join(words)}: {reason}")
    return done.returncode == 0


AGENT = """#!/bin/sh
# Stands in for ssh: HOST COMMAND ..., in the namespace of that host.
host=$1
shift
case $host in
%(here)s) name=%(first)s ;;
*) name=%(second)s ;;
esac
exec ip netns exec "$name" unshare --uts sh -c 'hostname "$0"; eval "$@"' "$name" "$@"
"""


class Network:
    """with Network(milliseconds one way) as net: net.run([command ...])"""

    def __init__(self, delay):
        self.delay = delay
        self.how = ""
        tag = f"qkv{os.getpid() % 100000}"
        self.names = [f"{tag}a", f"{tag}b"]
        self.addresses = ["10.211.55.1", "10.211.55.2"]
        self.forwarder = None
        self.folder = None

    def __enter__(self):
        for tool in ("ip", "tc", "unshare"):
            if shutil.which(tool) is None:
                raise NotPermitted(f"{tool} is not installed (Debian: iproute2, util-linux)")
        if os.getuid() != 0:
            raise NotPermitted("network namespaces need root")
        try:
            self.make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def make(self):
        for name, address in zip(self.names, self.addresses):
            call("ip", "netns", "add", name)
            # The inner end is eth0 there; the outer end has the namespace's name here.
            call("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name)
            call("ip", "-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
            call("ip", "-n", name, "link", "set", "eth0", "up")
            call("ip", "-n", name, "link", "set", "lo", "up")
            call("ip", "link", "set", name, "up", "promisc", "on")
        delay = f"{self.delay}ms"
        if all(call("tc", "-n", name, "qdisc", "add", "dev", "eth0", "root", "netem", "delay",
                    delay, "limit", "100000", quiet=True) for name in self.names):
            self.how, delay = "netem", 0.0
        else:
            for name in self.names:
                call("tc", "-n", name, "qdisc", "del", "dev", "eth0", "root", quiet=True)
            self.how, delay = "a process that holds frames back (no netem here)", self.delay
        for name in self.names:
            call("ip", "netns", "exec", name, sys.executable, os.path.abspath(__file__), "--plain",
                 "eth0")
        self.forwarder = subprocess.Popen([sys.executable, os.path.abspath(__file__), *self.names,
                                           str(delay)])
        self.folder = tempfile.TemporaryDirectory()
        agent = os.path.join(self.folder.name, "agent")
        with open(agent, "w", encoding="ascii") as file:
            file.write(AGENT % {"here": self.addresses[0], "first": self.names[0],
                                "second": self.names[1]})
        os.chmod(agent, 0o755)
        self.agent = agent

    def __exit__(self, *_):
        if self.forwarder is not None:
            self.forwarder.kill()
            self.forwarder.wait()
        for name in self.names:
            call("ip", "netns", "del", name, quiet=True)
            call("ip", "link", "del", name, quiet=True)
        if self.folder is not None:
            self.folder.cleanup()

    def round_trip(self):
        """Milliseconds there and back, the least of a few: of a connection of TCP."""
        server = ("import socket as s\nl = s.create_server(('%s', 7777))\nprint(flush=True)\n"
                  "while 1:\n c = l.accept()[0]\n c.recv(1)\n c.sendall(b'x')\n c.close()\n"
                  % self.addresses[1])
        client = ("import socket as s, time\nc = s.create_connection(('%s', 7777), 20)\n"
                  "b = time.monotonic()\nc.sendall(b'x')\nc.recv(1)\nprint(time.monotonic() - b)"
                  % self.addresses[1])
        inside = ["ip", "netns", "exec"]
        with subprocess.Popen([*inside, self.names[1], sys.executable, "-c", server],
                              stdout=subprocess.PIPE) as other:
            try:
                other.stdout.readline()
                times = [float(subprocess.run([*inside, self.names[0], sys.executable, "-c",
                                               client], capture_output=True, text=True,
                                              check=True).stdout) for _ in range(3)]
            finally:
                other.kill()
        return 1000 * min(times)

    def run(self, command, limit):
        """A command on one rank in each namespace."""
        words = ["ip", "netns", "exec", self.names[0], "unshare", "--uts", "sh", "-c",
                 'hostname "$0"; exec "$@"', self.names[0], "mpirun", "--allow-run-as-root",
                 "--bind-to", "none", "--host", ",".join(f"{a}:1" for a in self.addresses),
                 "--mca", "plm_rsh_agent", self.agent, "--mca", "plm", "rsh",
                 "--mca", "btl", "tcp,self", "--mca", "btl_tcp_if_include", "eth0",
                 "--mca", "oob_tcp_if_include", "eth0", "--mca", "pml", "ob1",
                 "-n", "2", *command]
        done = subprocess.run(words, capture_output=True, text=True, timeout=limit, check=False)
        assert done.returncode == 0, done.stderr


def make_plain(name):
    """Has the kernel compute checksums itself, and send frames no larger than the link's: what
    `ethtool -K NAME tx off tso off gso off` does."""
    import ctypes  # pylint: disable=import-outside-toplevel
    import fcntl  # pylint: disable=import-outside-toplevel
    import socket  # pylint: disable=import-outside-toplevel
    import struct  # pylint: disable=import-outside-toplevel
    siocethtool, txcsum, tso, gso = 0x8946, 0x17, 0x1f, 0x24
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        for command in (txcsum, tso, gso):
            value = ctypes.create_string_buffer(struct.pack("II", command, 0))
            fcntl.ioctl(end, siocethtool,
                        struct.pack("16sP", name.encode(), ctypes.addressof(value)))


def forward(names, delay):
    """Hands every frame of one interface to the other, `delay` seconds later."""
    import heapq  # pylint: disable=import-outside-toplevel
    import select  # pylint: disable=import-outside-toplevel
    import socket  # pylint: disable=import-outside-toplevel
    ends = []
    for name in names:
        end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        end.bind((name, 0))
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        ends.append(end)
    waiting, number = [], 0
    while True:
        pause = max(0.0, waiting[0][0] - time.monotonic()) if waiting else None
        for end in select.select(ends, [], [], pause)[0]:
            frame, (_, _, kind, *_) = end.recvfrom(1 << 17)
            if kind == socket.PACKET_OUTGOING:
                continue  # what we sent ourselves
            heapq.heappush(waiting, (time.monotonic() + delay, number, 1 - ends.index(end), frame))
            number += 1
        while waiting and waiting[0][0] <= time.monotonic():
            _, _, to, frame = heapq.heappop(waiting)
            try:
                ends[to].send(frame)
            except OSError:
                pass  # larger than the link takes, or the link is gone: TCP sends it again


if __name__ == "__main__":
    if sys.argv[1] == "--plain":
        make_plain(sys.argv[2])
    else:
        forward(sys.argv[1:3], float(sys.argv[3]) / 1000)
