#!/usr/bin/python3
"""Tests of libqkv_mpi and qkv-mpi: attention and sampling over 1 to 4 ranks of one machine.

    run.py BUILD [NAME ...]

Speaks TAP. A case that cannot run here is skipped with its reason, and named again at the end.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

import network

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(sys.argv[1])
QKV, QKV_MPI = os.path.join(BUILD, "qkv"), os.path.join(BUILD, "qkv-mpi")
ATTENTION = os.path.join(BUILD, "tests", "mpi_attention")
# More ranks than cores, without binding; root may.
MPIRUN = ["mpirun", "--oversubscribe", "--bind-to", "none"]
if os.getuid() == 0:
    MPIRUN.insert(1, "--allow-run-as-root")
LIMIT = 600  # seconds: ends what hangs


class Skip(Exception):
    """A case that cannot run here; the reason."""


def run(ranks, *words, status=0, limit=LIMIT, **more):
    """Standard output and standard error of a command on so many ranks."""
    done = subprocess.run([*MPIRUN, "-n", str(ranks), *words], capture_output=True, text=True,
                          timeout=limit, check=False, **more)
    assert done.returncode == status, f"exit status {done.returncode}\n{done.stderr}"
    return done.stdout, done.stderr


# ---- The library ---------------------------------------------------------------------------------


def test_bits_and_agreement():
    """1 to 4 ranks, 7 and 8 give the same bits, which agree with one process."""
    first = None
    for ranks in (1, 2, 3, 4, 7, 8):
        rows = [line.split() for line in run(ranks, ATTENTION)[0].splitlines()]
        for name, kind, _, apart in rows:
            assert float(apart) <= 1, f"{ranks} ranks: {name} {kind} is {apart} roundings off"
        bits = {(name, kind): digest for name, kind, digest, _ in rows}
        assert len(bits) == 22 * 5, f"{ranks} ranks: {len(bits)} results"
        first = first or bits
        for key in bits:
            assert bits[key] == first[key], f"{' '.join(key)}: other bits on {ranks} ranks"
        for name, kind in bits:
            if kind.startswith("decode"):
                assert bits[name, kind] == bits[name, "decode-1"], f"{name}: {kind} has other bits"


def test_kernels():
    """Every kernel's partial results can be put together."""
    names = subprocess.run([QKV, "--version"], capture_output=True, text=True, check=True).stdout
    names = re.search(r"kernels: (.*)", names).group(1).split(", ")
    assert "portable" in names and "reference" in names, names
    for name in names:
        if name in ("amx", "avx512_bf16"):
            continue  # they take bf16 alone, and test_bits_and_agreement has it
        rows = [line.split() for line in run(2, ATTENTION, env={**os.environ, "QKV_KERNEL": name}
                                             )[0].splitlines()]
        for case, kind, _, apart in rows:
            assert float(apart) <= 1, f"{name}: {case} {kind} is {apart} roundings off"


DRIVER = """
#include <stdint.h>
#include <stddef.h>
/* Stands in for the driver: memory at multiples of 4096 is a device's, that at odd multiples
 * managed. */
int cuPointerGetAttribute(void *data, int attribute, uint64_t pointer)
{
    *(unsigned *)data = attribute == 2 ? (pointer % 4096 == 0 ? 2 : 1) : pointer / 4096 % 2 == 1;
    return 0;
}
"""

PROGRAM = """
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <qkv/mpi.h>
int main(int count, char **words)
{
    MPI_Init(&count, &words);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (dlopen(words[1], RTLD_NOW | RTLD_GLOBAL) == NULL) return 3;
    char *memory = aligned_alloc(8192, 5 * 8192);
    memset(memory, 0, 5 * 8192);
    const size_t shape[2] = {qkv_mpi_rows(NULL, 4, 2, rank), 4}; /* all on rank 1 */
    float *host = (float *)(memory + 64), *managed = (float *)(memory + 8192 + 4096);
    float *device = rank == 1 ? (float *)(memory + 2 * 8192) : host + 256;
    const qkv_view q = qkv_view_dense(QKV_F32, host, 2, shape);
    const qkv_view k = qkv_view_dense(QKV_F32, managed, 2, shape);
    const qkv_view v = qkv_view_dense(QKV_F32, host + 64, 2, shape);
    const qkv_view c = qkv_view_dense(QKV_F32, host + 128, 2, shape);
    const qkv_view far = qkv_view_dense(QKV_F32, device, 2, shape);
    qkv_error error = {0};
    const qkv_status good = qkv_mpi_attention(MPI_COMM_WORLD, &q, &k, &v, &c, NULL, NULL, &error);
    const qkv_status bad = qkv_mpi_attention(MPI_COMM_WORLD, &q, &far, &v, &c, NULL, NULL, &error);
    printf("%d %d %s\\n", (int)good, (int)bad, error.message);
    MPI_Finalize();
    return 0;
}
"""


