# Pictures as text: no line is longer than 80 columns, whatever the picture.
qkv plot weights --keys 10 --terminal
for picture in key law fall error permutation; do
    qkv plot $picture --terminal | python3 -c 'import sys; print(max(len(l.rstrip("\n")) for l in sys.stdin) <= 81)'
done
qkv plot heat --weights '[[1,0,0],[0.5,0.5,0],[0.2,0.3,0.5]]' --tokens 'a b c' --terminal
qkv plot heat --weights '[[1]]' --tokens "$(printf 'a\033[2J\302\233x')" --terminal | tail -2
qkv plot diagram --terminal || true
qkv plot law --terminal -o law.svg || true
