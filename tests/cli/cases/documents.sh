# Every option and every subcommand of the help is in the manual page.
page() { sed 's/\\-/-/g' "$MANUAL"; }
lacks() { # WORD: as a whole, so that --key is not found in --key-something
    ! page | grep -q -e "\(^\|[^a-z-]\|\\\\fB\)$1\([^a-z-]\|\$\)"
}
for subcommand in attend check design explain grade law plot sample; do qkv $subcommand --help; done | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' >options
qkv help | sed -n 's/^  \([a-z]*\) .*/\1/p' >subcommands
test "$(wc -l <options)" -gt 20
for word in $(cat options subcommands) --version; do
    if lacks "$word"; then echo "page: lacks $word"; fi
done
page | grep -q "^\.TH QKV 1 \"\" \"$(qkv --version | head -1)\"" || echo 'page: has another version'
