#!/bin/sh
# demo.sh QKV: attention in three pictures of numbers.
set -eu
qkv=$1

echo 'Three keys at right angles. The query is 5 (k1 + k2), so the first two values are averaged:'
echo
echo "  qkv attend --scale 1 --query '[[5,5,0]]' --key '[[1,0,0],[0,1,0],[0,0,1]]' --value '[[1,0],[0,1],[9,9]]'"
echo
"$qkv" attend --scale 1 --query '[[5,5,0]]' --key '[[1,0,0],[0,1,0],[0,0,1]]' \
    --value '[[1,0],[0,1],[9,9]]'
echo
echo 'The same with the scale that frameworks use, 1/sqrt(3): the third value leaks in:'
echo
"$qkv" attend --query '[[5,5,0]]' --key '[[1,0,0],[0,1,0],[0,0,1]]' --value '[[1,0],[0,1],[9,9]]'
echo
echo 'Four tokens that look at themselves and what came before (causal):'
echo
"$qkv" attend --scale 1 --causal top-left --query '[[1,0],[0,1],[1,1],[2,0]]' \
    --key '[[1,0],[0,1],[1,1],[2,0]]' --value '[[1,0],[0,1],[1,1],[2,0]]'
