# Heads and batches become lines of their own.
qkv attend --query '[[[1]],[[2]]]' --key '[[[1],[0]],[[0],[1]]]' --value '[[[1],[2]],[[3],[4]]]'
qkv attend --query '[[[[1]],[[2]]]]' --key '[[[[1]],[[2]]]]' --value '[[[[1]],[[2]]]]'
qkv attend --heads 2 --query '[[1,2]]' --key '[[1,2],[0,1]]' --value '[[1,2],[3,4]]'
qkv attend --heads 2 --query '[[[1,2]]]' --key '[[[1,2]]]' --value '[[[1,2]]]'
