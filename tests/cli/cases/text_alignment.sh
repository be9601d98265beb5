# Columns are aligned at the decimal point; infinities and exponents have their place. A
# window of one key hands the values through.
qkv attend --window 0,0 --query '[[0],[0],[0]]' --key '[[0],[0],[0]]' \
    --value '[[1, 0.5, -1234.5, 1e-9, -0.0, 1], [100, -inf, 2, 3.25, 7, 1e300], [0, 1, nan, 0, 0, 0]]'
# Too small for f16, and so rounded to -0.
qkv attend --query '[[0]]' --key '[[0]]' --value '[[-1e-9]]' --type f16
