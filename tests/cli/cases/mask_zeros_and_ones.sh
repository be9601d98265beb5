# A literal mask of zeros and ones is added, and that is said; other masks are not remarked upon.
attend() {
    qkv attend --query '[[0]]' --key '[[0],[0]]' --value '[[1],[2]]' "$@"
}
python3 -c 'from oracle import *; save(m=[[1, 0]])'
attend --mask '[[1,0]]'
attend --mask '[[1,0]]' --json -o c.npy >json
attend --mask m.npy -o d.npy
cmp c.npy d.npy
attend --mask '[[-0,1.0]]' -o e.npy
attend --mask '[[0,0]]' -o e.npy
attend --mask '[[0,0.5]]' -o e.npy
attend --mask '[[0,-inf]]' -o e.npy
attend --mask '[[true,true]]' -o e.npy
attend --mask '[[true,false]]'
