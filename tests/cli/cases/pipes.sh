# npy from standard input and to standard output, for any of them; nothing else is printed.
python3 -c 'from oracle import *; save(q=random(1, 4, 3), k=random(2, 5, 3), v=random(3, 5, 2))'
qkv attend --query q.npy --key k.npy --value v.npy -o c.npy --weights w.npy
cat q.npy | qkv attend --query - --key k.npy --value v.npy -o - | cat >piped.npy
qkv attend --query q.npy --key - --value v.npy --weights - <k.npy >weights.npy
cmp c.npy piped.npy
cmp w.npy weights.npy
