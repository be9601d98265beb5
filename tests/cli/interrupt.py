#!/usr/bin/python3
"""Interrupts a sampling run that would take years: it prints what it has and leaves whole files.
The bar that tells of its progress is for terminals alone. Usage: interrupt.py COMMAND"""
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time

DOCUMENT = """problem "one key of uncertain length"
given   n >= 3, alpha > 0
means   mu[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
keys    k[i] ~ normal(mu[i], alpha*I)
keys    k[a] ~ normal(mu[a], alpha*I + 1/2*mu[a]*mu[a]')
single  = attend(beta*(mu[a] + mu[b]), k, v)
"""
AT = "n = 400, beta = 10, alpha = 0.001"
PATIENCE = 1200.0  # seconds; sanitizers are slow, and so is a busy machine


def start(command, document, errors, *more):
    words = [command, "sample", document, "--at", AT, "--samples", str(10**12), *more]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=errors,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))


def read_until(descriptor, mark):
    """What comes up to a mark, or to the end."""
    text, end = b"", time.monotonic() + PATIENCE
    while mark is None or mark not in text:
        ready, _, _ = select.select([descriptor], [], [], max(0.0, end - time.monotonic()))
        try:
            more = os.read(descriptor, 4096) if ready else b""
        except OSError:  # the other side of a terminal is closed
            more = b""
        if not more:
            break
        text += more
    return text


def wait_for_handler(run):
    """Until the command would take an interrupt for what it is."""
    while run.poll() is None:
        with open(f"/proc/{run.pid}/status", encoding="ascii") as lines:
            caught = next(line for line in lines if line.startswith("SigCgt:"))
        if int(caught.split()[1], 16) >> (signal.SIGINT - 1) & 1:
            return
        time.sleep(0.01)


def finish(run):
    run.send_signal(signal.SIGINT)
    table, errors = run.communicate(timeout=PATIENCE)
    drawn = re.search(rb": (\d+) samples", table)
    good = run.returncode == 0 and drawn is not None and b"weight[a]" in table
    return good, int(drawn.group(1)) if drawn else 0, errors


def on_terminal(command, document, *more):
    """Whether the bar was shown and wiped away, the table printed, and how many samples it is of."""
    ours, theirs = pty.openpty()
    run = start(command, document, theirs, *more)
    os.close(theirs)
    shown = b"%" in read_until(ours, b"%")
    rest = []  # read meanwhile: a terminal that nobody reads keeps the command waiting
    reader = threading.Thread(target=lambda: rest.append(read_until(ours, None)))
    reader.start()
    good, drawn, _ = finish(run)
    reader.join()
    wiped = rest[0].endswith(b"\r\x1b[K")
    os.close(ours)
    return good and shown and wiped, drawn


def rows_of(path):
    with open(path, "rb") as file:
        start = file.read(10)
        header = file.read(struct.unpack("<H", start[8:10])[0]).decode()
        rows, columns = map(int, re.search(r"\((\d+), (\d+)\)", header).groups())
        whole = os.fstat(file.fileno()).st_size == file.tell() + 8 * rows * columns
    return rows if whole else -1


def main():
    command = os.path.abspath(sys.argv[1])
    print("1..3")
    with tempfile.TemporaryDirectory() as folder:
        document, output = os.path.join(folder, "length.qkv"), os.path.join(folder, "s.npy")
        with open(document, "w") as file:
            file.write(DOCUMENT)
        good, _ = on_terminal(command, document)
        print("ok" if good else "not ok", "1 - a bar on a terminal, wiped away by an interrupt")
        run = start(command, document, subprocess.PIPE)
        wait_for_handler(run)
        time.sleep(1.5)  # the bar would come after one second
        good, _, errors = finish(run)
        print("ok" if good and errors == b"" else "not ok", "2 - no bar without a terminal")
        good, drawn = on_terminal(command, document, "-o", output)
        whole = good and os.listdir(folder).count("s.npy") == 1 and rows_of(output) == drawn
        alone = sorted(os.listdir(folder)) == ["length.qkv", "s.npy"]
        print("ok" if whole and alone else "not ok", "3 - an interrupted run writes a whole file")


main()
