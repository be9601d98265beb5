#!/bin/sh
# check_library.sh ROOT LIBRARY [HEADER...]: the shared library exports public names alone, those of
# the headers, which compile by themselves as C and as C++. Without HEADER: all of include/qkv but
# cuda.h and mpi.h, whose libraries are their own. Speaks TAP.
# shellcheck disable=SC2086 # lists of names become the words of one line
set -u
root=$1
library=$2
shift 2
headers=$*
[ -n "$headers" ] || headers=$(find "$root/include/qkv" -name '*.h' ! -name cuda.h ! -name mpi.h | sort)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck source=scripts/tap.sh
. "$(dirname "$0")/tap.sh"

strange=$(nm -D --defined-only "$library" | awk '{print $3}' | grep -vE '^qkv_[a-z]' || true)
[ -z "$strange" ] || echo "# exported:" $strange
[ -z "$strange" ]
report $? "only qkv_ names are exported"

# What the headers declare and what the library exports are the same names. A declaration begins
# with QKV_API at the start of a line, which no comment does; the name is the last word before the
# parenthesis, which may be on a later line.
awk '/^QKV_API/ { text = ""; open = 1 }
     open { text = text " " $0 }
     open && /\(/ {
         sub(/ *\(.*/, "", text)
         print words[split(text, words, /[ *]+/)]
         open = 0
     }' \
    $headers | sort -u >"$folder/declared"
nm -D --defined-only "$library" | awk '{print $3}' | grep '^qkv_' | sort -u >"$folder/exported"
unheard=$(comm -13 "$folder/declared" "$folder/exported")
[ -z "$unheard" ] || echo "# not in a header:" $unheard
[ -z "$unheard" ]
report $? "every exported name stands in a header"
missing=$(comm -23 "$folder/declared" "$folder/exported")
[ -z "$missing" ] || echo "# not in the library:" $missing
[ -s "$folder/declared" ] && [ -z "$missing" ]
report $? "every declared name is exported"

for header in $headers; do
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
exit "$failed"
