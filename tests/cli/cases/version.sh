# The version is a number of three parts; the kernels end with those that every machine has.
qkv --version | tee first |
    sed -e 's/^qkv [0-9]*\.[0-9]*\.[0-9]*$/qkv VERSION/' \
        -e 's/^kernels: \(.*, \)\{0,1\}portable, reference$/kernels: KERNELS, portable, reference/'
qkv -V | cmp first -
