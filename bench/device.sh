#!/bin/sh
# Checks and measures the operator on another machine: one without a network, perhaps without Meson
# and Debian's packages. Takes 8 minutes at most.
#
#   bench/device.sh pack    here: gathers in build/device what the other machine may lack
#   bench/device.sh         there, in the same tree: results go to $OUT, or build/device/results
#
# What was built here runs there if its C library is not older. If it does not run, the programs are
# built there, by Meson or else by the compiler alone with the flags that Meson chose here.
#
#   QKV_BENCH_PYTHON   the Python that has PyTorch (python3)
#   QKV_BENCH_ONLY     only rows whose name has this in it
#   QKV_BENCH_KERNEL   only this kernel
#   QKV_BENCH_MEMORY   so many GiB may be taken, where the system gives memory only as it is used
set -u
cd "$(dirname "$0")/.." || exit 1
folder=build/device
tests="agreement definition edges gradient gradient_kernels problem promises quantised tiles view number"

pack() {
    set -e
    make --no-print-directory all
    meson configure build -Dtests=enabled
    programs=bench/bench_attention\ tests/accuracy
    for test in $tests; do programs="$programs tests/test_$test"; done
    # shellcheck disable=SC2086 # the names are words
    ninja -C build --quiet $programs
    rm -rf $folder
    mkdir -p $folder
    for program in $programs; do cp "build/$program" $folder; done
    cp build/compile_commands.json $folder
    library=$(ldd $folder/test_view | awk '/libcmocka/ {print $3}')
    [ -z "$library" ] || cp "$library" $folder
    du -sh $folder
}

# Programs that run, in $folder, or nothing.
build() {
    if $folder/bench_attention --machine >/dev/null 2>&1; then
        echo "programs: as packed"
        return 0
    fi
    if command -v meson >/dev/null 2>&1 && command -v ninja >/dev/null 2>&1; then
        meson setup build-device -Dtests=auto && ninja -C build-device bench/bench_attention || return 1
        mkdir -p $folder
        cp build-device/bench/bench_attention $folder
        ninja -C build-device tests/accuracy && cp build-device/tests/accuracy $folder
        echo "programs: by Meson"
    elif [ -f $folder/compile_commands.json ]; then
        ${QKV_BENCH_PYTHON:-python3} bench/plain_build.py $folder/compile_commands.json $folder || return 1
        echo "programs: by the compiler alone"
    else
        echo "device: nothing to build with; run bench/device.sh pack first" >&2
        return 1
    fi
}

# All types and unit tests at once, a minute and a half at most: what is wrong shows early.
check() {
    for type in f64 f32 f16 bf16; do
        timeout 90 stdbuf -oL $folder/accuracy $type "${QKV_ACCURACY_SHAPES:-600}" >"$OUT/.accuracy_$type" 2>&1 &
    done
    for test in $tests; do
        [ -x "$folder/test_$test" ] || continue
        LD_LIBRARY_PATH=$folder CMOCKA_MESSAGE_OUTPUT=TAP timeout 90 "$folder/test_$test" \
            >"$OUT/.test_$test" 2>&1 &
    done
    wait
    for part in "$OUT"/.accuracy_* "$OUT"/.test_*; do
        [ -f "$part" ] || continue
        echo "# ${part##*/.}"
        cat "$part"
        rm "$part"
    done >"$OUT/checks.txt"
    echo "checks: $(grep -c '^ok' "$OUT/checks.txt") ok, $(grep -c '^not ok' "$OUT/checks.txt") not ok"
    grep '^not ok\|^# .* [0-9.]* [0-9.]* ' "$OUT/checks.txt"
}

measure() {
    set --
    [ -z "${QKV_BENCH_ONLY:-}" ] || set -- "$@" --only "$QKV_BENCH_ONLY"
    [ -z "${QKV_BENCH_KERNEL:-}" ] || set -- "$@" --kernel "$QKV_BENCH_KERNEL"
    [ -z "${QKV_BENCH_MEMORY:-}" ] || set -- "$@" --memory "$QKV_BENCH_MEMORY"
    QKV_BENCH_PYTHON=${QKV_BENCH_PYTHON:-$(command -v python3)} timeout 350 \
        $folder/bench_attention --seconds 0.15 --within 300 --peer bench --json "$OUT/bench.json" "$@" \
        >"$OUT/bench.txt" 2>"$OUT/errors.txt"
    cat "$OUT/bench.txt"
    tail -n 5 "$OUT/errors.txt"
}

if [ "${1:-}" = pack ]; then
    pack
    exit
fi
OUT=${OUT:-$folder/results}
mkdir -p "$OUT"
lscpu >"$OUT/machine.txt" 2>&1
build >"$OUT/build.txt" 2>&1
status=$?
tail -n 3 "$OUT/build.txt"
[ $status -eq 0 ] || exit 1
check
measure
