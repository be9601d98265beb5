#!/usr/bin/python3
"""Claims judged by hand, T for true and F for false: no verdict may say the contrary.

judged.txt holds documents, one after the other, between lines of ====. A claim that a person found true ends in
`# T`, a false one in `# F`. What is left undecided is counted, not blamed.

Usage: judged.py QKV FILE [STEP]. Speaks TAP. With a STEP only one document in so many is looked at.
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from replayed import claims

CONTRARY = {"T": "refuted", "F": "proved"}


def main():
    qkv, step = sys.argv[1], int(sys.argv[3]) if len(sys.argv) > 3 else 1
    documents = re.split(r"^====\n", Path(sys.argv[2]).read_text(), flags=re.M)[::step]
    decided = judged = 0
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "judged.qkv"
        for document in documents:
            path.write_text(document)
            result = subprocess.run([qkv, "check", "--json", str(path)], capture_output=True, text=True)
            if result.returncode not in (0, 1, 2):
                wrong.append(f"exit status {result.returncode}: {document}")
                continue
            lines = document.split("\n")
            for claim in claims(json.loads(result.stdout)):
                truth = re.search(r"# ([TF])$", lines[claim["line"] - 1])
                if truth is None:
                    continue
                judged += 1
                decided += claim["verdict"] in ("proved", "refuted")
                if claim["verdict"] == CONTRARY[truth.group(1)]:
                    wrong.append(f"{claim['verdict']}: {lines[claim['line'] - 1]}\n{document}")
    print("1..1")
    for text in wrong:
        print("# " + text.rstrip("\n").replace("\n", "\n#   "))
    print(f"{'not ok' if wrong else 'ok'} 1 - {decided} of {judged} claims decided as judged")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
