# PNG and PDF, where this qkv has them; else a clear refusal that leaves nothing behind.
if qkv plot weights -o weights.png 2>message; then
    qkv plot weights -o weights.pdf
    sleep 1.1 # the same figure is the same bytes, whenever it is drawn
    qkv plot weights -o again.pdf
    cmp weights.pdf again.pdf
    qkv plot weights --zoom 0.5 --dark -o small.png
    python3 - <<'END'
import struct
for name, width in (("weights.png", 1440), ("small.png", 360)):
    bytes_ = open(name, "rb").read()
    assert bytes_[:8] == b"\x89PNG\r\n\x1a\n", name
    assert struct.unpack(">I", bytes_[16:20])[0] == width, name
assert open("weights.pdf", "rb").read(5) == b"%PDF-"
END
else
    test "$(cat message)" = 'qkv plot: PNG needs librsvg, which this qkv was built without; SVG needs nothing'
    test ! -e weights.png
fi
