# One JSON object, whatever the names of files are.
python3 -c 'from oracle import *; save(q=random(1, 4, 8), k=random(2, 5, 8), v=random(3, 5, 6))'
name=$(printf 'a "quoted\\ \303\244\377\n name.npy')
qkv attend --heads 2 --query q.npy --key k.npy --value v.npy --kernel portable --threads 3 \
    -o "$name" --weights w.npy --json >report
test -e "$name"
python3 -m json.tool report | sed 's/"seconds": [0-9.e-]*/"seconds": SECONDS/'
