# Standard output that takes nothing is a failure, of text, JSON, npy, help and version alike.
literal() { qkv attend --query '[[1]]' --key '[[1]]' --value '[[5]]' "$@" >/dev/full; }
literal && echo succeeded
literal --json && echo succeeded
literal -o - && echo succeeded
qkv --version >/dev/full && echo succeeded
qkv attend --help >/dev/full && echo succeeded
exit 0
