# No picture is blank: in every panel of every picture, for six numbers of keys, something is drawn
# between the axes, and PNGs have more there than their ground and grid. Nor is the figure of a claim.
for n in 2 3 10 100 1000 100000; do
    for picture in weights law fall error; do
        qkv plot $picture --keys $n -o $picture-$n.svg
    done
    qkv plot heat --weights "$(python3 -c "
n = min($n, 300)
print([[1 / n] * n for _ in range(2)])")" -o heat-$n.svg
done
qkv plot key -o key-10.svg
qkv plot diagram -o diagram-10.svg
qkv plot permutation -o permutation-10.svg
if qkv plot key -o key.png 2>/dev/null; then
    for picture in weights law fall error; do
        qkv plot $picture --keys 10 --zoom 0.5 -o $picture-10.png
    done
    for picture in key permutation diagram; do
        qkv plot $picture --zoom 0.5 -o $picture-10.png
    done
fi
for document in 000 002; do
    qkv check --quiet --report $document.html $SOURCE_ROOT/examples/assignment/$document.md >/dev/null
done
python3 - <<'END'
import glob, xml.etree.ElementTree as tree, svg
count = figures = 0
for path in sorted(glob.glob("*.svg")):
    for number, panel in enumerate(svg.panels(svg.read(path))):
        count += 1
        assert not panel.is_blank(), (path, number)
for path in sorted(glob.glob("*.html")):
    for panel in svg.panels(tree.parse(path).getroot()):
        figures += 1
        assert not panel.is_blank(), (path, figures)
assert count > 60 and figures > 40, (count, figures)
for path in sorted(glob.glob("*-10.png")):
    width, height, rows = svg.pixels(path)
    root = svg.read(path.replace("png", "svg"))
    scale = width / float(root.get("viewBox").split()[2])
    ground = rows[0][0]
    for number, panel in enumerate(svg.panels(root)):
        left, top, right, bottom = (round(scale * x) for x in panel.frame())
        seen = {rows[y][x] for y in range(top + 2, bottom - 2) for x in range(left + 2, right - 2)}
        # The grid is a light grey line: what is drawn has a colour, or is much darker.
        marked = [c for c in seen if max(c) - min(c) > 40 or max(ground) - max(c) > 120]
        assert marked, (path, number)
print("ok")
END
