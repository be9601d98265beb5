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
# Lists where one number is drawn, and inputs of which nothing would be seen.
try law --keys 3,10,100
try fall --beta 1,5,10
try fall --keys 3,10
try diagram --beta 1,2
try diagram --beta 1 --weights '[[1]]'
try heat --weights '[[1]]' --query '[[1]]'
try heat --weights '[[1]]' --causal top-left
# What are no weights.
try heat --weights '[[inf,1]]'
try heat --weights '[[0.5,0.5],[1.5,-0.5]]'
try heat --weights '[[[1,0]],[[1,-1]]]'
# A picture does not take the place of what it is drawn from.
printf 'claim one: 1 = 1\n' >document.svg
try claim document.svg -o document.svg
try claim document.svg:1 -o ./document.svg
cat document.svg
qkv attend --query '[[1,0]]' --key '[[1,0]]' --value '[[1,0]]' -o q.npy
mv q.npy q.svg
cp q.svg copy
try heat --query q.svg --key '[[1,0]]' -o q.svg
cmp q.svg copy
cat kept.svg
