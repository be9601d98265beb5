#!/bin/sh
# check_library.sh ROOT LIBRARY: the shared library exports public names alone, and every public
# header compiles by itself as C and as C++. Speaks TAP.
set -u
root=$1
library=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
number=0

report() { # report STATUS TEXT
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
    [ "$1" -eq 0 ] || failed=1
}
failed=0

strange=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -vE '^qkv_[a-z]' || true)
[ -z "$strange" ] || echo "# exported: $strange"
[ -z "$strange" ]
report $? "only qkv_ names are exported"

# What the headers declare and what the library exports are the same names.
grep -hoE '\bqkv_[a-z0-9_]+\(' "$root"/include/qkv/*.h | tr -d '(' | sort -u >"$folder/declared"
nm -D --defined-only "$library" | awk '{print $3}' | grep '^qkv_' | sort -u >"$folder/exported"
unheard=$(comm -13 "$folder/declared" "$folder/exported")
[ -z "$unheard" ] || echo "# not in a header: $unheard"
[ -z "$unheard" ]
report $? "every exported name stands in a header"

for header in "$root"/include/qkv/*.h; do
    name=qkv/$(basename "$header")
    echo "#include <$name>" >"$folder/alone.c"
    cp "$folder/alone.c" "$folder/alone.cc"
    gcc -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$root/include" -fsyntax-only "$folder/alone.c"
    report $? "$name compiles alone as C"
    g++ -std=c++17 -Wall -Wextra -Werror -I"$root/include" -fsyntax-only "$folder/alone.cc"
    report $? "$name compiles alone as C++"
done

text=$(sed -n 's/.*QKV_VERSION_TEXT "\(.*\)"/\1/p' "$root/include/qkv/version.h")
grep -q "version: '$text'" "$root/meson.build"
report $? "the header and the build agree on version $text"
echo "1..$number"
exit $failed
