# A file that cannot be written whole: the limit on the size of files stands for a full disk. The
# other file, which could be, is not touched either.
python3 -c 'from oracle import *; save(q=random(1, 40, 3), k=random(2, 50, 3), v=random(3, 50, 3))'
printf 'old output' >c.npy
printf 'old weights' >w.npy
python3 - <<'END'
import os, resource, signal, subprocess

def limit():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))

words = "qkv attend --query q.npy --key k.npy --value v.npy -o c.npy --weights w.npy".split()
outcome = subprocess.run(words, preexec_fn=limit, stderr=subprocess.PIPE, text=True)
print(outcome.returncode, outcome.stderr.replace(os.getcwd() + "/", ""), end="")
END
cat c.npy w.npy
echo
ls
