"""ONNX's node test cases of the Attention operator (operator sets 23 to 25) against libqkv.

    onnx_attention.py LIBRARY

Inputs and expected results come from the package onnx; the comparison is its own, at the
tolerance that its cases carry (rtol 1e-3, atol 1e-7; two units in the last place for bfloat16).
Every case runs once a kernel. What ONNX calls by other names is translated here:

    past_key, past_value    appended to a qkv_cache first; the queries stand behind them
    nonpad_kv_seqlen        key_lengths, queries aligned bottom-right
    neither                 queries aligned top-left
    attn_mask               padded with "masked" up to the number of keys
    qk_matmul_output_mode   the stages raw, capped, masked, weights
"""
import ctypes
import sys
import warnings

import libqkv
import numpy as np

from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.runner import Runner

STAGES = ["scores_raw", "scores_capped", "scores_masked", "weights"]


def cases():
    """The cases whose graph is a single Attention node: the `_expanded` twins are left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = collect_testcases("Attention")
    return [case for case in found if len(case.model.graph.node) == 1
            and case.model.graph.node[0].op_type == "Attention"]


def attributes_of(node):
    return {a.name: a.f if a.type == a.FLOAT else a.i for a in node.attribute}


def with_heads(array, heads):
    """(B, L, H*D) as (B, H, L, D), without a copy; (B, H, L, D) as it is."""
    if array.ndim == 4:
        return array
    batch, length, width = array.shape
    return array.reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)


def pad_mask(mask, keys):
    missing = keys - mask.shape[-1]
    if missing <= 0:
        return mask
    masked = False if mask.dtype == np.bool_ else -np.inf
    return np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, missing)], constant_values=masked)


def fill_cache(library, inputs, key, value):
    """Past and present through the library's own cache; returns it and its two arrays."""
    past = [inputs.get("past_key"), inputs.get("past_value")]
    total = key.shape[2] + (past[0].shape[2] if past[0] is not None else 0)
    rooms = [np.zeros((*a.shape[:2], total, a.shape[3]), a.dtype) for a in (key, value)]
    cache = libqkv.Cache(libqkv.view(rooms[0]), libqkv.view(rooms[1]), 0)
    for k, v in ([past] if past[0] is not None else []) + [[key, value]]:
        library.call("qkv_cache_append", cache, libqkv.view(k), libqkv.view(v))
    return cache, rooms


def make_options(library, attributes, inputs, keys, kernel):
    """Options, and the arrays that they point to, which must be kept."""
    options, kept = library.options(), []
    options.kernel = kernel.encode()
    options.scale = attributes.get("scale", 0.0)
    options.softcap = attributes.get("softcap", 0.0)
    options.causal = bool(attributes.get("is_causal", 0))
    left = attributes.get("left_window_size", -1)
    right = attributes.get("right_window_size", -1)
    if left >= 0 or right >= 0:
        options.window = True
        options.window_left = left if left >= 0 else libqkv.UNLIMITED
        options.window_right = right if right >= 0 else libqkv.UNLIMITED
    options.alignment = libqkv.TOP_LEFT
    if "past_key" in inputs:
        options.alignment = libqkv.OFFSET
        options.query_offset = inputs["past_key"].shape[2]
    elif "nonpad_kv_seqlen" in inputs:
        options.alignment = libqkv.BOTTOM_RIGHT
    if "nonpad_kv_seqlen" in inputs:
        lengths = inputs["nonpad_kv_seqlen"].tolist()
        options.key_lengths = (ctypes.c_size_t * len(lengths))(*lengths)
    if "attn_mask" in inputs:
        mask = pad_mask(inputs["attn_mask"], keys)
        options.mask = libqkv.view(mask)
        kept.append(mask)
    return options, kept


def run(library, case, inputs, kernel):
    """The outputs of one case, in the order of the node's."""
    node = case.model.graph.node[0]
    attributes = attributes_of(node)
    inputs = dict(zip([name for name in node.input if name], inputs))
    heads, kv_heads = attributes.get("q_num_heads"), attributes.get("kv_num_heads")
    query = with_heads(inputs["Q"], heads)
    key, value = with_heads(inputs["K"], kv_heads), with_heads(inputs["V"], kv_heads)
    cache, rooms = fill_cache(library, inputs, key, value)
    keys = rooms[0].shape[2]
    options, kept = make_options(library, attributes, inputs, keys, kernel)
    batch, heads, queries = query.shape[:3]

    packed = inputs["Q"].ndim == 3
    shape = (batch, queries, heads, value.shape[3]) if packed else (*query.shape[:3],
                                                                    value.shape[3])
    output = np.zeros(shape, query.dtype)
    scores = np.zeros((batch, heads, queries, keys), query.dtype)
    if "qk_matmul_output" in node.output:
        setattr(options, STAGES[attributes.get("qk_matmul_output_mode", 0)], libqkv.view(scores))
    target = output.transpose(0, 2, 1, 3) if packed else output
    library.call("qkv_cache_attend", cache, libqkv.view(query), libqkv.view(target), options)
    del kept
    results = {node.output[0]: output.reshape(batch, queries, -1) if packed else output,
               "present_key": rooms[0], "present_value": rooms[1], "qk_matmul_output": scores}
    return [results[name] for name in node.output if name]


def passes(library, case, kernel):
    for inputs, expected in case.data_sets:
        try:
            outputs = run(library, case, inputs, kernel)
            Runner.assert_similar_outputs(expected, outputs, case.rtol, case.atol)
        except (AssertionError, ValueError) as failure:
            print(f"FAILED {case.name} with kernel {kernel}: {failure}")
            return False
    return True


def main(path):
    library, found = libqkv.Library(path), cases()
    passed = failed = 0
    for kernel in library.kernels():
        good = sum(passes(library, case, kernel) for case in found)
        print(f"kernel {kernel}: {good} of {len(found)} ONNX Attention cases")
        passed += good
        failed += len(found) - good
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
