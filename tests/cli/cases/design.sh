# Designs side by side, a copy, and exit status 1 where none will do.
qkv design average --of 2 --keys 10 --tolerance 0.01 --noise 0.5 --failure 0.1
qkv design copy --keys 10 --failure 0.05
qkv design average --keys 4 --of 4
qkv design copy --keys 10 --failure 0.05 --noisy other | sed -n 4,7p
qkv design average --keys 10 --noisy other --noise 4 --failure 0.01 --of 9 | sed -n 5p
