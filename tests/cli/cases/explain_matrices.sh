# Matrices of any size: definitions written out, assumptions, rules, normal forms, a witness.
# The words of a verdict are not what this case is about: they are left out.
steps() { awk '/^[0-9]+\. Verdict/ {print; skip = 1; next} /^$/ {skip = 0} !skip'; }
cat >answers.qkv <<'DOCUMENT'
matrix  X[n,d], W[d,d];  permutation P[n];  permutation R[d]
att(Y) = softmax(Y*W*Y')*Y
claim: att(P*X) = P*att(X)
claim: (X*R)*W = (X*W)*R      expect refuted
matrix  A[d,m], B[d,p];  assume A'*A = I, A'*B = 0
vector  s[m], t[p]
claim: A*A'*(A*s + B*t) = A*s
DOCUMENT
qkv explain answers.qkv | steps
