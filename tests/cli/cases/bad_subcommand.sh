# Each is one line and status 2.
try() {
    status=0
    qkv "$@" || status=$?
    test $status = 2 || echo "status $status: $*"
}
try attent
try att
try foo
try --verison
try --foo
try -x
try ''
try "$(printf 'new\nline')"
try --version attend
try help atend
try help --version
try help attend attend
