# Each is one line and status 2.
try() {
    status=0
    qkv attend "$@" || status=$?
    test $status = 2 || echo "status $status: $*"
}
literal() { try --query '[[1,0]]' --key '[[1,0],[0,1]]' --value '[[5],[7]]' "$@"; }
literal --scale nan
literal --scale -inf
literal --scale 1e999
literal --scale two
literal --scale ''
literal --softcap 0
literal --softcap -1
literal --softcap nan
literal --causal left
literal --causal=--json
literal --softcap -inf
literal --align middle --window 1,1
literal --align top-left
literal --causal top-left --align bottom-right
literal --window 3
literal --window 3,
literal --window -1,2
literal --window 1,2,3
literal --window 1.5,inf
literal --window 99999999999999999999999,1
literal --window 1,1
literal --heads 0
literal --heads two
literal --heads -2
literal --kv-heads 2
literal --heads 2 --kv-heads 3
literal --heads 4 --kv-heads 0
literal --type int8
literal --type bool
literal --threads -1
literal --threads many
literal --threads 99999999999
literal --kernel ''
literal --json --print
literal --json -o -
literal --json --lse -
literal --print -o -
literal -o - --weights -
