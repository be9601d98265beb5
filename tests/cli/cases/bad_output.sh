# Each is one line and status 2.
try() {
    status=0
    qkv attend "$@" || status=$?
    test $status = 2 || echo "status $status: $*"
}
literal() { try --query '[[1,0]]' --key '[[1,0],[0,1]]' --value '[[5],[7]]' "$@"; }
mkdir folder.npy
literal -o missing/c.npy
literal -o folder.npy
literal -o c.txt
literal -o ''
literal -o c.npy --weights c.npy
literal -o c.npy --weights missing/w.npy
literal -o c.npy --type bf16
literal -o c.safetensors --lse l.npy --type bf16
ls
