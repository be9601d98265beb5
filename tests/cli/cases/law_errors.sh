# Each is one line and status 2.
try() {
    status=0
    qkv "$@" || status=$?
    test $status = 2 || echo "status $status: $*"
}
try law
try law --keys 10
try law --beta 10
try law --keys 1 --beta 10
try law --keys ten --beta 10
try law --keys 10 --beta -1
try law --keys 10 --beta nan
try law --keys 10 --beta 1 --of 11
try law --keys 10 --beta 1 --of 0
try law --keys 10 --beta 1 --noise -0.5
try law --keys 10 --beta 1 --noise inf
try law --keys 10 --beta 1 --noisy both
try law --keys 2 --beta 1 --noisy other
try law --keys 10 --beta 1 --tolerance 0
try law --keys 10 --beta 1 --tolerance 1
try law --keys 10 --beta 1 --head double
try law --keys 10 --beta 1 again
try law --keys 10 --bate 1
try design
try design average
try design mean --keys 10
try design average copy --keys 10
try design copy --of 2 --keys 10
try design average --keys 10 --failure 0
try design average --keys 10 --failure 1.5
try design average --keys 10 --beta 3
