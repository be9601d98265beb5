"""ONNX's node test cases of the Attention operator (operator sets 23 to 25) against the package qkv.

Inputs and expected results come from the package onnx; the comparison is its own, at the
tolerance that its cases carry (rtol 1e-3, atol 1e-7; two units in the last place for bfloat16).
Every case runs once a kernel, by the public function qkv.attention. What ONNX calls by other names is translated here:

    past_key, past_value    before the keys and values; the queries stand behind them
    nonpad_kv_seqlen        key_lengths, queries aligned bottom-right
    neither                 queries aligned top-left
    attn_mask               padded with "masked" up to the number of keys
    qk_matmul_output_mode   the stages raw, capped, masked, weights
"""
import sys
import warnings

import numpy as np
import qkv

from onnx.backend.test.case.node import collect_testcases
from onnx.backend.test.runner import Runner

STAGES = ["raw", "capped", "masked", "weights"]


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


def with_past(inputs, key, value):
    """Past and present, one behind the other."""
    if "past_key" not in inputs:
        return key, value
    return (np.concatenate([inputs["past_key"], key], axis=2),
            np.concatenate([inputs["past_value"], value], axis=2))


def make_options(attributes, inputs, keys):
    """ONNX's attributes and optional inputs in the operator's words."""
    options = {"scale": attributes.get("scale"), "softcap": attributes.get("softcap", 0.0),
               "causal": bool(attributes.get("is_causal", 0)), "alignment": "top-left"}
    sides = [attributes.get(f"{side}_window_size", -1) for side in ("left", "right")]
    if max(sides) >= 0:
        options["window"] = [side if side >= 0 else None for side in sides]
    if "past_key" in inputs:
        options.update(alignment=None, offset=inputs["past_key"].shape[2])
    elif "nonpad_kv_seqlen" in inputs:
        options["alignment"] = "bottom-right"
    if "nonpad_kv_seqlen" in inputs:
        options["key_lengths"] = inputs["nonpad_kv_seqlen"].tolist()
    if "attn_mask" in inputs:
        options["mask"] = pad_mask(inputs["attn_mask"], keys)
    return options


def run(case, inputs, kernel):
    """The outputs of one case, in the order of the node's."""
    node = case.model.graph.node[0]
    attributes = attributes_of(node)
    inputs = dict(zip([name for name in node.input if name], inputs))
    heads, kv_heads = attributes.get("q_num_heads"), attributes.get("kv_num_heads")
    query = with_heads(inputs["Q"], heads)
    key, value = with_past(inputs, with_heads(inputs["K"], kv_heads),
                           with_heads(inputs["V"], kv_heads))
    options = make_options(attributes, inputs, key.shape[2])
    if "qk_matmul_output" in node.output:
        options["scores"] = STAGES[attributes.get("qk_matmul_output_mode", 0)]
    found = qkv.attention(query, key, value, kernel=kernel, **options)
    output, scores = found if isinstance(found, tuple) else (found, None)
    if inputs["Q"].ndim == 3:
        output = output.transpose(0, 2, 1, 3).reshape(*inputs["Q"].shape[:2], -1)
    results = {node.output[0]: output, "present_key": key, "present_value": value,
               "qk_matmul_output": scores}
    return [results[name] for name in node.output if name]


def passes(case, kernel):
    """Whether it does; None where this kernel is for other types."""
    for inputs, expected in case.data_sets:
        try:
            outputs = run(case, inputs, kernel)
            Runner.assert_similar_outputs(expected, outputs, case.rtol, case.atol)
        except (AssertionError, ValueError) as failure:
            if any(words in str(failure) for words in ("takes operands of type", "does not compute in")):
                return None
            print(f"FAILED {case.name} with kernel {kernel}: {failure}")
            return False
    return True


def main():
    found = cases()
    passed = failed = 0
    for kernel in qkv.kernels():
        results = [result for case in found if (result := passes(case, kernel)) is not None]
        print(f"kernel {kernel}: {sum(results)} of {len(results)} ONNX Attention cases")
        passed += sum(results)
        failed += len(results) - sum(results)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
