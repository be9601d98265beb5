#!/usr/bin/python3
"""check_load.py TIMES PROGRAM...: runs programs many times on a busy machine.

Beside them, two processes per processor are busy without end, so that threads are stopped at any
point. A run that fails or hangs ends it with status 1.
"""

import os
import subprocess
import sys
import time

PATIENCE = 600  # seconds: ends a run that hangs


def main(words):
    times, programs = int(words[0]), words[1:]
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
            for _ in range(2 * len(os.sched_getaffinity(0)))]
    begin = time.monotonic()
    try:
        for number in range(times):
            for program in programs:
                try:
                    run = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                         timeout=PATIENCE, check=False)
                except subprocess.TimeoutExpired:
                    print(f"{program} hangs in run {number + 1}")
                    return 1
                if run.returncode != 0:
                    print(run.stdout.decode("utf-8", "replace")[-4000:])
                    print(f"{program} fails in run {number + 1}: status {run.returncode}")
                    return 1
            if (number + 1) % 10 == 0:
                left = (time.monotonic() - begin) / (number + 1) * (times - number - 1)
                print(f"{number + 1} of {times} runs, {left / 60:.0f} min left", flush=True)
    finally:
        for process in busy:
            process.kill()
            process.wait()
    print(f"{times} runs of {len(programs)} programs under load, none failed")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
