# The autograder for Gradescope, unpacked and run as Gradescope does.
cp -r "$SOURCE_ROOT/examples/grading" class
qkv grade class/key.md --gradescope-zip autograder.zip
mkdir -p autograder/source autograder/submission
python3 - << 'PYTHON'
import os, zipfile
with zipfile.ZipFile("autograder.zip") as file:
    assert file.testzip() is None
    names = file.namelist()
    assert {"setup.sh", "run_autograder", "key.md", "bin/qkv"} <= set(names), names
    file.extractall("autograder/source")
    for entry in file.infolist():
        os.chmod("autograder/source/" + entry.filename, entry.external_attr >> 16 & 0o777)
PYTHON
sh autograder/source/setup.sh
# Every library that the program asks for is there, so that no machine needs to have it.
autograder/source/lib/ld-* --library-path autograder/source/lib --list autograder/source/bin/qkv |
    sed -n 's/^[[:space:]]*\([^ ]*\) => .*/\1/p' | while read -r library; do
    test -s "autograder/source/lib/${library##*/}" || echo "missing: $library"
done
cp autograder/source/run_autograder autograder/run_autograder
cp class/answers/ada.md autograder/submission/
AUTOGRADER=$PWD/autograder autograder/run_autograder
python3 -c 'import json; print(json.load(open("autograder/results/results.json"))["score"])'
# Nothing handed in.
rm autograder/submission/ada.md
AUTOGRADER=$PWD/autograder autograder/run_autograder
python3 -c 'import json; r = json.load(open("autograder/results/results.json")); print(r["score"], len(r["tests"]))'
# A file that is not ours is not replaced.
echo mine > other.zip
qkv grade class/key.md --gradescope-zip other.zip || echo "exit status $?"
qkv grade class/key.md class/answers/ada.md --gradescope-zip new.zip || echo "exit status $?"
