# --print shows what -o writes.
qkv attend --print -o c.npy --query '[[0,0]]' --key '[[1,0],[0,1]]' --value '[[5],[7]]'
python3 -c 'from oracle import *; expect("c.npy", np.array([[6.0]]))'
