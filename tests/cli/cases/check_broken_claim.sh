# A claim that cannot be read leaves the others as they are, and swallows no definition behind it.
cat >broken.qkv <<'END'
problem "a claim among others"
given  n >= 2, beta > 0
keys   k[1..n] orthonormal
values v[1..n]
pick   a in 1..n
c = attend(beta*k[a], k, v)
claim one:   c ~ v[a]   as beta -> inf
claim two:   c.weight[a] = = 3
claim three: sum(c.weight[i] for i in
d = attend(2*beta*k[a], k, v)
claim four:  d.weight[a] = e^beta/(n - 1 + e^beta)   expect refuted
END
qkv check broken.qkv
