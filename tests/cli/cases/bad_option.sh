# Each is one line and status 2.
try() {
    status=0
    qkv attend "$@" || status=$?
    test $status = 2 || echo "status $status: $*"
}
try --widow 3,3
try --foo
try --foo=3
try -query q.npy
try -x
try --jsn
try --q q.npy
try --=3
try --causal
try --causal --window 1,2
try --window --causal top-left
try --scale --type=f32
try --scale --help
try --query -o c.npy
try --query -oc.npy
try --query
try -o
try --json=yes
try --query '[[1]]' --query '[[2]]'
try -o c.npy --output c.npy
