"""Threads: how many, by whoever says so; and Ctrl-C, which ends a long call."""
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
import qkv


def count(*, cores=None, **environment):
    """What another process counts, by its environment and the cores that it may use."""
    plain = {name: value for name, value in os.environ.items() if "_THREADS" not in name}
    program = "import os, qkv\n"
    if cores is not None:
        program += f"os.sched_setaffinity(0, {set(cores)})\n"
    done = subprocess.run([sys.executable, "-c", program + "print(qkv.get_threads())"], check=True,
                          env=dict(plain, **environment), capture_output=True, text=True)
    return int(done.stdout)


class Numbers(unittest.TestCase):
    def test_who_says_it(self):
        cores = len(os.sched_getaffinity(0))
        self.assertIn(count(), range(1, cores + 1))
        self.assertEqual(count(cores=list(os.sched_getaffinity(0))[-1:]), 1)
        self.assertEqual(count(OMP_NUM_THREADS="3,1"), 3)
        self.assertEqual(count(OMP_NUM_THREADS="3", QKV_THREADS="5"), 5)
        self.assertEqual(count(QKV_THREADS="many"), count())
        before = qkv.get_threads()
        qkv.set_threads(7)
        try:
            self.assertEqual(qkv.get_threads(), 7)
        finally:
            qkv.set_threads(None)
        self.assertEqual(qkv.get_threads(), before)
        with self.assertRaisesRegex(ValueError, "threads is -1"):
            qkv.set_threads(-1)

    def test_threads_of_a_call(self):
        x = np.random.default_rng(1).normal(size=(2, 40, 8))
        np.testing.assert_array_equal(qkv.scaled_dot_product_attention(x, x, x, threads=1),
                                      qkv.scaled_dot_product_attention(x, x, x, threads=2))


class Interrupts(unittest.TestCase):
    """A minute's work by the slowest kernel is over soon after the signal, and the next call works."""

    def interrupt(self, function):
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        begin = time.monotonic()
        with self.assertRaises(KeyboardInterrupt):
            timer.start()
            function()
            time.sleep(60)
        self.assertLess(time.monotonic() - begin, 10)

    def setUp(self):
        self.before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def tearDown(self):
        signal.signal(signal.SIGINT, self.before)

    def test_attention(self):
        x = np.random.default_rng(1).normal(size=(8, 4096, 64))
        self.interrupt(lambda: qkv.attention(x, x, x, kernel="reference"))
        c = qkv.attention(x[:1, :3], x[:1, :3], x[:1, :3])
        self.assertTrue(np.isfinite(c).all())

    def test_others_are_left_alone(self):
        """A signal is the main thread's: what another computes goes on."""
        x = np.random.default_rng(2).normal(size=(4, 300, 64))
        found = []
        worker = threading.Thread(target=lambda: found.append(qkv.attention(x, x, x, kernel="reference")))
        worker.start()
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        except KeyboardInterrupt:
            pass
        worker.join()
        np.testing.assert_allclose(found[0], qkv.attention(x, x, x), atol=1e-12)


if __name__ == "__main__":
    unittest.main()
