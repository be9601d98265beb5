#!/usr/bin/python3
"""Fills in templates from the tables of the operator's options, src/attention/options.def, of file
formats, src/io/formats.def, and of plots, src/plot/plots.def.

    options.py OPTIONS FORMATS PLOTS TEMPLATE RESULT

In a manual page (a name that ends in .1.in), a line `@options HEADING@` becomes the group of options of
that heading, `@formats@` the list of formats and `@plots@` that of plots. In type stubs (.pyi.in), `@FUNCTION@` becomes the keywords of attention, self or
gradient; what follows the function's name, as in `@attention return_lse: Literal[True]@`, stands for the
keywords that it names.
"""
import ast
import re
import sys

ROW = re.compile(r"^(OPTION|COMMAND_OPTION|PYTHON_OPTION)\((\w+),", re.MULTILINE)
NAMED = re.compile(r"^(FORMAT|FIGURE)\((\w+),.*?\)$", re.MULTILINE | re.DOTALL)
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|\w+|[(),]')
COMMAND = ("heading", "name", "letter", "argument", "help", "details")
FORMAT = ("name", "word", "tensors", "help", "details")
FIGURE = ("name", "of", "takes", "example", "help", "details")
PYTHON = ("name", "otherwise", "type", "attention", "self", "gradient", "help")


def read_fields(text, word, names):
    """The fields behind COMMAND( or PYTHON( in a row, by name; None if the row has none of that kind."""
    start = re.search(rf"\b{word}\(", text)
    if start is None:
        return None
    fields, now = [], None
    for token in TOKEN.findall(text[start.end():]):
        if token in (",", ")"):
            fields.append(now)
            now = None
            if token == ")":
                break
        elif token[0] == '"':
            now = (now or "") + ast.literal_eval(token)
        elif token[0] == "'":
            now = None if token == r"'\0'" else token[1]
        else:
            now = None if token == "NULL" else token
    assert len(fields) == len(names), text
    return dict(zip(names, fields))


def read_table(text):
    """The rows as pairs: the command's fields and Python's, or None."""
    starts = [match.start() for match in ROW.finditer(text)] + [len(text)]
    rows = [text[start:end] for start, end in zip(starts, starts[1:])]
    return [(read_fields(row, "COMMAND", COMMAND), read_fields(row, "PYTHON", PYTHON)) for row in rows]


# ---- The manual page -----------------------------------------------------------------------------


def roff(text, placeholders):
    """Running text, one sentence per line; options bold, placeholders in italics."""
    text = text.replace("\\", r"\e")
    for word in placeholders:
        text = re.sub(rf"(?<![\w-]){word}(?![\w-])", rf"\\fI{word}\\fR", text)
    text = re.sub(r"(?<![\w-])--?[a-z][a-z-]*", lambda option: rf"\fB{option[0]}\fR", text)
    return re.sub(r"(?<=\.) (?=[A-Z])", "\n", text.replace("-", r"\-"))


def manual_entry(option):
    argument = option["argument"] or ""
    placeholders = re.findall(r"\b[A-Z]+\b", argument)
    letter = f"-{option['letter']}, " if option["letter"] else ""
    name = roff(f"{letter}--{option['name']} {argument}".rstrip(), placeholders)
    return f".TP\n{name}\n" + roff(f"{option['help']} {option['details']}".rstrip(), placeholders)


def read_named(text, word, names):
    """The rows FORMAT(...) or FIGURE(...) of a table, in their order."""
    return [read_fields(row[0], word, names) for row in NAMED.finditer(text) if row[1] == word]


def fill_manual(rows, formats, plots, template):
    entries = [f".TP\n.IR FILE .{row['name']}\n{roff(row['details'], ())}"
               for row in read_named(formats, "FORMAT", FORMAT)]
    template = template.replace("@formats@", "\n".join(entries))
    entries = [f".TP\n.B {row['name']}\n{roff(row['details'], ['k_a'])}"
               for row in read_named(plots, "FIGURE", FIGURE)]
    template = template.replace("@plots@", "\n".join(entries))
    groups, heading = {}, None
    for command, _ in rows:
        if command is not None:
            heading = command["heading"] or heading
            groups.setdefault(heading, []).append(manual_entry(command))
    filled = re.sub(r"^@options (\w+)@$", lambda line: "\n".join(groups.pop(line[1])), template,
                    flags=re.MULTILINE)
    assert not groups, f"the manual page has no place for {', '.join(groups)}"
    return filled


# ---- Type stubs ----------------------------------------------------------------------------------


def keywords(rows, function, replaced):
    instead = {word.split(":")[0]: word for word in re.findall(r"\w+: [^:]*(?=, \w+:|$)", replaced)}
    taken = [row for _, row in rows if row is not None and row[function] == "YES"]
    words = []
    for row in taken:
        default = f" = {row['otherwise'][1:]}" if row["otherwise"] else ""
        words.append(instead.get(row["name"], f"{row['name']}: {row['type']}{default}"))
    return ", ".join(words)


def fill_stubs(rows, _formats, _plots, template):
    return re.sub(r"@(attention|self|gradient)\b ?([^@]*)@",
                  lambda call: keywords(rows, call[1], " ".join(call[2].split())), template)


def main(*paths):
    texts = []
    for path in paths[:-1]:
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    fill = fill_manual if paths[-2].endswith(".1.in") else fill_stubs
    with open(paths[-1], "w", encoding="utf-8") as file:
        file.write(fill(read_table(texts[0]), *texts[1:]))


if __name__ == "__main__":
    main(*sys.argv[1:])
