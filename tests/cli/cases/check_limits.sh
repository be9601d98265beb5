# Engines that are switched off, and the time allowed.
printf 'claim one: 1 = 1\nclaim two: e^2 > 7\n' >answers.qkv
qkv check answers.qkv
qkv check --without ball --threads 2 answers.qkv || echo "status $?"
qkv check --without search,sample -q answers.qkv
qkv check --seconds 1e-9 answers.qkv || echo "status $?"
qkv check --without exact answers.qkv || echo "status $?"
qkv check --without ball, answers.qkv || echo "status $?"
qkv check --seconds 0 answers.qkv || echo "status $?"
qkv check --threads none answers.qkv || echo "status $?"
