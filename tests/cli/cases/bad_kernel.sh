# The list of kernels differs from machine to machine.
{
    qkv attend --kernel fast --query '[[1]]' --key '[[1]]' --value '[[5]]' && echo succeeded
    QKV_KERNEL=fast qkv attend --query '[[1]]' --key '[[1]]' --value '[[5]]' && echo succeeded
    QKV_CPU=avx3 qkv attend --query '[[1]]' --key '[[1]]' --value '[[5]]' && echo succeeded
} 2>&1 | sed -e 's/one of .*reference$/one of KERNELS/' -e 's/of some of none, .*$/of some of SETS/'
