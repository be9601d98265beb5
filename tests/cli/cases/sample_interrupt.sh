# An interrupt ends a long run, with what there is; a terminal sees a bar once it takes a second.
cat >keys.qkv <<'DOCUMENT'
means   mu[1..n] orthonormal
values  v[1..n]
pick    a distinct in 1..n
keys    k[i] ~ normal(mu[i], 1/4*I)
c       = attend(mu[a], k, v)
DOCUMENT
cat >interrupt.py <<'PROGRAM'
import os, pty, re, signal, subprocess, threading

host, guest = pty.openpty()
child = subprocess.Popen(["qkv", "sample", "-n", "1000000000000", "--at", "n = 5", "keys.qkv"],
                         stdout=subprocess.PIPE, stderr=guest)
os.close(guest)
shown = b""
while b"0 %" not in shown:
    shown += os.read(host, 4096)
assert re.search(rb"\r\.{40}   0 %", shown), shown
child.send_signal(signal.SIGINT)


def read_on():  # a terminal that nobody reads keeps the command waiting
    try:
        while os.read(host, 4096):
            pass
    except OSError:  # the other side is closed
        pass


threading.Thread(target=read_on).start()
table = child.communicate()[0].decode()
samples = int(re.search(r"at n = 5: (\d+) samples", table)[1])
print(child.returncode, 0 < samples < 10**12, "weight[a]" in table)
PROGRAM
/usr/bin/python3 interrupt.py
