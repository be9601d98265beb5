# Inputs of width 0 take no bytes; the weights of so many queries and keys fit in no memory, or
# cannot even be counted.
export ASAN_OPTIONS=allocator_may_return_null=1
python3 -c 'from oracle import *; save(a=np.zeros((2**29, 0)), b=np.zeros((2**40, 0)))'
for name in a b; do
    status=0
    qkv attend --query $name.npy --key $name.npy --value $name.npy -o c.npy --weights w.npy \
        2>message || status=$?
    test $status = 2
    grep '^qkv' message
done
ls
