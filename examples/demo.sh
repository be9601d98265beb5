#!/bin/sh
# demo.sh QKV: attention in pictures of numbers, then what is claimed about it, checked and derived.
set -eu
qkv=$1
root=$(dirname "$(dirname "$0")")

echo 'Three keys at right angles. The query is 5 (k1 + k2), so the first two values are averaged:'
echo
echo "  qkv attend --scale 1 --query '[[5,5,0]]' --key '[[1,0,0],[0,1,0],[0,0,1]]' --value '[[1,0],[0,1],[9,9]]'"
echo
"$qkv" attend --scale 1 --query '[[5,5,0]]' --key '[[1,0,0],[0,1,0],[0,0,1]]' \
    --value '[[1,0],[0,1],[9,9]]'
echo
echo 'The same with the scale that frameworks use, 1/sqrt(3): the third value leaks in:'
echo
"$qkv" attend --query '[[5,5,0]]' --key '[[1,0,0],[0,1,0],[0,0,1]]' --value '[[1,0],[0,1],[9,9]]'
echo
echo 'Four tokens that look at themselves and what came before (causal):'
echo
"$qkv" attend --scale 1 --causal top-left --query '[[1,0],[0,1],[1,1],[2,0]]' \
    --key '[[1,0],[0,1],[1,1],[2,0]]' --value '[[1,0],[0,1],[1,1],[2,0]]'

# ---- Claims ---------------------------------------------------------------------------------

# The answers to the assignment, or else the documents of the tests.
set -- "$root"/examples/assignment/[0-9]*.md
test -e "$1" || set -- "$root"/tests/claims/*.qkv

# A document's line of the table, from the numbers of its summary. A claim that is not as expected
# is no failure of the demonstration.
row() {
    { "$qkv" check --quiet "$1" 2>/dev/null || true; } | tail -1 | awk -v name="$(basename "$1")" '
        { gsub(/[^0-9]+/, " "); printf "  %-24s%7d%9d%9d%11d%11d%13d\n", name, $1, $2, $3, $4, $5, $6 }'
}

# The first claims of a document, one line each, cut to the width of a page.
some() { { "$qkv" check "$1" 2>/dev/null || true; } | sed -n '2,7p' | cut -c 1-110; }

# Under the sanitizers or without its libraries the checker may be missing: then this part is.
probe=$(printf 'claim: 1 = 1\n' | "$qkv" check - 2>&1) || {
    echo
    echo "$probe"
    exit 0
}
echo
echo 'Documents claim things about attention. How do they fare?'
echo
printf '  %-24s%7s%9s%9s%11s%11s%13s\n' document claims proved refuted supported undecided 'as expected'
for document; do
    row "$document"
done
shown=0
for document; do
    test $shown -lt 2 || break
    shown=$((shown + 1))
    echo
    echo "The first claims of $(basename "$document"), with what is true beside them:"
    echo
    some "$document"
done
echo
echo 'And why? A claim is derived step by step, to be followed by hand:'
echo
"$qkv" explain -:7 << 'END'
given   n >= 3
keys    k[1..n] orthonormal
values  v[1..n]
pick    a, b distinct in 1..n
q = beta*(k[a] + k[b])
c = attend(q, k, v)
claim average: c ~ 1/2 (v[a] + v[b])   as beta -> inf
END
# All documents in one page, beside the command.
page=$(dirname "$qkv")/assignment.html
rm -f "$page"
"$qkv" check --quiet --report "$page" "$@" >/dev/null 2>&1 || true
if test -e "$page"; then
    echo
    echo 'All of it to read, with figures and derivations, in one file for a browser:'
    echo
    echo "  $page"
fi
echo
echo 'To go on:'
echo
echo "  $qkv check $1"
echo '      every claim of a document, with its verdict'
echo "  $qkv explain $1:LINE"
echo '      the derivation of the claim on that line'
echo "  $qkv help check"
echo '      all options; docs/reference/language.md says how claims are written'
