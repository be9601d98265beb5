# The manual page has no warnings. Some systems replace man by a note that it was left out.
command -v groff >/dev/null && command -v man >/dev/null || {
    echo 'there is no man here' >&2
    exit 77
}
groff -man -Tutf8 -ww -rLL=80n "$MANUAL" >text
man --warnings -l "$MANUAL" >/dev/null
test "$(wc -l <text)" -gt 100
