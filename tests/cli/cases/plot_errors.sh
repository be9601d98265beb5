# What qkv plot refuses, and that it leaves files alone.
echo old >kept.svg
try() { qkv plot "$@" && echo "accepted: $*" || test $? -eq 2; }
try
try heatt
try banana
try law fall
try law --query '[[1]]'
try weights --beta 3
try heat
try heat --query '[[1,0]]'
try heat --query '[[1,0]]' --key '[[1,0,0]]'
try heat --weights '[[1,0]]' --tokens 'a b c'
try diagram --weights '[[[1,0]],[[1,0]]]'
try permutation --query '[[1],[2]]' --key '[[1],[2]]' --order 1,1
try permutation --query '[[1],[2]]' --key '[[1],[2]]' --order 1
try law --keys 1
try law --keys 2,
try law --beta x
try law --beta 0 -o kept.svg
try law --noise -1
try fall --tolerance 1
try law --samples 0
try law -o picture.gif
try law --width 10
try law --zoom 99
try law -o no/such/folder.svg
cat kept.svg
