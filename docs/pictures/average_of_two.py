#!/usr/bin/python3
"""Draws average_of_two.svg: the weight of each of two keys against beta, as qkv computes it.

    average_of_two.py QKV > average_of_two.svg
"""
import math
import re
import subprocess
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 300, 60, 170, 40, 50
SIZES = [(3, "#0072b2"), (10, "#d55e00"), (100, "#009e73"), (1000, "#cc79a7")]
BETAS = [0.25 * i for i in range(49)]


def weight(qkv, n, beta):
    """One key stands for all n - 2 others: a mask of ln(n - 2) weighs it so many times."""
    result = subprocess.run(
        [qkv, "attend", "--scale", "1", "--query", f"[[{beta},{beta},0]]", "--key",
         "[[1,0,0],[0,1,0],[0,0,1]]", "--value", "[[1],[0],[0]]",
         "--mask", f"[0,0,{math.log(n - 2)!r}]"],
        check=True, capture_output=True, text=True).stdout
    return float(re.search(r"output.*\n\s*(\S+)", result).group(1))


def place(beta, value):
    x = LEFT + (WIDTH - LEFT - RIGHT) * beta / BETAS[-1]
    y = HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * value / 0.5
    return f"{x:.1f},{y:.1f}"


def main(qkv):
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="13" role="img">',
           "<title>The weight of each of two keys, against beta</title>",
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
           f'<text x="{LEFT}" y="22" font-size="15">q = β (k_a + k_b): the weight of k_a, '
           "never quite 1/2</text>"]
    for value in (0, 0.1, 0.2, 0.3, 0.4, 0.5):
        x, y = place(0, value).split(",")
        end = place(BETAS[-1], value).split(",")[0]
        out.append(f'<path d="M{x} {y}H{end}" stroke="#dddddd"/>')
        out.append(f'<text x="{LEFT - 8}" y="{float(y) + 4:.1f}" text-anchor="end">{value}</text>')
    for beta in range(0, 13, 2):
        x, y = place(beta, 0).split(",")
        out.append(f'<text x="{x}" y="{float(y) + 20:.1f}" text-anchor="middle">{beta}</text>')
    x = place(BETAS[-1] / 2, 0).split(",")[0]
    out.append(f'<text x="{x}" y="{HEIGHT - 10}" text-anchor="middle">β</text>')
    for row, (n, colour) in enumerate(SIZES):
        points = " ".join(place(beta, weight(qkv, n, beta)) for beta in BETAS)
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y = TOP + 20 + 24 * row
        out.append(f'<path d="M{WIDTH - RIGHT + 16} {y - 4}h24" stroke="{colour}" '
                   'stroke-width="2"/>')
        out.append(f'<text x="{WIDTH - RIGHT + 48}" y="{y}">n = {n} keys</text>')
    out.append("</svg>")
    print("\n".join(out))


if __name__ == "__main__":
    main(sys.argv[1])
