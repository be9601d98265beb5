#!/usr/bin/python3
"""Runs the examples of the documents, and follows their links: what a reader copies must do what the
page says.

    check_documents.py ROOT QKV LIBRARY

In README.md and docs/**/*.md, a ```console block is a session: lines after "$ " are run by sh with
qkv on the path, and the lines below must be their output; the sessions of one document share a
folder, so that a later one can go on with the files of an earlier one. A ```c block with a main is compiled,
linked with libqkv and libqkv_check and must exit with 0; if a ```text block comes next, the program must print
exactly that. A ```c block without a main is a fragment, and no case. A link or picture in any
Markdown file of the repository must lead to a file, and to a heading where it names one; and a path
in `backquotes` that begins with one of the repository's folders must exist. Speaks TAP: one case per
block, then one per file with links.
"""
import os
import re
import subprocess
import sys
import tempfile

BLOCK = re.compile(r"^```(console|c)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OUTPUT = re.compile(r"\n\s*^```text\n(.*?)^```$", re.DOTALL | re.MULTILINE)
MAIN = re.compile(r"^int main\(", re.MULTILINE)
FENCED = re.compile(r"^( *)(```|~~~).*?^\1\2 *$|`[^`\n]*`", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\]\(([^)\s]+)\)|\b(?:src|srcset)=\"([^\"]+)\"")
PATH = re.compile(r"`((?:src|cli|include|tests|scripts|python|web|docs|examples|man|completions)"
                  r"/[a-z0-9_./-]+)`")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)
FOLDERS = ("bench", "docs", "examples", "tests") # those that hold Markdown files, beside the root


def documents(root):
    yield os.path.join(root, "README.md")
    for folder, _, names in os.walk(os.path.join(root, "docs")):
        for name in sorted(names):
            if name.endswith(".md"):
                yield os.path.join(folder, name)


def run_session(text, path, folder):
    """None, or what went wrong."""
    for step in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, _, expected = step.partition("\n")
        while expected.startswith("> "): # a command that goes on, as a shell shows it
            line, _, expected = expected.partition("\n")
            command += "\n" + line[2:]
        environment = dict(os.environ, PATH=f"{path}:{os.environ['PATH']}")
        done = subprocess.run(["sh", "-c", command], cwd=folder, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.stdout.rstrip() != expected.rstrip():
            return f"$ {command}\nprinted\n{done.stdout}instead of\n{expected}"
    return None


def run_program(text, expected, root, library):
    """None, or what went wrong; expected is None where the page does not show the output."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "example.c"), os.path.join(folder, "example")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        place = os.path.dirname(library)
        for command in (["gcc", "-std=c17", "-Wall", "-Werror", f"-I{root}/include", source,
                         library, library.replace("libqkv.so", "libqkv_check.so"), f"-Wl,-rpath,{place}", "-lm", "-o", program], [program]):
            done = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
            if done.returncode != 0:
                return f"{os.path.basename(command[0])}: status {done.returncode}: {done.stdout}"
    if expected is not None and done.stdout != expected:
        return f"printed\n{done.stdout}instead of\n{expected}"
    return None


def run_block(text, block, folder, root, qkv, library):
    if block.group(1) == "console":
        return run_session(block.group(2), os.path.dirname(qkv), folder)
    output = OUTPUT.match(text, block.end())
    return run_program(block.group(2), output and output.group(1), root, library)


def run_blocks(path, root, qkv, library):
    """Pairs of a line and what went wrong there, or None."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with tempfile.TemporaryDirectory() as folder:
        for block in BLOCK.finditer(text):
            if block.group(1) == "console" or MAIN.search(block.group(2)):
                line = text.count("\n", 0, block.start()) + 1
                yield line, run_block(text, block, folder, root, qkv, library)


def all_documents(root):
    """Every Markdown file of the repository."""
    yield from (os.path.join(root, name) for name in sorted(os.listdir(root)) if name.endswith(".md"))
    for place in FOLDERS:
        for folder, _, names in os.walk(os.path.join(root, place)):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".md"))


def anchors(path):
    """The headings of a document, as links name them."""
    with open(path, encoding="utf-8") as file:
        titles = HEADING.findall(FENCED.sub(lambda block: block.group(0).strip("`~")
                                            if "\n" not in block.group(0) else "", file.read()))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(path, root):
    with open(path, encoding="utf-8") as file:
        whole = file.read()
    text = FENCED.sub("", whole)
    for name in PATH.findall(whole):
        if not os.path.exists(os.path.join(root, name)):
            yield f"{name} does not exist"
    for link in (first or second for first, second in LINK.findall(text)):
        if re.match(r"[a-z]+:", link):
            continue
        place, _, heading = link.partition("#")
        target = os.path.join(os.path.dirname(path), place) if place else path
        if not os.path.exists(target):
            yield f"{link} leads nowhere"
        elif heading and heading not in anchors(target):
            yield f"{link} names a heading that is not there"


def check_links(root, number):
    """The number of the last case, and how many failed."""
    failed = 0
    for path in all_documents(root):
        broken = list(broken_links(path, root))
        number += 1
        failed += bool(broken)
        for complaint in broken:
            print(f"# {complaint}")
        print(f"{'not ' if broken else ''}ok {number} - links of {os.path.relpath(path, root)}")
    return number, failed


def main(root, qkv, library):
    number = failed = 0
    for path in documents(root):
        for line, problem in run_blocks(path, root, qkv, library):
            number += 1
            failed += problem is not None
            for complaint in (problem or "").splitlines():
                print(f"# {complaint}")
            where = f"{os.path.relpath(path, root)}:{line}"
            print(f"{'not ' if problem else ''}ok {number} - {where}")
    examples = number
    number, broken = check_links(root, number)
    print(f"1..{number}")
    return 1 if failed or broken or examples == 0 else 0


if __name__ == "__main__":
    sys.exit(main(*(os.path.abspath(path) for path in sys.argv[1:4])))
