#!/usr/bin/python3
"""Ranks against threads, and the plan against both, on this machine.

    mpi.py BUILD [ROUNDS]

Every round runs each case once, one after the other, so that a busy moment meets all of them; the
least of each case's times counts. Prints a table: one process with two threads by qkv_attention
(no ranks); 1, 2 and 4 ranks with one thread each; and what qkv-mpi plan says of them, with the best
speed measured in between. CPU time, with the time that ranks wait for messages in it, says what the
seconds cannot say on a busy machine. A second table has the samples per second of qkv sample with
one thread and of qkv-mpi sample on 1 and 2 ranks; starting and ending a job is taken off.
"""
import json
import os
import subprocess
import sys
import time

BUILD = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
QKV, MPI = os.path.join(BUILD, "qkv"), os.path.join(BUILD, "qkv-mpi")
DOCUMENT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples",
                        "assignment", "004.md")
FEW, MANY = 1_000_000, 60_000_000  # samples
HEADS, WIDTH = 8, 64
CASES = [(32768, False), (32768, True)]
CORES = len(os.sched_getaffinity(0))
MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none"]
if os.getuid() == 0:
    MPIRUN.insert(1, "--allow-run-as-root")


def output(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True,
                          text=True).stdout


def one_process(length, causal):
    words = output(os.path.join(BUILD, "bench", "bench_mpi"), HEADS, length, WIDTH, 2,
                   int(causal), 1).split()
    return float(words[0]), float(words[1]), 0.0


def on_ranks(ranks, length, causal):
    """Seconds, seconds of CPU time, MiB of the largest rank."""
    line = output(*MPIRUN, "-n", ranks, MPI, "attend", "--random", f"{HEADS}x{length}x{WIDTH}",
                  "--threads", 1, "--time", *(["--causal"] if causal else []))
    return (float(line.split(": ")[1].split()[0]), float(line.split("; ")[1].split()[0]),
            float(line.split(" to ")[1].split()[0]))


def speed():
    return json.loads(output(MPI, "plan", "--json", "--length", 4096, "--heads", HEADS, "--width",
                             WIDTH, "--threads", 1))["speed"]


def plan(ranks, length, causal, pace):
    return json.loads(output(MPI, "plan", "--json", "--length", length, "--heads", HEADS, "--width",
                             WIDTH, "--ranks", ranks, "--at-once", min(ranks, CORES), "--speed",
                             pace, "--bandwidth", 2e9, "--latency", 1e-5,
                             *(["--causal"] if causal else [])))["seconds"]


def sampling(ranks, count):
    """Seconds of a whole command; no ranks: qkv sample."""
    words = [*MPIRUN, "-n", ranks, MPI] if ranks else [QKV]
    start = time.monotonic()
    output(*words, "sample", "--threads", 1, "-n", count, DOCUMENT)
    return time.monotonic() - start


def print_sampling(best):
    print("samples of " + os.path.relpath(DOCUMENT))
    print("ranks  million per second  of qkv sample with one thread")
    rate = {ranks: (MANY - FEW) / (best[ranks, MANY] - best[ranks, FEW]) for ranks in (0, 1, 2)}
    for ranks in (0, 1, 2):
        print(f"{ranks or '-':>5} {rate[ranks] / 1e6:19.1f} {rate[ranks] / rate[0]:30.2f}")


def main():
    best, pace, drawn = {}, 0.0, {}
    for _ in range(ROUNDS):
        pace = max(pace, speed())
        for case in CASES:
            for ranks in (0, 1, 2, 4):
                found = on_ranks(ranks, *case) if ranks > 0 else one_process(*case)
                before = best.get((ranks, case), found)
                best[ranks, case] = tuple(map(min, found, before))
        for ranks in (0, 1, 2):
            for count in (FEW, MANY):
                seconds = sampling(ranks, count)
                drawn[ranks, count] = min(seconds, drawn.get((ranks, count), seconds))
    print(f"{ROUNDS} rounds on {CORES} cores; {pace / 1e9:.0f} GFLOP/s per rank")
    print("length causal ranks  seconds  planned  CPU time  MiB per rank  efficiency  by CPU time")
    for case in CASES:
        threads = best[0, case]
        for ranks in (0, 1, 2, 4):
            seconds, cpu, peak = best[ranks, case]
            # Two threads in one process against ranks on as many cores.
            share = threads[0] / seconds * (2 / min(ranks, CORES) if ranks else 1)
            planned = f"{plan(ranks, *case, pace):8.2f}" if ranks else "       -"
            print(f"{case[0]:6} {'yes' if case[1] else 'no':>6} {ranks or '-':>5} {seconds:8.2f} "
                  f"{planned} {cpu:9.2f} {peak:13.0f} {share:11.0%} {threads[1] / cpu:12.0%}")
    print_sampling(drawn)


if __name__ == "__main__":
    main()
