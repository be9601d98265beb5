"""Cases of a test, counted and printed as TAP. Knows nothing of what is tested."""

SHOWN = 20  # faults of a case; more would hide the next one


class Cases:
    """The base of a test: it reports each case once, and is good if none had a fault."""

    number, good = 0, True

    def report(self, name, faults, skipped=""):
        """One case; a fault that is empty is none."""
        self.number += 1
        faults = [fault for fault in faults if fault]
        self.good = self.good and not faults
        print(f"{'not ok' if faults else 'ok'} {self.number} - {name}"
              f"{' # SKIP ' + skipped if skipped else ''}", flush=True)
        for fault in faults[:SHOWN]:
            print(f"# {fault}")
