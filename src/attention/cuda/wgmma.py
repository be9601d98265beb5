#!/usr/bin/python3
"""Writes wgmma.h: Hopper's matrix instructions as functions, one for each shape that is used.

    wgmma.py FILE

The instruction names each of its accumulators, so that a call has up to 128 operands: too many to
write by hand, and C++ offers no other way to pass an array in registers. Sums are arrays of N / 2
floats, by which the compiler finds the shape; the first parameter is the type of the factors.
"""
import sys

SCORES = (64, 80, 96, 112, 128, 144, 160, 176, 192)  # keys of a block, columns of the product
OUTPUTS = (64, 128, 256)  # columns of the values
TYPES = {"bf16": "__nv_bfloat16", "f16": "__half"}

HEAD = """\
/* Written by wgmma.py: the instructions wgmma.mma_async of 64 rows, by type and columns. */
#ifndef QKV_ATTENTION_CUDA_WGMMA_H
#define QKV_ATTENTION_CUDA_WGMMA_H
#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
"""


def shape(columns, kind):
    return f"wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.{kind}.{kind}"


def function(name, columns, kind, left, transposed, left_transposed=0):
    """One function; left is 'shared' or 'registers', transposed whether the right factor is stored
    by columns of the product (values) instead of by rows (keys); left_transposed likewise."""
    count = columns // 2
    sums = "{" + ", ".join(f"%{i}" for i in range(count)) + "}"
    outputs = ", ".join(f'"+f"(sum[{i}])' for i in range(count))
    if left == "shared":
        parameter, right = "uint64_t left", count + 1
        operand, input_, flags = f"%{count}", '"l"(left)', f"1, 1, {left_transposed}, {transposed}"
    else:
        parameter, right = "const uint32_t *left", count + 4
        operand = "{" + ", ".join(f"%{count + i}" for i in range(4)) + "}"
        input_ = ", ".join(f'"r"(left[{i}])' for i in range(4))
        flags = f"1, 1, {transposed}"
    return f"""
static __device__ __forceinline__ void {name}({TYPES[kind]}, float (&sum)[{count}], {parameter}, uint64_t right, int add)
{{
    asm volatile("{{\\n.reg .pred add;\\nsetp.ne.b32 add, %{right + 1}, 0;\\n"
                 "{shape(columns, kind)} {sums}, {operand}, %{right}, add, {flags};\\n}}"
                 : {outputs}
                 : {input_}, "l"(right), "r"(add));
}}
"""


def main(path):
    text = HEAD
    for kind in TYPES:
        for columns in SCORES:
            text += function("qkv__wgmma_scores", columns, kind, "shared", 0)
        for columns in OUTPUTS:
            text += function("qkv__wgmma_outputs", columns, kind, "registers", 1)
        for columns in OUTPUTS[:2]:
            text += function("qkv__wgmma_rows", columns, kind, "shared", 1)
        text += function("qkv__wgmma_columns", 64, kind, "shared", 1, 1)  # both factors by columns
    with open(path, "w", encoding="utf-8") as file:
        file.write(text + "\n#endif\n")


if __name__ == "__main__":
    main(sys.argv[1])