def test_device_pointers():
    """Memory of a CUDA device is refused on all ranks; that of the host and managed memory are not.
    The driver is one of ours: no GPU is needed."""
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        for name, text in (("driver.c", DRIVER), ("program.c", PROGRAM)):
            with open(at(name), "w", encoding="ascii") as file:
                file.write(text)
        subprocess.run(["cc", "-shared", "-fPIC", "-o", at("libcuda.so.1"), "-Wl,-soname,libcuda.so.1",
                        at("driver.c")], check=True)
        library = os.path.join(BUILD, "src", "mpi")
        subprocess.run(["mpicc", "-I", os.path.join(ROOT, "include"), "-o", at("program"),
                        at("program.c"), "-L", library, f"-Wl,-rpath,{library}", "-lqkv_mpi", "-L",
                        os.path.join(BUILD, "src"), f"-Wl,-rpath,{os.path.join(BUILD, 'src')}",
                        "-lqkv", "-ldl"], check=True)
        output = run(2, at("program"), at("libcuda.so.1"))[0]
        expected = "rank 1: key is in the memory of a CUDA device; over MPI expected host memory"
        lines = output.splitlines()
        assert len(lines) == 2, output
        for line in lines:
            good, bad, message = line.split(" ", 2)
            assert good == "0" and bad != "0" and message == expected, output


# ---- attend --------------------------------------------------------------------------------------


def tensors(folder, heads, kv_heads, length, width, kind="f4"):
    numbers = np.random.default_rng(1)
    paths = []
    for name, count in (("q", heads), ("k", kv_heads), ("v", kv_heads)):
        path = os.path.join(folder, f"{name}.npy")
        np.save(path, numbers.standard_normal((count, length, width)).astype(kind))
        paths += [f"--{dict(q='query', k='key', v='value')[name]}", path]
    return paths


