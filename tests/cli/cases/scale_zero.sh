# A scale of zero is zero, not the default.
qkv attend --scale 0 --query '[[100,0]]' --key '[[1,0],[0,1]]' --value '[[5],[7]]'
