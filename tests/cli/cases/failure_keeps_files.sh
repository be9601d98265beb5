# A call that fails changes no file and leaves none behind, whatever it fails at.
python3 -c 'from oracle import *; save(q=random(1, 4, 3), k=random(2, 5, 3), v=random(3, 5, 2))'
printf 'old output' >c.npy
printf 'old weights' >w.npy
keep() {
    qkv attend "$@" -o c.npy --weights w.npy 2>>messages && echo succeeded
    test "$(cat c.npy w.npy)" = 'old outputold weights'
}
keep --query q.npy --key missing.npy --value v.npy
keep --query q.npy --key k.npy --value q.npy
keep --query q.npy --key k.npy --value v.npy --scale nan
keep --query q.npy --key k.npy --value v.npy --lse missing/l.npy
keep --query q.npy --key k.npy --value v.npy --kernel none
keep --query q.npy --key k.npy --value v.npy --lse - >/dev/full
wc -l <messages
ls
