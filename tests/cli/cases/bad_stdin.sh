# What is no npy file on standard input.
qkv attend --query - --key '[[1]]' --value '[[1]]' </dev/null && exit 1
printf 'not numbers at all' | qkv attend --query - --key '[[1]]' --value '[[1]]' && exit 1
exit 0
