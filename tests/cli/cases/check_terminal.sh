# On a terminal: colours unless NO_COLOR is set, and lines broken at its width; neither in a pipe.
cat >answers.qkv <<'DOCUMENT'
given n >= 3
keys    k[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
c = attend(beta*(k[a] + k[b]), k, v)
claim: c = 1/2 (v[a] + v[b])
DOCUMENT
cat >terminal.py <<'PROGRAM'
import fcntl, os, pty, struct, subprocess, sys, termios

def on_terminal(width, *words, **environment):
    """What the command prints on a terminal of that width."""
    host, guest = pty.openpty()
    fcntl.ioctl(guest, termios.TIOCSWINSZ, struct.pack("HHHH", 25, width, 0, 0))
    child = subprocess.Popen(words, stdout=guest, stdin=subprocess.DEVNULL,
                             env={**os.environ, **environment})
    os.close(guest)
    text = b""
    try:
        while piece := os.read(host, 4096):
            text += piece
    except OSError:
        pass  # the other end is closed
    child.wait()
    return text.decode().replace("\r\n", "\n")

def piped(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, check=False).stdout.decode()

for words in (["qkv", "check", "answers.qkv"], ["qkv", "explain", "answers.qkv"]):
    whole = piped(*words)
    assert "\033" not in whole
    assert max(map(len, whole.splitlines())) > 80
    for width in (60, 100):
        text = on_terminal(width, *words, NO_COLOR="1", LC_ALL="C")
        assert "\033" not in text
        wide = [line for line in text.splitlines() if len(line) > width]
        assert all(line.startswith("1 claim:") for line in wide), wide
        assert text.split() == whole.split()
        print(words[1], width, len(text.splitlines()) > len(whole.splitlines()))
    painted = on_terminal(100, *words, NO_COLOR="", LC_ALL="C")
    assert "\033[31mrefuted" in painted and "\033[0m" in painted
    # Signs where the locale has them, unless ASCII is asked for.
    signs = on_terminal(1000, *words, NO_COLOR="1", LC_ALL="C.UTF-8")
    assert "✗ refuted" in signs and "β" in signs and "beta" not in signs, signs
    if words[1] == "check":
        assert "e^β/(n - 2 + 2*e^β)" in signs and "½" not in signs
    else:
        assert "½ (v[a] + v[b])" in signs
    plain = on_terminal(1000, *words, "--ascii", NO_COLOR="1", LC_ALL="C.UTF-8")
    assert plain.isascii() and "beta" in plain
PROGRAM
/usr/bin/python3 terminal.py
