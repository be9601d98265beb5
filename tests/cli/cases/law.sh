# The law of one weight as text, for the three designs and in the limit. Radii of bounds are left out:
# they are FLINT's.
law() { qkv law "$@" | sed 's| +/- [0-9.e-]*||'; }
law --head single --keys 10 --beta 10 --noise 0.5
law --head=heads --keys=10 --beta=100 | sed -n '/failure/,$p'
law --head immune --keys 10 --beta 6
law --head immune --keys 10 --beta 6 --noisy other --of 3 | sed -n 1,10p
law --head heads --keys 3 --beta inf
law --keys 2 --beta 1 | grep mode
