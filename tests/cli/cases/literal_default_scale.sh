# Without --scale, scores are divided by sqrt(2) here.
qkv attend --query '[[1,0]]' --key '[[1,0],[0,1]]' --value '[[5],[7]]'
qkv attend --query '[[1,0]]' --key '[[1,0],[0,1]]' --value '[[5],[7]]' --scale sqrt
