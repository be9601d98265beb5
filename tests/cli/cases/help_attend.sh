# The ways to ask for the help of a subcommand print the same, in 80 columns.
qkv attend --help | tee first
qkv help attend | cmp first -
qkv attend -h | cmp first -
qkv attend --scale nonsense --help | cmp first -
awk 'length > 80 { print "too long: " $0 }' first
