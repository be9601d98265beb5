#!/bin/sh
# check_install.sh ROOT BUILD PREFIX LIBRARIES: installs into an empty folder and builds an example
# from there with pkg-config alone, as a user would. PREFIX and the folder LIBRARIES are those that
# Meson was configured with. Speaks TAP.
set -u
root=$1
build=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
prefix=$folder$3
libraries=$folder$4
# shellcheck source=scripts/tap.sh
. "$(dirname "$0")/tap.sh"

DESTDIR=$folder meson install -C "$build" --no-rebuild --quiet >/dev/null 2>"$folder/log"
report $? "meson install"
for file in bin/qkv include/qkv/qkv.h share/man/man1/qkv.1 share/bash-completion/completions/qkv; do
    [ -s "$prefix/$file" ]
    report $? "$file is there"
done
for file in libqkv.so pkgconfig/qkv.pc; do
    [ -s "$libraries/$file" ]
    report $? "$file is in the folder for libraries"
done
flags=$(PKG_CONFIG_PATH=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$folder \
    pkg-config --cflags --libs qkv)
# shellcheck disable=SC2086 # the flags are words
gcc -std=c17 "$root/examples/average_of_two.c" $flags -lm -o "$folder/example"
report $? "an example builds with pkg-config"
LD_LIBRARY_PATH=$libraries "$folder/example" >"$folder/output"
report $? "and runs"
LD_LIBRARY_PATH=$libraries "$prefix/bin/qkv" --version >"$folder/output"
report $? "the installed command runs"
echo "1..$number"
exit "$failed"
