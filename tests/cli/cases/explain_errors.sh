# No such claim, no such file, mistakes in the text: one clear line each, and status 2.
# The words of a verdict are not what this case is about: they are left out.
steps() { awk '/^[0-9]+\. Verdict/ {print; skip = 1; next} /^$/ {skip = 0} !skip'; }
cat >answers.qkv <<'DOCUMENT'
keys    k[1..n] orthonormal
pick    a, b distinct in 1..n
claim first: k[a].k[b] = 0

claim second: k[a].k[a] = 1
claim third: (k[a]
claim fourth: k[z].k[a] = 0
DOCUMENT
for place in 4 1 99 6 0 frist nothing-like-it ''; do
    qkv explain "answers.qkv:$place" 2>message || echo "$place: status $?"
    cat message
done
{ qkv explain answers.qkv fourth || echo "
status $?"; } | steps
qkv explain || echo "status $?"
qkv explain nowhere.md:3 || echo "status $?"
qkv explain answers.qkv 1 2 || echo "status $?"
printf 'given n >= 3\n' | qkv explain -:1 || echo "status $?"
