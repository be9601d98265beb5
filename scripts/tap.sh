# Sourced by the checks that are shell scripts: counts and prints their cases as TAP. At the end a
# script prints "1..$number" and exits with $failed.
# shellcheck shell=sh disable=SC2034 # failed is read by the script that sources this
number=0
failed=0

report() { # report STATUS TEXT
    number=$((number + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $number - $2"
    else
        echo "not ok $number - $2"
        failed=1
    fi
}
