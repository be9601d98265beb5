# The three ways to ask for the list of subcommands print the same.
qkv --help | tee first
qkv help | cmp first -
qkv help help | cmp first -
qkv -h | cmp first -
