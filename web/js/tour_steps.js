// The story of the tour: what each step shows, asks and tells. How steps work is tour.js's business.
//
// Texts are lists of strings, in which _a lowers a letter, of functions of the laws that give [text,
// formula] of a number, and of {math}: MathML. A question has options, one of them right, each with a
// reply; answering it reveals what the stage had covered. A challenge is met by what is done on the
// stage: measure(playground) says how far one is, from 0 to 1, and what to print.
import { NOISY_A, averaging, setting } from './presets.js';
import { digits, percent } from './tip.js';

const SINGLE = 1, HEADS = 2, IMMUNE = 3;
const perKey = [[1, 0, 0], [0, 1, 0], [1, 0, 0]];

/** Claims about random keys begin like this. */
const noisy = 'given   n >= 3, alpha > 0\nmeans   mu[1..n] orthonormal\nvalues  v[1..n]\npick    a, b distinct in 1..n\nkeys    k[i] ~ normal(mu[i], alpha*I)\nkeys    k[a] ~ normal(mu[a], alpha*I + 1/2*mu[a]*mu[a]\')\n';
const orthonormal = 'given   n >= 3, beta > 0\nkeys    k[1..n] orthonormal\nvalues  v[1..n]\npick    a, b distinct in 1..n\n';

const AVERAGE = '<mi>c</mi><mo>=</mo><munder><mo>∑</mo><mi>i</mi></munder><msub><mi>w</mi><mi>i</mi></msub><msub><mi>v</mi><mi>i</mi></msub><mo>,</mo><mspace width="0.6em"/><msub><mi>w</mi><mi>i</mi></msub><mo>=</mo><mfrac><msup><mi>e</mi><mrow><msub><mi>k</mi><mi>i</mi></msub><mo>·</mo><mi>q</mi></mrow></msup><mrow><munder><mo>∑</mo><mi>j</mi></munder><msup><mi>e</mi><mrow><msub><mi>k</mi><mi>j</mi></msub><mo>·</mo><mi>q</mi></mrow></msup></mrow></mfrac>';
const LEAK = '<mn>8</mn><msub><mi>w</mi><mn>3</mn></msub><mo>=</mo><mfrac><mn>8</mn><mrow><mn>2</mn><msup><mi>e</mi><mi>β</mi></msup><mo>+</mo><mn>8</mn></mrow></mfrac>';
const IMMUNE_WEIGHT = '<msub><mi>w</mi><mi>a</mi></msub><mo>=</mo><mfrac><mn>1</mn><mrow><mn>2</mn><mo>+</mo><mn>8</mn><msup><mi>e</mi><mrow><mo>−</mo><mi>β</mi></mrow></msup></mrow></mfrac>';

/** How near a number is to a goal, as a part of the way from where one starts. */
const way = (value, start, goal) => Math.min(Math.max((value - start) / (goal - start), 0), 1);

