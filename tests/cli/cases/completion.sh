# What bash offers for some half-typed lines.
mkdir data
touch data/k.npy data/notes.txt query.npy all.safetensors
cat >complete.bash <<'END'
source "$SOURCE_ROOT/completions/qkv.bash"
offer() {
    COMP_WORDS=("$@")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _qkv 2>/dev/null
    # Without quotes: one line, and no space at its end.
    echo "$*:" $(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort)
}
offer qkv ''
offer qkv --v
offer qkv help ''
offer qkv attend --ca
offer qkv attend --k
offer qkv attend --causal ''
offer qkv attend --causal = b
offer qkv attend --align t
offer qkv attend --scale ''
offer qkv attend --type f
offer qkv attend --query ''
offer qkv attend --query data/
offer qkv attend -o c
offer qkv attend --kernel r
offer qkv attend ''
touch answers.md
offer qkv check --
offer qkv check --gradescope res
offer qkv check a
offer qkv check --points ''
offer qkv explain --
offer qkv explain a
offer qkv law --h
offer qkv law --head ''
offer qkv law --noisy o
offer qkv design ''
offer qkv design --failure ''
offer qkv sample --
offer qkv sample -o q
offer qkv sample --seed ''
offer qkv plot ''
offer qkv plot law --s
offer qkv plot heat --query ''
offer qkv plot heat --causal t
offer qkv plot law --beta ''
END
bash complete.bash
