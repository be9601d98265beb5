#!/usr/bin/python3
"""Compares the options as Python passes them to libqkv_cuda with the header: structs.py ROOT LIBRARY, a
libqkv. Speaks TAP. Needs no device: a struct that is too short would be read as one without the newer options.
"""
import ctypes
import importlib.util
import os
import re
import sys
import types

cases = failures = 0


def report(good, text):
    global cases, failures
    cases, failures = cases + 1, failures + (not good)
    print(f"{'ok' if good else 'not ok'} {cases} - {text}")


def load(root):
    """The module alone: it asks the compiled one for numbers that do not matter here."""
    package = types.ModuleType("alone")
    package.__path__ = []
    package._qkv = types.SimpleNamespace(OPTIONS_SIZE=0, NUMBERS={})
    sys.modules["alone"] = package
    spec = importlib.util.spec_from_file_location("alone._cuda",
                                                  os.path.join(root, "python", "qkv", "_cuda.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fields_of(text, name):
    """The names of a struct's fields, in order."""
    body = re.search(rf"typedef struct {name} {{(.*?)\n}} {name};", text, re.DOTALL).group(1)
    body = re.sub(r"/\*.*?\*/", "", body, flags=re.DOTALL)
    return [re.search(r"(\w+)(\[\w+\])?$", one.strip()).group(1)
            for statement in body.split(";") for one in statement.split(",") if one.strip()]


def main(root, library):
    cuda, loaded = load(root), ctypes.CDLL(library)
    for header, name, struct in (("attention.h", "qkv_attention_options", cuda._Fields),
                                 ("tensor.h", "qkv_view", cuda._View), ("status.h", "qkv_error", cuda._Error)):
        with open(os.path.join(root, "include", "qkv", header), encoding="utf-8") as file:
            names = fields_of(file.read(), name)
        ours = [field for field, _ in struct._fields_]
        report(ours == names, f"{name} has the fields of {header}")
        for one, other in zip(ours, names):
            if one != other:
                print(f"# {one} stands where {other} is expected")
    # The library's struct, behind which nothing may be written: room for twice ours.
    made = (ctypes.c_char * (2 * ctypes.sizeof(cuda._Options)))

    class Room(ctypes.Structure):
        _fields_ = [("options", cuda._Options), ("rest", made)]
    loaded.qkv_attention_default.restype = Room
    size = loaded.qkv_attention_default().options.struct_size
    report(size == ctypes.sizeof(cuda._Options), f"the options have {ctypes.sizeof(cuda._Options)} bytes, the library's {size}")
    print(f"1..{cases}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
