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
for file in bin/qkv include/qkv/qkv.h share/man/man1/qkv.1 share/man/man3/qkv_attention_gradient.3 \
    share/bash-completion/completions/qkv share/zsh/site-functions/_qkv \
    share/fish/vendor_completions.d/qkv.fish; do
    [ -s "$prefix/$file" ]
    report $? "$file is there"
done
for file in libqkv.so libqkv.a libqkv_check.so pkgconfig/qkv.pc pkgconfig/qkv_check.pc \
    cmake/qkv/qkvConfig.cmake; do
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
needed=$(LC_ALL=C readelf -d "$libraries/libqkv.so" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -vE '^(libc|libm|libpthread|ld-linux.*)\.so' || true)
[ -z "$needed" ] || echo "# needed:" "$needed"
[ -z "$needed" ]
report $? "libqkv needs libc and libm alone"
flags=$(PKG_CONFIG_PATH=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$folder pkg-config --cflags qkv)
# shellcheck disable=SC2086
gcc -std=c17 "$root/examples/average_of_two.c" $flags "$libraries/libqkv.a" -lm -pthread \
    -o "$folder/static" && "$folder/static" >"$folder/static.output"
cmp -s "$folder/output" "$folder/static.output"
report $? "the static library gives the same"
if command -v cmake >/dev/null; then
    mkdir "$folder/cmake"
    printf '%s\n' 'cmake_minimum_required(VERSION 3.18)' 'project(example C)' \
        'find_package(qkv 0.1 REQUIRED)' "add_executable(example $root/examples/average_of_two.c)" \
        'target_link_libraries(example qkv::qkv m)' \
        "add_executable(plain $root/examples/average_of_two.c)" \
        'target_link_libraries(plain qkv::static)' >"$folder/cmake/CMakeLists.txt"
    cmake -S "$folder/cmake" -B "$folder/cmake/build" -DCMAKE_PREFIX_PATH="$prefix" \
        -Dqkv_DIR="$libraries/cmake/qkv" >"$folder/cmake.log" 2>&1 &&
        cmake --build "$folder/cmake/build" >>"$folder/cmake.log" 2>&1 &&
        "$folder/cmake/build/plain" >"$folder/cmake.output" && cmp -s "$folder/output" "$folder/cmake.output"
    report $? "CMake's find_package finds it"
else
    report 0 "CMake's find_package # SKIP there is no cmake"
fi
LD_LIBRARY_PATH=$libraries "$prefix/bin/qkv" --version >"$folder/output"
report $? "the installed command runs"
echo "1..$number"
exit "$failed"
