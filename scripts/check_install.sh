#!/bin/sh
# check_install.sh ROOT BUILD: installs into an empty folder and builds an example from there with
# pkg-config alone, as a user would. Speaks TAP.
set -u
root=$1
build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck source=scripts/tap.sh
. "$(dirname "$0")/tap.sh"

DESTDIR=$folder meson install -C "$build" --no-rebuild --quiet >/dev/null 2>"$folder/log"
report $? "meson install"
prefix=$(find "$folder" -name qkv.pc | sed 's|/lib/.*||' | head -n 1)
configuration=$(find "$folder" -name qkv.pc -exec dirname {} \;)
for file in bin/qkv include/qkv/qkv.h share/man/man1/qkv.1 share/bash-completion/completions/qkv; do
    [ -s "$prefix/$file" ]
    report $? "$file is there"
done
flags=$(PKG_CONFIG_PATH=$configuration PKG_CONFIG_SYSROOT_DIR=$folder pkg-config --cflags --libs qkv)
# shellcheck disable=SC2086 # the flags are words
gcc -std=c17 "$root/examples/average_of_two.c" $flags -lm -o "$folder/example"
report $? "an example builds with pkg-config"
library=$(dirname "$(find "$folder" -name libqkv.so)")
LD_LIBRARY_PATH=$library "$folder/example" >"$folder/output"
report $? "and runs"
"$prefix/bin/qkv" --version >"$folder/output"
report $? "the installed command runs"
echo "1..$number"
exit "$failed"
