# The help of check, explain and sample: every option with what it does, and the exit statuses.
qkv check --help | tee first
qkv help check | cmp first -
qkv explain --help | tee first
qkv help explain | cmp first -
qkv sample --help | tee first
qkv help sample | cmp first -
