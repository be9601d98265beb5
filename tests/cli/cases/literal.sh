# The textbook's attention over numbers on the command line.
qkv attend --scale 1 --query '[[1,0]]' --key '[[1,0],[0,1]]' --value '[[5],[7]]'
