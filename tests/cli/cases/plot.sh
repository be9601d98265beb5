# Every picture is well-formed, small, says what it is, and is drawn alike each time.
for picture in key weights law fall error diagram permutation; do
    qkv plot $picture -n 2000 -o $picture.svg 2>/dev/null || qkv plot $picture -o $picture.svg
    qkv plot $picture --dark --title 'T <&> "x"' --width 600 >dark.svg
    python3 - $picture <<'END'
import os, sys, svg
name = sys.argv[1]
for path in (name + ".svg", "dark.svg"):
    root = svg.read(path)
    assert os.path.getsize(path) < 200000, path
    assert svg.inside(root), path
    assert len(svg.panels(root)) >= 1
assert root.find(svg.SVG + "title").text == 'T <&> "x"'
assert root.get("width") == "600"
print(name, len(svg.panels(root)), "panels")
END
done
qkv plot error >first.svg
qkv plot error -o - >second.svg
cmp first.svg second.svg
qkv plot law --samples 5000 --seed 1 >first.svg
qkv plot law --samples 5000 --seed 2 >second.svg
cmp -s first.svg second.svg && echo 'the seed changes nothing'
ls -A | sort
