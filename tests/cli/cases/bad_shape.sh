# Each is one line and status 2.
try() {
    status=0
    qkv attend "$@" || status=$?
    test $status = 2 || echo "status $status: $*"
}
try --query '[[1,0]]' --key '[[1,0,0]]' --value '[[5]]'
try --query '[[1,0]]' --key '[[1,0],[0,1]]' --value '[[5]]'
try --query '[[1,0]]' --key '[[[1,0]]]' --value '[[5]]'
try --query '[[1,0]]' --key '[1,0]' --value '[[5]]'
try --query '[[1,0]]' --key '[[1,0]]' --value '[5]'
try --query '[[1,0]]' --key '[[1,0]]' --value '[[5]]' --mask '[[0,0]]'
try --query '[[1,0,1]]' --key '[[1,0,1]]' --value '[[5,5]]' --heads 2
try --query '[[1,0]]' --key '[[1,0]]' --value '[[5]]' --heads 2
try --query '[[1,0]]' --key '[[1,0,1,0]]' --value '[[5,5]]' --heads 2
try --query '[1,0]' --key '[1,0]' --value '[5,5]' --heads 2
try --query '[[[[1,0]]]]' --key '[[[[1,0]]]]' --value '[[[[5,5]]]]' --heads 2
try --query '[[[1]],[[1]],[[1]]]' --key '[[[1]],[[1]]]' --value '[[[1]],[[1]]]'
ls
