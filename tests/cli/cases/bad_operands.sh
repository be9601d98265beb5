# Each is one line and status 2.
try() {
    status=0
    qkv attend "$@" || status=$?
    test $status = 2 || echo "status $status: $*"
}
try
try --query '[[1]]'
try --query '[[1]]' --key '[[1]]'
try q.npy k.npy v.npy
try -
try .safetensors
try a.safetensors b.safetensors
try --query - --key '[[1]]' --value -
try --query - --key - --value -
try --query '[[1]]' --key '[[1]]' --value '[[1]]' --mask - --query -
