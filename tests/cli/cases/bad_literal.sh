# Each is one line and status 2.
try() {
    status=0
    qkv attend "$@" || status=$?
    test $status = 2 || echo "status $status: $*"
}
query() { try --key '[[1,0]]' --value '[[5]]' --query "$@"; }
query ''
query '[]'
query '[1,0]'
query '[[1,0],[1]]'
query '[[1,0'
query '[[1,zero]]'
query '[[1,True]]'
query '[[1,true]]'
query '[[true,1]]'
query '[[true,false]]'
query '[[1,0]] and more'
query '[[[[[1,0]]]]]'
python3 -c 'from oracle import *; save(v=np.ones((1, 1)), dtype="<f4")'
try --query '[[1,0]]' --key '[[true,false]]' --value v.npy
try --query '[[1,0]]' --key '[[1,0]]' --value '[[5]]' --mask '[[true,0]]'
query "[[$(seq -s , 100)]"
