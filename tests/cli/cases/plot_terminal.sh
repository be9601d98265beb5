# Pictures as text: no line is longer than 80 columns, whatever the picture.
qkv plot weights --keys 10 --terminal
for picture in key law fall error permutation; do
    qkv plot $picture --terminal | python3 -c 'import sys; print(max(len(l.rstrip("\n")) for l in sys.stdin) <= 81)'
done
qkv plot heat --weights '[[1,0,0],[0.5,0.5,0],[0.2,0.3,0.5]]' --tokens 'a b c' --terminal
qkv plot heat --weights '[[1]]' --tokens "$(printf 'a\033[2J\302\233x')" --terminal | tail -4
qkv plot diagram --terminal || true
qkv plot law --terminal -o law.svg || true
# Heat maps of many heads and tokens: all of every map, inside the width, with the diagonal where it is.
python3 - <<'E'
import subprocess, numpy
for heads, rows, columns in ((12, 64, 64), (12, 32, 32), (4, 8, 8), (1, 200, 200), (1, 3, 300)):
    weights = numpy.full((heads, rows, columns), 0.1 / columns)
    for i in range(rows):
        weights[:, i, i * columns // rows] += 0.9
    numpy.save("many.npy", weights)
    lines = subprocess.run(["qkv", "plot", "heat", "--weights", "many.npy", "--terminal"], capture_output=True, text=True).stdout.split("\n")
    assert max(map(len, lines)) <= 80, max(map(len, lines))
    maps = [line.split("┤")[1:] for line in lines if "┤" in line]
    lit = [part.split("  ")[0].rstrip().index("█") / len(part.split("  ")[0].rstrip()) for (part, *_) in maps]
    of_one = len(lit) * max(len(parts) for parts in maps) // heads
    assert all(abs(at - i / of_one) <= 2 / of_one + 0.02 for i, at in enumerate(lit[:of_one])), lit[:of_one]
    assert sum(len(parts) for parts in maps) == heads * of_one
    print(heads, rows, columns, *[line for line in lines if "largest" in line or line.startswith("weight:")])
E
qkv plot heat --weights '[[1,0],[0,1]]' --tokens 'extraordinarily long' --terminal | tail -6
# The row of one token is framed in both orders.
qkv plot permutation --terminal | grep '\['
