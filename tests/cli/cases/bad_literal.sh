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
query '[[1,0]] and more'
query '[[[[[1,0]]]]]'
query "[[$(seq -s , 100)]"
