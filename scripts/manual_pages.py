#!/usr/bin/python3
"""Makes manual pages of section 3 from the public headers: one per header, qkv_attention.3, and one per
function, which leads there.

    manual_pages.py VERSION FOLDER HEADER ...
    manual_pages.py --list HEADER ...            the names of the pages

A header's first comment is the page's description. Behind it stand its types and functions, each with
the comment before it. A line `QKV_API` begins a declaration; a comment that stands before several of
them belongs to all.
"""
import os
import re
import sys

PIECE = re.compile(r"/\*(?P<comment>.*?)\*/|(?P<function>^QKV_API.*?;)|(?P<type>^typedef .*?^\} \w+;)|"
                   r"(?P<line>^[^\n]*\n)", re.DOTALL | re.MULTILINE)


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def strip_comment(text):
    """The words of a comment without its stars; `!!` marks a warning in the header."""
    lines = [re.sub(r"^\s*\*? ?(!!  )?", "", line).rstrip() for line in text.strip().splitlines()]
    return "\n".join(lines).strip()


def paragraphs(text):
    """Running text as it is, what is indented as examples."""
    out = []
    for block in re.split(r"\n\s*\n", text):
        indented = all(line.startswith("    ") for line in block.splitlines())
        out += [".PP", ".nf", roff(block), ".fi"] if indented else [".PP", roff(block)]
    return out


def read(text):
    """The description, and (comment, declarations) in their order."""
    description, entries, comment, fresh = "", [], "", False
    for piece in PIECE.finditer(text):
        if piece["comment"] is not None:
            found = strip_comment(piece["comment"])
            if not description:
                description = found
            elif not found.startswith("---"):
                comment, fresh = found, True
        elif piece["function"] or piece["type"]:
            code = re.sub(r"^QKV_API ", "", piece["function"] or piece["type"])
            if not fresh and entries:
                entries[-1][1].append(code)
            else:
                entries.append((comment, [code]))
            comment, fresh = "", False
        elif not piece["line"].strip():
            fresh = True
    return description, entries


def name_of(code):
    found = None if code.startswith("typedef") else re.match(r"[^()]*?\b(qkv_\w+)\(", code)
    return found[1] if found else None


def page(title, version, header, description, entries):
    first = re.split(r"(?<=\.)\s", description)[0].rstrip(".")
    first = " ".join(first.split())
    lines = [f'.TH {title.upper()} 3 "" "qkv {version}" "qkv"', ".SH NAME",
             f"{title} \\- {roff(first[0].lower() + first[1:])}", ".SH SYNOPSIS", ".nf",
             f"#include <qkv/{header}>", "", "cc ... $(pkg\\-config \\-\\-cflags \\-\\-libs qkv)", ".fi",
             ".SH DESCRIPTION", *paragraphs(description), ".SH INTERFACE"]
    for comment, codes in entries:
        lines += [".PP", ".nf", roff("\n".join(codes)), ".fi"]
        if comment:
            lines += [".RS", *paragraphs(comment), ".RE"]
    return "\n".join(lines) + "\n"


def pages(version, headers):
    """Names and texts."""
    for path in headers:
        header = os.path.basename(path)
        title = "qkv_" + header.removesuffix(".h") + "_h"
        with open(path, encoding="utf-8") as file:
            description, entries = read(file.read())
        yield f"{title}.3", page(title, version, header, description, entries)
        names = [name_of(code) for _, codes in entries for code in codes]
        for name in dict.fromkeys(filter(None, names)):
            yield f"{name}.3", f".so man3/{title}.3\n"


def main(version, folder, *headers):
    os.makedirs(folder, exist_ok=True)
    for name, text in pages(version, headers):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    if sys.argv[1] == "--list":
        print("\n".join(name for name, _ in pages("", sys.argv[2:])))
    else:
        main(*sys.argv[1:])