export const steps = [
  {
    title: 'Point at one key',
    set: setting({ beta: 1.2, queries: [[0.3, -0.95, 0], [0, 1, 0], [1, 0, 0]] }),
    text: ['Think of a library. Each book has a label, its key k, and its contents, a value v. You come with a query q.',
      ['Attention does not hand you one book. It answers with a blend of all values, weighted by how well their keys match ', { math: '<mi>q</mi>' }, ':'], { math: AVERAGE, block: true },
      'The keys here have length 1, so a score k·q is the projection of q onto the key, drawn as a coloured band. Read the length of q on its own ruler, which is squeezed to hold even ∞. The background shows which key would win if q pointed there.'],
    challenge: {
      task: 'Give k_a at least 99 % of the weight.',
      measure: ({ weights }) => ({ done: weights[0] >= 0.99, part: way(weights[0], 0.2, 0.99), told: `k_a has ${percent(Math.min(weights[0], 1 - 1e-12))}` }),
      hint: 'Turn q towards k_a. Then pull it outwards, along its ruler.',
      show: { queries: [[0.22, 0.976, 0], [0, 1, 0], [1, 0, 0]], beta: 9 },
      after: 'Direction chooses the winner, length decides by how much: a score that is higher by 1 gives e times the weight. Only at infinite length, the ∞ of the ruler, would the choice be absolute.',
    },
    claims: 'given   n >= 2, beta > 0\nkeys    k[1..n] orthonormal\nvalues  v[1..n]\npick    a in 1..n\nc = attend(beta*k[a], k, v)\nclaim: c.weight[a] = e^beta/(e^beta + n - 1)\nclaim: c ~ v[a] as beta -> inf\nfind least beta: c.weight[a] >= 0.99 for n = 10',
  },
  {
    title: 'Two keys of ten',
    set: averaging({ beta: 2, tolerance: 0.02 }),
    text: ['Now there are ten keys at right angles to each other: k_a, k_b and eight more. The eight share one axis in the picture, because q treats them alike. Drag the background to look from another side.',
      'Aimed halfway, q = β(k_a + k_b), the query scores β for k_a and for k_b, and 0 for each of the others.'],
    ask: {
      question: 'Here β = 2. How much of the weight do the eight others keep, all together?',
      options: [
        { text: 'Nothing: their score is 0', reply: 'A score of 0 is not a weight of 0, because e^{0} = 1. Attention can whisper, but it cannot be silent.' },
        { text: 'About a third', right: true, reply: 'Right: eight times e^{0} = 1 against two times e^{2} ≈ 7.4.' },
        { text: 'Most of it', reply: 'There are many of them, but each has e^{0} = 1 against e^{2} ≈ 7.4.' },
      ],
      reveal: { changes: { turn: [0, 0] } },
      after: ['Together they keep ', (law) => [percent(law(SINGLE, 10, 2, 2, 0).leak), '8 / (8 + 2e^{β}), β = 2'], ': '],
      math: LEAK,
    },
    challenge: {
      task: 'Pull q outwards until the eight keep less than 1 %, and keep it halfway.',
      measure: ({ weights }) => {
        const leak = 8 * weights[2], uneven = Math.abs(weights[0] - weights[1]), even = uneven < 0.05;
        return { done: leak < 0.01 && even, part: way(-Math.log(leak), 1, -Math.log(0.01)) * (even ? 1 : 0.9 - 0.9 * uneven),
          told: `the eight keep ${percent(leak)}${even ? '' : `, but k_a has ${percent(weights[0])} and k_b ${percent(weights[1])}`}` };
      },
      hint: 'The two need 99 times as much as the eight: 2e^{β} ≥ 99 · 8, so β must be about 6. Seen from above, q snaps to the line halfway between k_a and k_b: pull it along that line.',
      show: { queries: [[1, 1, 0], [0, 1, 0], [1, 0, 0]], beta: 6.5 },
      after: 'The average is exact only in the limit, unless there are just two keys.',
    },
    claims: `${orthonormal}c = attend(beta*(k[a] + k[b]), k, v)\nclaim: c.weight[a] = e^beta/(n - 2 + 2 e^beta)\nclaim: c ~ 1/2 (v[a] + v[b]) as beta -> inf\nclaim: c = 1/2 (v[a] + v[b])`,
  },
  {
    title: 'Three keys of five',
    set: averaging({ n: 5, beta: 4, target: 'others', queries: [[1, 0.2, 0], [0, 1, 0], [1, 0, 0]], tolerance: 0.02 }),
    text: ['Five keys: k_a, k_b, and three others, which share the axis that points up. Their three values lie on one point, at the top of the right-hand picture.',
      'This query asks for the wrong keys.'],
    challenge: {
      task: 'Give the three all the weight: leave less than 1 % to k_a and k_b.',
      measure: ({ weights }) => ({ done: 3 * weights[2] >= 0.99, part: way(3 * weights[2], 0.02, 0.99), told: `the three have ${percent(3 * weights[2])}` }),
      hint: 'There are two ways: ask for the three, or turn away from the other two.',
      show: { queries: [[-0.7, -0.7, 0], [0, 1, 0], [1, 0, 0]], beta: 9 },
      after: 'Now try the other way, too. Asking for three keys and turning away from the other two are the same to attention: only differences between scores count. Remember that for later.',
    },
    claims: 'given   beta > 0\nkeys    k[1..5] orthonormal\nvalues  v[1..5]\nwanted = attend(beta*(k[3] + k[4] + k[5]), k, v)\nclaim: wanted = attend(-beta*(k[1] + k[2]), k, v)\nclaim: wanted ~ 1/3 (v[3] + v[4] + v[5]) as beta -> inf',
  },
  {
    title: 'A key of uncertain length',
    pace: 'hold',
    set: averaging({ beta: 10, stretch: NOISY_A }),
    text: ['Real keys are not exact. Let k_a keep its line but not its length: it is ε times its usual self, with ε normal, mean 1 and variance ½. The lens along k_a holds nine draws in ten; where ε is negative, the key points the other way. The query is still aimed exactly halfway.'],
    ask: {
      question: 'Draw k_a again and again. Where does c land?',
      options: [
        { text: 'Mostly near the middle', reply: 'On average it is there; in a single draw hardly ever.' },
        { text: 'Mostly at v_a or at v_b', right: true, reply: 'Right: a coin toss.' },
        { text: 'Evenly between the two', reply: 'Hardly ever in between: one of the two keys nearly always wins.' },
      ],
      reveal: { pace: 'slow' },
      after: ['Why? k_a scores 10ε, k_b scores 10. A typical ε is off by 0.7, so the scores differ by 7, and e^{7} ≈ 1100: one of the two takes nearly everything. The longer q is, the less difference it takes. The weight of k_a has variance ', (law) => [digits(law(SINGLE, 10, 2, 10, 0.5).variance, 3), 'Var w, w = 1/(1 + e^{−(m + sZ)}), m = −ln(1 + (n − 2)e^{−β}), s = β√½, n = 10, β = 10'],
        '; a fair coin has ¼. Press Run for many draws: the curve is the exact distribution of the weight.'],
    },
    claims: `${noisy}one = attend(beta*(mu[a] + mu[b]), k, v)\nclaim: Var(one.weight[a]) < 1/4 at alpha = 0, n = 10, beta = 10\nclaim: P(one.weight[a] > 1/2) <= 1/2 at alpha = 0, n = 10, beta = 10`,
  },
  {
    title: 'One head per key',
    pace: 'hold',
    set: averaging({ beta: 10, heads: 2, stretch: NOISY_A, queries: perKey }),
    text: ['A head is one query with weights and an output of its own. Take two: q_1 points at k_a, q_2 at k_b, and c = ½(c_1 + c_2) is the mean of their outputs. Only the first head feels the noise.'],
    ask: {
      question: 'With one head, c missed the target in 95 % of the draws. And now?',
      options: [
        { text: 'Never', reply: 'Not quite: where ε is near 0 or negative, the first head loses its key.' },
        { text: 'In one draw of six or so', right: true, reply: 'Right: ε no longer has to be near 1, only well above 0.' },
        { text: 'Just as often', reply: 'Much less often: ε no longer has to be near 1, only well above 0.' },
      ],
      reveal: { pace: 'slow' },
      after: ['Why? In its own head k_a no longer competes with k_b. Its score 10ε only has to beat nine keys with score 0. Its weight there has variance ', (law) => [digits(law(HEADS, 10, 2, 10, 0.5).variance, 3), 'Var w, m = β − ln(n − 1), s = β√½, n = 10, β = 10'],
        ' instead of ', (law) => [digits(law(SINGLE, 10, 2, 10, 0.5).variance, 3), 'the single head, n = 10, β = 10'], ', and c takes only half of that weight. But two heads are not always better: below β = ',
        (law, crossing) => [digits(crossing(10), 3), 'where E|c − average|² of one head and of two are the same, n = 10'], ' one head has the smaller mean squared error.'],
    },
    picture: { name: 'error', keys: [10], caption: 'Mean squared error against β: bias and variance stacked.' },
    claims: `${noisy}one = attend(beta*(mu[a] + mu[b]), k, v)\ntwo = mean(attend(beta*mu[a], k, v), attend(beta*mu[b], k, v))\nclaim: Var(two.weight[a]) < Var(one.weight[a]) at alpha = 0, n = 10, beta = 10`,
  },
  {
    title: 'What no length can mend',
    pace: 'hold',
    set: averaging({ beta: 10, heads: 2, stretch: NOISY_A, queries: perKey }),
    text: ['Longer queries are more decisive. So let both grow, further and further.'],
    ask: {
      question: 'As β grows without limit, what happens to the share of draws that miss?',
      options: [
        { text: 'It goes to 0', reply: 'It stops falling. When ε is negative, k_a points the other way, and a longer q_1 only turns away from it harder.' },
        { text: 'It stops at about 8 %', right: true, reply: 'Right: that is the chance that ε is negative. Then k_a points the other way, and a longer q_1 only turns away from it harder.' },
        { text: 'It grows to 100 %', reply: 'It falls at first: more length makes the first head surer whenever ε is positive.' },
      ],
      reveal: { changes: { beta: 50 }, pace: 'run' },
      after: ['P(ε < 0) is ', (law) => [percent(law(HEADS, 10, 2, Infinity, 0.5).failure, 4), 'P(ε < 0) = Φ(−√2) = erfc(1)/2'],
        '. No β can fix that: at β = 50 a little more than this share misses, and in the limit exactly this share.'],
    },
    claims: `${noisy}claim: P(k[a].mu[a] < 0) = 0.0786 within 0.0001 at alpha = 0\ntwo = mean(attend(beta*mu[a], k, v), attend(beta*mu[b], k, v))\nas alpha -> 0 then beta -> inf:\n    law of two`,
  },
  {
    title: 'A query that survives',
    pace: 'slow',
    set: averaging({ beta: 10, stretch: NOISY_A }),
    text: ['Back to one head. Is there a single query for which the length of k_a does not matter, even when it points the other way?'],
    challenge: {
      task: 'Find a query whose output misses in fewer than 1 % of the draws.',
      measure: ({ law, mean: { scores } }) => ({ done: law.hasFailure && law.failure < 0.01, part: Math.max(way(law.failure, 0.95, 0.01), 0.5 * way(Math.abs(scores[0]), 10, 0)),
        told: `misses in ${percent(law.failure)} of all draws; scores: k_a ${Math.abs(scores[0]) < 5e-3 ? 0 : `${digits(scores[0], 2)}ε`}, k_b ${digits(scores[1], 2)}, others ${digits(scores[2], 2)}` }),
      hint: 'A query at right angles to k_a scores 0 for it, however long k_a is. Which such query prefers k_a and k_b to the others? On an axis q snaps to it; away from it, its scores tell what you cannot see: the depth.',
      show: { queries: [[0, 0, -1], [0, 1, 0], [1, 0, 0]], beta: 10, turn: [-0.45, 1.05] },
      after: 'Turn away from everything else: q = −β(k₃ + … + k₁₀), straight down. Then k_a·q = 0 whatever ε is. The price: q is longer, and noise in one of the other keys now hurts.',
      math: IMMUNE_WEIGHT,
    },
    picture: { name: 'fall', keys: [10], betas: [10], caption: 'Where c falls: one head, two heads, and the query that turns away. A draw fails here as soon as one of the wanted keys gets less than 90 % of its part; the stage counts outputs that miss the target by more than 0.1 |v_a − v_b|, which is less strict.' },
    claims: `${noisy}immune = attend(-beta*sum(mu[i] for i not in {a, b}), k, v)\nclaim: Var(immune.weight[a]) = 0 at alpha = 0\nclaim: immune.weight[a] = 1/(2 + (n - 2) e^-beta) at alpha = 0`,
  },
  {
    title: 'Build K, Q and V',
    set: setting({ n: 3, beta: 6, space: 'ortho', queries: [[1, 0, 0], [0, 1, 0], [1, 0, 0]] }),
    text: ['In a transformer every word is a token, a vector x, and makes its own key, query and value: k = Kx, q = Qx, v = Vx. Here are three tokens, sums of four directions at right angles: x_1 = u_d + u_b, x_2 = u_a, x_3 = u_c + u_b. Each direction has length 3, so a match scores 3 · 3 = 9, and e^{9} ≈ 8100 against e^{0} = 1 takes nearly all the weight.',
      'Click entries of the matrices to change them between 0, 1 and −1. A column says where a direction is sent; with K and V as they stand, tokens keep what they are.'],
    builder: true,
    challenge: {
      task: 'Make token 1 receive u_b − u_c and token 2 receive u_b.',
      hint: 'Start with V: keep u_b, negate u_c, and drop the rest. Then let Q turn u_a, which only token 2 has, into u_d, which only token 1 offers.',
      show: 'build',
      after: 'Token 1 asks for u_c and finds token 3, token 2 asks for u_d and finds token 1, and V picks what is handed over. Every row of weights sums to 1, so no token can take all of two others at once.',
    },
    picture: { name: 'diagram', betas: [3], caption: 'Who looks at whom, and what arrives.' },
    claims: 'given   beta > 0\nclaim: e^(beta^2)/(e^(beta^2) + 2) ~ 1 as beta -> inf\nclaim: e^(beta^2)/(e^(beta^2) + 2) > 0.999 at beta = 3',
  },
  {
    title: 'Another order',
    set: setting({ n: 5, beta: 3, queries: [[0.8, 0.6, 0], [0, 1, 0], [1, 0, 0]] }),
    text: ['Five keys with five values, in some order.'],
    ask: {
      question: 'Shuffle the list: every key takes another place in it, and its value goes with it. What happens to c?',
      options: [
        { text: 'It stays where it is', right: true, reply: 'Right: every weight moves along with its key, and a sum does not care about its order.' },
        { text: 'It moves', reply: 'It stays: every weight moves along with its key, and a sum does not care about its order.' },
      ],
      reveal: { act: 'shuffle' },
      after: ['The arrows stay; only their names and colours move on by one. Without a mask, attention does not know the order. If every token asks, outputs come in the new order, too: Attn(PX) = P Attn(X) for every permutation P. Positional encodings break this symmetry; that is their purpose.'],
    },
    extra: { name: 'Shuffle', act: 'shuffle' },
    picture: { name: 'permutation', caption: 'The same tokens in another order: the same picture, moved.' },
    claims: 'matrix  X[n,d], W_Q[d,m], W_K[d,m], W_V[d,p];  permutation P[n]\natt(X) = softmax(X*W_Q*(X*W_K)\')*X*W_V\nclaim: att(P*X) = P*att(X)\nclaim: att(X*R) = att(X)*R for all permutation R[d]',
  },
  {
    title: 'What you know now',
    set: setting({}),
    text: ['Six questions to end with. The stage is yours to try things out.'],
    quiz: [
      { step: 0, question: 'q points at k_a, at right angles to all other keys. What makes c nearly equal to v_a?',
        options: [{ text: 'A long q', right: true }, { text: 'A long v_a' }, { text: 'Nothing can' }], why: 'The score of k_a grows with q, the others stay at 0.' },
      { step: 1, question: 'q aims halfway between two of ten keys at right angles. When is c the average of their two values?',
        options: [{ text: 'Always' }, { text: 'Only in the limit, as q grows', right: true }, { text: 'When q has length 1' }], why: 'The other eight score 0 but keep 8/(2e^{β} + 8) of the weight. That falls as q grows, and is never 0.' },
      { step: 2, question: 'All scores grow by 5. What happens to the weights?',
        options: [{ text: 'Nothing', right: true }, { text: 'They get more even' }, { text: 'They get more uneven' }], why: 'e^{5} cancels between numerator and sum.' },
      { step: 3, question: 'A query aimed halfway between two keys, one of them of uncertain length: what does c do as q grows?',
        options: [{ text: 'It settles on the average' }, { text: 'It jumps between the two values', right: true }, { text: 'It goes to the other values' }], why: 'The longer q is, the more a small difference in length decides.' },
      { step: 4, question: 'Why do two heads, one per key, help against that noise?',
        options: [{ text: 'They average two noises' }, { text: 'The noisy key no longer competes with the other wanted one', right: true }, { text: 'Two heads see less noise' }], why: 'In its own head the noisy key only has to beat keys with score 0.' },
      { step: 8, question: 'The keys are listed in another order, each with its value. What happens to c?',
        options: [{ text: 'It follows the first key' }, { text: 'Nothing', right: true }, { text: 'It becomes the plain average' }], why: 'Every weight moves along with its key and its value, and a sum does not care about its order.' },
    ],
    ending: true,
    claims: `${orthonormal}c = attend(beta*(k[a] + k[b]), k, v)\nclaim: c ~ 1/2 (v[a] + v[b]) as beta -> inf\n# your own claims:\n`,
  },
];
