# Weights of more than 64 keys are not shown; those of 64 are.
python3 -c 'from oracle import *; save(q=np.zeros((1, 1)), k=np.zeros((65, 1)), v=np.ones((65, 1)))'
qkv attend --query q.npy --key k.npy --value v.npy
python3 -c 'from oracle import *; save(k=np.zeros((64, 1)), v=np.ones((64, 1)))'
qkv attend --query q.npy --key k.npy --value v.npy
qkv attend --query k.npy --key q.npy --value q.npy