def test_attend_files():
    """One file for all ranks, and a file per rank: the result is that of qkv attend, to rounding."""
    with tempfile.TemporaryDirectory() as folder:
        words = tensors(folder, 4, 2, 3000, 32)
        at = lambda name: os.path.join(folder, name)
        subprocess.run([QKV, "attend", *words, "--causal", "top-left", "--output", at("one.npy")],
                       check=True, capture_output=True)
        expected, first = np.load(at("one.npy")), None
        for ranks in (1, 2, 3, 4):
            run(ranks, QKV_MPI, "attend", *words, "--causal", "--block", "128", "-o", at("o.npy"),
                "--log-sum-exp", at("l.npy"))
            output = np.load(at("o.npy"))
            first = output if first is None else first
            assert output.shape == expected.shape and np.load(at("l.npy")).shape == (4, 3000, 1)
            assert np.array_equal(output, first), f"other bits on {ranks} ranks"
            assert np.abs(output - expected).max() < 2e-6, np.abs(output - expected).max()
        # Shards: each of two ranks has a run of blocks from the front and its mirror at the end.
        blocks = (3000 + 127) // 128
        units = (blocks + 1) // 2
        own = [range(0, units // 2), range(units // 2, units)]
        for rank, mine in enumerate(own):
            numbers = sorted({u for u in mine} | {blocks - 1 - u for u in mine})
            order = np.concatenate([np.arange(b * 128, min(3000, b * 128 + 128)) for b in numbers])
            for name in "qkv":
                np.save(at(f"{name}{rank}.npy"), np.load(at(f"{name}.npy"))[:, order])
            np.save(at(f"order{rank}.npy"), order)
        run(2, QKV_MPI, "attend", "--query", at("q%r.npy"), "--key", at("k%r.npy"), "--value",
            at("v%r.npy"), "--causal", "--block", "128", "-o", at("s%r.npy"))
        for rank in range(2):
            rows = np.load(at(f"order{rank}.npy"))
            assert np.array_equal(np.load(at(f"s{rank}.npy")), first[:, rows]), f"shard {rank}"
        assert not os.path.exists(at("o.npy.part"))


def test_masks_and_types():
    """Masks of all shapes, in one file or one per rank; bf16 in safetensors."""
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        words = tensors(folder, 4, 2, 700, 16)
        numbers = np.random.default_rng(2)
        masks = {"rows": numbers.random((700, 700)) < 0.5, "one": numbers.random((1, 700)) < 0.5,
                 "heads": numbers.standard_normal((4, 700, 700)).astype("f4")}
        for name, mask in masks.items():
            np.save(at("m.npy"), mask)
            subprocess.run([QKV, "attend", *words, "--mask", at("m.npy"), "--output", at("one.npy")],
                           check=True, capture_output=True)
            first = None
            for ranks in (1, 2, 3):
                run(ranks, QKV_MPI, "attend", *words, "--mask", at("m.npy"), "--block", "64", "-o",
                    at("o.npy"))
                output = np.load(at("o.npy"))
                first = output if first is None else first
                assert np.array_equal(output, first), f"mask {name}: other bits on {ranks} ranks"
                apart = np.abs(output - np.load(at("one.npy"))).max()
                assert apart < 2e-6, f"mask {name}: {apart}"
        np.save(at("m.npy"), masks["rows"][:, :600])
        error = run(2, QKV_MPI, "attend", *words, "--mask", at("m.npy"), "--block", "64",
                    status=2)[1]
        assert "the last axis of mask is 600; expected 1 or the 700 keys" in error, error
        # bf16: written as such where the file has it, with the same bits on 1 and 3 ranks.
        half = []
        for name in "qkv":
            narrow = (np.load(at(f"{name}.npy")).view("u4") >> 16).astype("u2")
            header = (b'{"x":{"dtype":"BF16","shape":%s,"data_offsets":[0,%d]}}'
                      % (str(list(narrow.shape)).encode(), narrow.nbytes))
            with open(at(f"{name}.safetensors"), "wb") as file:
                file.write(len(header).to_bytes(8, "little") + header + narrow.tobytes())
            np.save(at(f"{name}.npy"), (narrow.astype("u4") << 16).view("f4"))
            half += [f"--{dict(q='query', k='key', v='value')[name]}", at(f"{name}.safetensors")]
        subprocess.run([QKV, "attend", *words, "--output", at("one.npy")], check=True,
                       capture_output=True)
        files = []
        for ranks in (1, 3):
            run(ranks, QKV_MPI, "attend", *half, "--block", "64", "-o", at("o.safetensors"))
            with open(at("o.safetensors"), "rb") as file:
                files.append(file.read())
        assert files[0] == files[1] and b'"BF16"' in files[0]
        result = np.frombuffer(files[0][-4 * 700 * 16 * 2:], "u2").astype("u4") << 16
        expected = np.load(at("one.npy"))
        # Weights and the output are rounded to 8 bits; the values are at most 5.
        assert np.abs(result.view("f4").reshape(expected.shape) - expected).max() < 5 * 2.0 ** -8


def test_mismatch():
    """Shapes and types that differ between ranks are found, and named, before data moves."""
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        for rank, (width, kind) in enumerate(((16, "f4"), (24, "f4"), (16, "f4"))):
            for name in "qkv":
                np.save(at(f"{name}{rank}.npy"), np.zeros((2, 1024, width), kind))
        words = [QKV_MPI, "attend", "--query", at("q%r.npy"), "--key", at("k%r.npy"), "--value",
                 at("v%r.npy")]
        error = run(3, *words, status=2)[1]
        assert "qkv-mpi attend: the width is 24 on rank 1 and 16 on rank 0" in error, error
        for name in "qkv":
            np.save(at(f"{name}1.npy"), np.zeros((2, 1024, 16), "f2"))
        error = run(3, *words, status=2)[1]
        assert "the type of query is f16 on rank 1 and f32 on rank 0" in error, error
        for name in "qkv":
            np.save(at(f"{name}1.npy"), np.zeros((2, 1000, 16), "f4"))
        error = run(3, *words, status=2)[1]
        assert "query has 1000 rows on rank 1; expected 1024 of 3048" in error, error
        os.unlink(at("k1.npy"))
        error = run(3, *words, status=2)[1]
        assert error.count("qkv-mpi attend:") == 1 and "k1.npy" in error, error


def test_errors_of_options():
    """One line and status 2 for what cannot be; help and version come from one rank."""
    for words, text in (
            (["attend"], "--query: is missing"),
            (["attend", "--random", "8x0"], "--random: got"),
            (["attend", "--random", "1x8x8", "-o", "x.txt"], "ends in .npy or .safetensors"),
            (["attend", "--random", "1x8x8", "--mask", "nowhere.npy"], "nowhere.npy"),
            (["sweep", "--keys", "10"], "--beta: is missing"),
            (["plan", "--length", "1e8", "--ranks", "2"], "--bandwidth: is missing"),
            (["atend"], "did you mean attend?"),
            (["sample", "-"], "expected a file"),
            (["sample", "nowhere.md"], "nowhere.md")):
        error = run(2, QKV_MPI, *words, status=2)[1]
        lines = [line for line in error.splitlines() if line.startswith("qkv-mpi")]
        assert len(lines) == 1 and text in lines[0], error
    # Not after the work, which would take minutes.
    error = run(2, QKV_MPI, "attend", "--random", "1x400000x64", "-o", "/nowhere/c.npy", status=2,
                limit=30)[1]
    assert "qkv-mpi attend: /nowhere/c.npy: cannot be written: No such file" in error, error
    error = run(2, QKV_MPI, *SWEEP, "--journal", "/nowhere/journal", status=2)[1]
    assert "--journal: /nowhere/journal cannot be opened: No such file" in error, error
    error = run(1, QKV_MPI, "attend", "--random", "1x8x8", ":", "-n", "1", QKV_MPI, "attend",
                "--random", "1x8x16", status=2, limit=60)[1]
    assert "the ranks were given different arguments" in error, error
    assert run(3, QKV_MPI, "help")[0].count("usage:") == 1
    assert run(2, QKV_MPI, "--version")[0].startswith("qkv-mpi ")


def peak(ranks, length):
    line = run(ranks, QKV_MPI, "attend", "--random", f"4x{length}x32", "--window", "512,512",
               "--threads", "1", "--time")[0]
    return float(line.split(" to ")[1].split()[0])


def test_memory():
    """Memory per rank falls as 1/P: beyond what a rank with next to nothing has."""
    length = 1 << 17
    own = 4 * 32 * length * 4 * 4  # bytes of the four tensors
    sums = 4 * length * (32 + 2) * 8
    empty = peak(1, 1024)
    for ranks in (1, 2, 4):
        used = (peak(ranks, length) - empty) * 1024 * 1024
        assert used < 1.25 * (own + sums) / ranks + 24e6, f"{ranks} ranks: {used / 1e6:.0f} MB"
        print(f"# {ranks} ranks: {used / 1e6:.0f} MB per rank for {own / 1e6:.0f} MB of tensors")


# ---- sample and sweep ----------------------------------------------------------------------------

def test_sample():
    """The same samples and the same digits as one process."""
    folder = os.path.join(ROOT, "examples", "assignment")
    documents = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
                 if name.endswith(".md")]
    tried = 0
    for document in documents:
        one = subprocess.run([QKV, "sample", "--json", "-n", "300000", document],
                             capture_output=True, text=True, check=False)
        if one.returncode != 0:
            continue
        tried += 1
        with tempfile.TemporaryDirectory() as place:
            file = os.path.join(place, "rows.npy")
            for ranks in (1, 2, 3, 4):
                output = run(ranks, QKV_MPI, "sample", "--json", "-n", "300000", "--threads", "1",
                             "-o", file, document)[0]
                assert output == one.stdout, f"{ranks} ranks: {document}"
            subprocess.run([QKV, "sample", "-n", "300000", "-o", file + ".one.npy", document],
                           check=True, capture_output=True)
            assert np.array_equal(np.load(file), np.load(file + ".one.npy"))
        if tried == 2:
            return
    assert tried > 0, "no document has random keys"


def test_sample_fails():
    """A document that one rank cannot read, or that is another there, ends the job with words."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(ROOT, "examples", "assignment", "004.md")
        with open(source, encoding="utf-8") as file:
            text = file.read()
        places = [os.path.join(folder, name) for name in "abc"]
        for place in places:
            os.mkdir(place)
        for missing in (0, 2):
            for rank, place in enumerate(places):
                path = os.path.join(place, "document.md")
                if rank == missing and os.path.exists(path):
                    os.unlink(path)
                elif rank != missing:
                    with open(path, "w", encoding="utf-8") as file:
                        file.write(text)
            error = in_places(places, status=2)
            who = "" if missing == 0 else "rank 2: "
            assert f"qkv-mpi sample: {who}document.md: cannot read" in error, error
        with open(os.path.join(places[2], "document.md"), "w", encoding="utf-8") as file:
            file.write(text + "\n")
        error = in_places(places, status=2)
        assert "document.md: is another document on another rank" in error, error


def in_places(places, status):
    """qkv-mpi sample on one rank in each folder; what it prints on standard error."""
    words = []
    for place in places:
        words += [":"] * bool(words) + ["-n", "1", "--wdir", place, QKV_MPI, "sample", "-n", "4096",
                                        "document.md"]
    done = subprocess.run([*MPIRUN, *words], capture_output=True, text=True, timeout=60,
                          check=False)
    assert done.returncode == status, f"exit status {done.returncode}\n{done.stderr}"
    return done.stderr


SWEEP = ["sweep", "--design", "single,immune", "--keys", "10,20", "--beta", "2:6:2", "--noise",
         "0.1,0.5"]


def sweep(ranks, journal, samples, *more, **others):
    return run(ranks, QKV_MPI, *SWEEP, "-n", str(samples), "--journal", journal, *more, **others)


def children(process):
    with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def start_and_kill(journal, samples, victim, lines):
    """Starts a sweep on 3 ranks and kills one, or mpirun, once so many cells are in the journal."""
    with subprocess.Popen([*MPIRUN, "-n", "3", QKV_MPI, *SWEEP, "-n", str(samples), "--journal",
                           journal], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as job:
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            with open(journal, "ab+") as file:
                file.seek(0)
                if file.read().count(b"\n") > lines:
                    break
            time.sleep(0.01)
        ranks = [child for child in children(job.pid)]
        assert len(ranks) == 3, ranks
        os.kill(job.pid if victim is None else sorted(ranks)[victim], signal.SIGKILL)
        if victim is None:  # mpirun itself: its ranks are orphans, and end as well
            for rank in ranks:
                try:
                    os.kill(rank, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        error = job.communicate(timeout=LIMIT)[1].decode()
        assert job.returncode != 0
        return error


def test_sweep():
    """The same table for 1 to 4 ranks, near the law's values."""
    with tempfile.TemporaryDirectory() as folder:
        tables = [sweep(ranks, os.path.join(folder, str(ranks)), 200000)[0]
                  for ranks in (1, 2, 3, 4)]
        assert all(table == tables[0] for table in tables)
        rows = [line.split("\t") for line in tables[0].splitlines()]
        heading, rows = rows[0], rows[1:]
        assert len(rows) == 24
        for row in rows:
            row = dict(zip(heading, row))
            low, high = float(row["error_low"]), float(row["error_high"])
            assert low <= float(row["law_error"]) <= high, row


def test_kill_and_resume():
    """A rank or the whole job is killed; the journal goes on to the same table."""
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        samples = 4000000
        whole = sweep(2, at("whole"), samples)[0]
        for victim in (0, 2, None):
            journal = at(f"killed{victim}")
            error = start_and_kill(journal, samples, victim, 3)
            if victim is not None:
                assert "signal 9" in error or "Killed" in error, error
            with open(journal, "rb") as file:
                before = file.read()
            kept = before.count(b"\n") - 1
            assert 3 <= kept < 24, kept
            table, error = sweep(2, journal, samples, "--progress")
            assert table == whole, f"killed {victim}"
            with open(journal, "rb") as file:
                after = file.read()
            assert after.startswith(before[:before.rfind(b"\n") + 1])
            assert after.count(b"\n") == 25, "a finished cell was sampled again"


def test_journal():
    """A line cut short is dropped with a warning; damage, another sweep and a second one are
    refused."""
    with tempfile.TemporaryDirectory() as folder:
        journal = os.path.join(folder, "journal")
        whole = sweep(2, journal, 2048)[0]
        with open(journal, "rb") as file:
            text = file.read()
        for cut in (1, 10, 40, len(text.splitlines()[-1]) + 1, len(text) - 5, len(text)):
            with open(journal, "wb") as file:
                file.write(text[:len(text) - cut])
            table, error = sweep(1, journal, 2048)
            assert table == whole, cut
            assert ("cut short" in error) == (text[:len(text) - cut][-1:] not in (b"\n", b"")), cut
        error = sweep(2, journal, 4096, status=2)[1]
        assert "belongs to another sweep" in error, error
        with open(journal, "wb") as file:
            file.write(text.replace(b"single", b"Single", 1))
        error = sweep(2, journal, 2048, status=2)[1]
        assert "damaged line" in error, error
        with open(journal, "wb") as file:
            file.write(b"something else altogether\n")
        error = sweep(2, journal, 2048, status=2)[1]
        assert "is not a journal" in error, error


def test_rank_dies():
    """A rank that dies during attention ends the job, with words and without an output."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "o.npy")
        with subprocess.Popen([*MPIRUN, "-n", "3", QKV_MPI, "attend", "--random", "8x65536x64",
                               "--threads", "1", "-o", output], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as job:
            while len(children(job.pid)) < 3 or any(
                    cpu_seconds(child) < 1.0 for child in children(job.pid)):
                assert job.poll() is None
                time.sleep(0.05)
            os.kill(sorted(children(job.pid))[1], signal.SIGKILL)
            error = job.communicate(timeout=LIMIT)[1].decode()
        assert job.returncode != 0 and "signal 9" in error, error
        assert not os.path.exists(output)


def cpu_seconds(process):
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# ---- plan and the network ------------------------------------------------------------------------


def test_plan():
    """Predictions by hand: compute, traffic, memory and the way along the chain."""
    words = ["plan", "--json", "--length", "1048576", "--heads", "8", "--width", "64", "--speed",
             "1e11", "--bandwidth", "1e9", "--latency", "1e-5"]

    def plan(*more):
        return eval(run(1, QKV_MPI, *words, *more)[0], {})  # pylint: disable=eval-used

    one, four, causal = plan(), plan("--ranks", "4"), plan("--ranks", "4", "--causal")
    length, flops = 1 << 20, 4 * 8 * 64 * (1 << 40)
    assert abs(one["seconds"] - flops / 1e11) < 1e-6 * flops / 1e11 and one["traffic_bytes"] == 0
    assert abs(four["compute_seconds"] - one["seconds"] / 4) < 1e-6
    assert four["traffic_bytes"] == length * 3 / 4 * 8 * 128 * 4
    assert four["messages"] == 512 * 3 / 4 / 2
    parcel = 4096 * 8 * 128 * 4
    assert abs(four["wait_seconds"] - 3 * (1e-5 + parcel / 1e9)) < 1e-9
    assert abs(causal["compute_seconds"] / four["compute_seconds"] - 0.5) < 1e-3
    shards = length // 4 * 8 * 64 * 4 * 4
    assert four["memory_bytes"] == shards + length // 4 * 8 * 66 * 8 + 5 * parcel
    shared = plan("--ranks", "4", "--at-once", "2")
    assert abs(shared["compute_seconds"] - one["seconds"] / 2) < 1e-6


def sent_bytes(folder, *words):
    """Bytes of messages from rank to rank, as Open MPI counts them: {(from, to): bytes}."""
    monitor = ["--mca", "pml_monitoring_enable", "2", "--mca", "pml_monitoring_enable_output", "3",
               "--mca", "pml_monitoring_filename", os.path.join(folder, "sent")]
    done = subprocess.run([*MPIRUN, *monitor, "-n", "4", QKV_MPI, "attend", "--random",
                           "2x8192x32", "--block", "512", *words], capture_output=True, text=True,
                          timeout=LIMIT, check=False)
    sent = {}
    for rank in range(4):
        path = os.path.join(folder, f"sent.{rank}.prof")
        if done.returncode != 0 or not os.path.exists(path):
            raise Skip("this MPI does not count messages")
        with open(path, encoding="ascii") as file:
            for line in file:
                if line.startswith("E\t"):
                    _, source, to, count = line.split("\t")[:4]
                    sent[int(source), int(to)] = int(count.split()[0])
        os.unlink(path)
    return sent


def test_traffic():
    """Every rank gets every key that is not its own once; with a window, only neighbours talk. The
    plan knows it."""
    row = 2 * (32 + 32) * 4  # bytes of a key and its value, in both heads
    with tempfile.TemporaryDirectory() as folder:
        for words, plan in ((["--layout", "contiguous"], []), (["--causal"], ["--causal"])):
            sent = sent_bytes(folder, *words)
            for rank in range(4):
                got = sum(count for (_, to), count in sent.items() if to == rank)
                assert got == 8192 * 3 / 4 * row, f"{words}: rank {rank} got {got} bytes: {sent}"
            text = run(1, QKV_MPI, "plan", "--json", "--length", "8192", "--heads", "2", "--width",
                       "32", "--block", "512", "--ranks", "4", "--speed", "1e11", "--bandwidth",
                       "1e9", *plan)[0]
            assert eval(text, {})["traffic_bytes"] == got  # pylint: disable=eval-used
        # 200 keys back reach into one block of the rank before; 300 either way into one on each side.
        assert sent_bytes(folder, "--window", "200,0", "--causal") == {
            (0, 1): 512 * row, (1, 2): 512 * row, (2, 3): 512 * row}
        assert sent_bytes(folder, "--window", "300,300") == {
            (rank, to): 512 * row for rank in range(4) for to in (rank - 1, rank + 1)
            if 0 <= to < 4}


def test_manual():
    """The manual page names every option, and the library exports what its header declares."""
    with open(os.path.join(ROOT, "man", "qkv-mpi.1"), encoding="utf-8") as file:
        page = file.read().replace("\\-", "-")
    for subcommand in ("attend", "plan", "sample", "sweep"):
        text = run(1, QKV_MPI, "help", subcommand)[0]
        for option in re.findall(r"^  (?:-., )?(--[a-z-]+)", text, re.MULTILINE):
            assert option in page or option == "--help", f"{subcommand} {option}"
    with open(os.path.join(ROOT, "include", "qkv", "mpi.h"), encoding="utf-8") as file:
        declared = set(re.findall(r"(qkv_mpi_[a-z_]+)\(", re.sub(r"/\*.*?\*/", "", file.read(),
                                                              flags=re.DOTALL)))
    library = os.path.join(BUILD, "src", "mpi", "libqkv_mpi.so")
    names = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                           capture_output=True).stdout
    assert {line.split()[2] for line in names.splitlines()} == declared, names


def test_example():
    """examples/many_ranks.c on 1 and 3 ranks."""
    for ranks in (1, 3):
        output = run(ranks, os.path.join(BUILD, "examples", "example_many_ranks"))[0]
        assert output == "the weights of 2000 queries add up to 2000.00\n", output


def test_network():
    """Two namespaces with a delayed link between them: the same bits, over TCP."""
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        words = tensors(folder, 2, 2, 4096, 32)
        line = [QKV_MPI, "attend", *words, "--causal", "--block", "256", "-o"]
        run(1, *line, at("one.npy"))
        try:
            with network.Network(20.0) as net:
                print(f"# delay by {net.how}: a round trip takes {net.round_trip():.0f} ms")
                assert net.round_trip() >= 39, "the delay is not there"
                net.run([*line, at("two.npy")], LIMIT)
        except network.NotPermitted as reason:
            raise Skip(str(reason)) from reason
        assert np.array_equal(np.load(at("one.npy")), np.load(at("two.npy")))


def main(names):
    cases = [(name[5:], case) for name, case in sorted(globals().items())
             if name.startswith("test_") and (not names or name[5:] in names)]
    print(f"1..{len(cases)}")
    failed, left_out = 0, []
    for number, (name, case) in enumerate(cases, 1):
        try:
            case()
            print(f"ok {number} - {name}")
        except Skip as reason:
            left_out.append(f"{name}: {reason}")
            print(f"ok {number} - {name} # SKIP {reason}")
        except Exception as error:  # pylint: disable=broad-except
            failed += 1
            for line in f"{type(error).__name__}: {error}".splitlines()[:30]:
                print(f"# {line}")
            print(f"not ok {number} - {name}")
        sys.stdout.flush()
    for reason in left_out:
        print(f"left out: {reason}")
    print(f"{len(cases) - failed - len(left_out)} passed, {failed} failed"
          + (f", {len(left_out)} left out" if left_out else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[2:]))
