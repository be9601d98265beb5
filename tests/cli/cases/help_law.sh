# The help of laws and designs, in 80 columns.
qkv law --help | tee law
qkv help law | cmp law -
qkv design --help | tee design
qkv help design | cmp design -
awk 'length > 80 { print "too long: " $0 }' law design
