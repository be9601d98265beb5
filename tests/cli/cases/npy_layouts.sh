# Fortran order, the other byte order, and a header of version 2 give the bits of plain files.
python3 - <<'END'
from oracle import *
q, k, v = random(1, 4, 3), random(2, 5, 3), random(3, 5, 2)
save(q=q, k=k, v=v)
np.save("fortran.npy", np.asfortranarray(q))
np.save("big.npy", k.astype(">f8"))
np.lib.format.write_array(open("second.npy", "wb"), v, version=(2, 0))
END
qkv attend --query q.npy --key k.npy --value v.npy -o plain.npy
qkv attend --query fortran.npy --key big.npy --value second.npy -o other.npy
cmp plain.npy other.npy
