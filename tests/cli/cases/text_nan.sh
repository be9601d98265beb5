# NaN has no sign in text, whatever its bits say, and minus zero none either.
python3 - <<'END'
from oracle import *
save(v=[[np.copysign(np.nan, -1), np.nan, -0.0]])
END
qkv attend --query '[[0]]' --key '[[0]]' --value v.npy
qkv attend --query '[[-nan]]' --key '[[1],[2]]' --value '[[1],[2]]'
