#!/usr/bin/python3
"""Runs a notebook's code cells in order, as a notebook would, without Jupyter.

    notebook.py NOTEBOOK            fails where a cell fails
    notebook.py --write NOTEBOOK    and keeps what the cells show in it

What a cell prints and the value of its last line are its outputs; a value shows itself by
_repr_html_, _repr_svg_ and repr. The same cells give the same file. Speaks TAP, a case a cell.
"""
import ast
import contextlib
import io
import json
import os
import sys
import traceback


def run(source, names):
    """(printed, value of the last line or None)."""
    tree = ast.parse(source)
    last = tree.body.pop().value if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, "cell", "exec"), names)
        value = None
        if last is not None:
            value = eval(compile(ast.Expression(last), "cell", "eval"), names)
    return printed.getvalue(), value


def lines(text):
    return text.splitlines(keepends=True)


def outputs(printed, value, count):
    found = []
    if printed:
        found.append({"name": "stdout", "output_type": "stream", "text": lines(printed)})
    if value is not None:
        shown = {"text/plain": lines(repr(value))}
        for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
            if hasattr(value, method) and not (kind == "image/svg+xml" and "text/html" in shown):
                shown[kind] = lines(getattr(value, method)())
        if "image/svg+xml" in shown:
            shown["text/plain"] = [f"<{type(value).__name__}>"]
        found.append({"data": shown, "execution_count": count, "metadata": {},
                      "output_type": "execute_result"})
    return found


def main(path, write):
    with open(path, encoding="utf-8") as file:
        notebook = json.load(file)
    os.chdir(os.path.dirname(os.path.abspath(path)))
    names, failed = {"__name__": "__main__"}, 0
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, cell in enumerate(cells, 1):
        source = "".join(cell["source"])
        try:
            cell["outputs"] = outputs(*run(source, names), count)
            cell["execution_count"] = count
            print(f"ok {count} - cell {count}")
        except Exception:  # whatever a cell raises is what we tell
            for line in traceback.format_exc().splitlines():
                print(f"# {line}")
            print(f"not ok {count} - cell {count}")
            failed = 1
            break
    print(f"1..{len(cells)}")
    if write and not failed:
        with open(os.path.basename(path), "w", encoding="utf-8") as file:
            json.dump(notebook, file, indent=1, ensure_ascii=False, sort_keys=True)
            file.write("\n")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[-1], "--write" in sys.argv[1:-1]))
