# Every option and every subcommand of the help is in the manual page and in the completions.
page() { sed 's/\\-/-/g' "$SOURCE_ROOT/man/qkv.1"; }
completions() { cat "$SOURCE_ROOT/completions/qkv.bash"; }
lacks() { # DOCUMENT WORD: as a whole, so that --key is not found in --key-something
    ! $1 | grep -q -e "\(^\|[^a-z-]\)$2\([^a-z-]\|\$\)"
}
for subcommand in attend check design explain law plot; do qkv $subcommand --help; done | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' >options
qkv help | sed -n 's/^  \([a-z]*\) .*/\1/p' >subcommands
test "$(wc -l <options)" -gt 20
for word in $(cat options subcommands) --version; do
    for document in page completions; do
        if lacks $document "$word"; then echo "$document: lacks $word"; fi
    done
done
page | grep -q "^\.TH QKV 1 \"\" \"$(qkv --version | head -1)\"" || echo 'page: has another version'
