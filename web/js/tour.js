// The assignment as a story. Each step sets the playground, shows a picture of the library's, and
// tells numbers that the library computes as the step is shown.
import { initial } from './state.js';
import { digits, lowered, number, percent } from './tip.js';
import { isDark, save } from './download.js';
import { describe } from './playground.js';

const SINGLE = 1, HEADS = 2, IMMUNE = 3;

const setting = (changes) => ({ ...initial(), stretch: [0, 0, 0, 0, 0, 0, 0, 0], ...changes });
/** Claims about random keys begin like this. */
const noisy = 'given   n >= 3, alpha > 0\nmeans   mu[1..n] orthonormal\nvalues  v[1..n]\npick    a, b distinct in 1..n\nkeys    k[i] ~ normal(mu[i], alpha*I)\nkeys    k[a] ~ normal(mu[a], alpha*I + 1/2*mu[a]*mu[a]\')\n';
const noisyA = [0.5, 0, 0, 0, 0, 0, 0, 0];

/** text: strings, and functions of the laws that give [text, formula] of a number. */
const steps = [
  {
    title: 'Copy one value',
    set: setting({ target: 'copy', beta: 7, queries: [[1, 0, 0], [0, 1, 0], [1, 0, 0]], tolerance: 0.01 }),
    text: ['Attention is a weighted average of values, c = Σ aᵢvᵢ, and the weights are a softmax: aᵢ = e^(kᵢ·q) / Σ e^(kⱼ·q).',
      ['Point q at one key and stretch it by β. That key scores β, the others 0. With ten keys and β = 7 it gets ',
        (law) => [digits(1 - law(SINGLE, 10, 1, 7, 0).leak), 'a_a = e^β / (e^β + n − 1), n = 10, β = 7'],
        ' of the weight. Leaving 1 % to the others takes β = ', () => [digits(Math.log(99 * 9)), 'β = ln((n − 1) (1 − τ)/τ) = ln(9 · 99), τ = 0.01'], '.'],
      'Drag q around: what counts is by how much the scores differ, not in what ratio.'],
    picture: { name: 'weights', keys: [3, 10, 100], caption: 'Exact weights against β; the mark is the least β for 1 %.' },
    claims: 'given   n >= 2, beta > 0\nkeys    k[1..n] orthonormal\nvalues  v[1..n]\npick    a in 1..n\nc = attend(beta*k[a], k, v)\nclaim: c.weight[a] = e^beta/(e^beta + n - 1)\nclaim: c ~ v[a] as beta -> inf\nfind least beta: c.weight[a] >= 0.99 for n = 10',
  },
  {
    title: 'Average two values',
    set: setting({ beta: 6, tolerance: 0.01 }),
    text: ['The sum of two keys scores both alike: q = β(k_a + k_b) gives β, β, and 0 for all others.',
      ['Each of the two has ', (law) => [digits((1 - law(SINGLE, 10, 2, 6, 0).leak) / 2), 'e^β / (n − 2 + 2e^β), n = 10, β = 6'],
        ' of the weight; the other eight keep ', (law) => [percent(law(SINGLE, 10, 2, 6, 0).leak), '(n − 2)/(n − 2 + 2e^β), n = 10, β = 6'], ' together.'],
      'The handout says that softmax can never average exactly. With n = 2 keys it does: move the slider n down to 2.'],
    picture: { name: 'weights', keys: [10], caption: 'Copy, average and a weighted subset of ten keys.' },
    claims: 'given   n >= 3, beta > 0\nkeys    k[1..n] orthonormal\nvalues  v[1..n]\npick    a, b distinct in 1..n\nc = attend(beta*(k[a] + k[b]), k, v)\nclaim: c.weight[a] = e^beta/(n - 2 + 2 e^beta)\nclaim: c ~ 1/2 (v[a] + v[b]) as beta -> inf\nclaim: c = 1/2 (v[a] + v[b])',
  },
  {
    title: 'Keys of uncertain length',
    set: setting({ beta: 10, stretch: noisyA }),
    text: ['Now k_a stays on its line and its length varies: k_a = ε μ_a with ε normal, mean 1 and variance ½. Its score is βε, and β makes a small difference large.',
      ['The weight of k_a is σ(m + sZ), a logit-normal law. At β = 10 its variance is ', (law) => [digits(law(SINGLE, 10, 2, 10, 0.5).variance), 'Var σ(m + sZ), m = −ln(1 + (n − 2)e^−β), s = β√½; a fair coin has 1/4'],
        ', nearly that of a coin: c jumps between v_a and v_b.'],
      'For two keys, as in the figure, the law has two peaks when β > 2; for ten, as in the playground, from about β = 2.5. Turn β down and watch them meet.'],
    picture: { name: 'law', keys: [2], betas: [1, 2, 4, 10], caption: 'The weight of k_a: exact density over samples.' },
    claims: noisy + 'one = attend(beta*(mu[a] + mu[b]), k, v)\nclaim: Var(one.weight[a]) < 1/4 at alpha = 0, n = 10, beta = 10\nclaim: P(one.weight[a] > 1/2) <= 1/2 at alpha = 0, n = 10, beta = 10',
  },
  {
    title: 'Two heads',
    set: setting({ beta: 10, heads: 2, stretch: noisyA, queries: [[1, 0, 0], [0, 1, 0], [1, 0, 0]] }),
    text: ['Give each key a head of its own, q₁ = βμ_a and q₂ = βμ_b, and average the outputs. Only the first head feels the length of k_a, and it needs ε to be positive, not close to 1.',
      ['The weight in that head has variance ', (law) => [digits(law(HEADS, 10, 2, 10, 0.5).variance), 'Var σ(m + sZ), m = β − ln(n − 1), s = β√½, n = 10, β = 10'],
        ' instead of ', (law) => [digits(law(SINGLE, 10, 2, 10, 0.5).variance), 'the single head, n = 10, β = 10'], ', and c takes half of that weight: a quarter of the variance.'],
      ['Two heads are not better at every β: for ten keys one head has the smaller error below β = ',
        (law, crossing) => [digits(crossing(10), 3), 'where E|c − average|² of one head and of two are the same, n = 10'], '. At β = 1 the errors are ',
        (law) => [digits(law(SINGLE, 10, 2, 1, 0.5).error, 3), 'E|c − average|², one head, orthonormal values, n = 10, β = 1'], ' and ',
        (law) => [digits(law(HEADS, 10, 2, 1, 0.5).error, 3), 'E|c − average|², two heads, n = 10, β = 1'], '.']],
    picture: { name: 'error', keys: [10], caption: 'Mean squared error against β: bias and variance stacked.' },
    claims: noisy + 'one = attend(beta*(mu[a] + mu[b]), k, v)\ntwo = mean(attend(beta*mu[a], k, v), attend(beta*mu[b], k, v))\nclaim: Var(two.weight[a]) < Var(one.weight[a]) at alpha = 0, n = 10, beta = 10',
  },
  {
    title: 'The 7.9 % to be ignored',
    set: setting({ beta: 40, heads: 2, stretch: noisyA, queries: [[1, 0, 0], [0, 1, 0], [1, 0, 0]] }),
    text: [['The handout says that k_a points roughly along μ_a, and lets us ignore what does not. But ε is below 0 with probability ',
        (law) => [percent(law(HEADS, 10, 2, Infinity, 0.5).failure, 4), 'P(ε < 0) = Φ(−√2) = erfc(1)/2'],
        ': the key then points the other way, the first head looks everywhere else, and c is far from the average. No β can fix that.'],
      ['It is worse at any β that is finite. At β = 40 the head leaves more than τ = 1 % of its weight to other keys in ', (law) => [percent(law(HEADS, 10, 2, 40, 0.5).failure), 'P(a < 1 − τ) = ½ erfc(1 − L/β), L = ln((n − 1)(1 − τ)/τ), τ = 0.01'],
        ' of all cases, at β = 10 in ', (law) => [percent(law(HEADS, 10, 2, 10, 0.5).failure), 'the same, β = 10'], '.']],
    picture: { name: 'key', caption: 'k_a beside its mean: the part that points the other way.' },
    claims: noisy + 'claim: P(k[a].mu[a] < 0) = 0.0786 within 0.0001 at alpha = 0\ntwo = mean(attend(beta*mu[a], k, v), attend(beta*mu[b], k, v))\nas alpha -> 0 then beta -> inf:\n    law of two',
  },
  {
    title: 'A query that does not feel it',
    set: setting({ beta: 10, stretch: noisyA, queries: [[0, 0, -1], [0, 1, 0], [1, 0, 0]] }),
    text: ['One head is enough after all. Instead of asking for k_a and k_b, turn away from everything else: q = −β Σ μᵢ over the others. Then k_a·q = 0 whatever its length, even where it points the other way.',
      ['Each of the two gets ', (law) => [digits((1 - law(IMMUNE, 10, 2, 10, 0.5).leak) / 2, 5), '1/(2 + (n − 2)e^−β) for every ε, n = 10, β = 10'],
        ', and the chance that either gets less than (1 − τ)/2, τ = 1 %, is ', (law) => [percent(law(IMMUNE, 10, 2, 10, 0.5).failure), 'P(weight < (1 − τ)/2): nothing in it is random'], '.'],
      'The price: |q| grows with √(n − 2), and noise in one of the other keys now hurts. Give the others some length noise and see. The figure counts a head as failed below 90 % of its part, the playground an output farther off than 0.1 |v_a − v_b|.'],
    picture: { name: 'fall', keys: [10], betas: [10], caption: 'Where c falls: one head, two heads, and the query that turns away.' },
    claims: noisy + 'immune = attend(-beta*sum(mu[i] for i not in {a, b}), k, v)\nclaim: Var(immune.weight[a]) = 0 at alpha = 0\nclaim: immune.weight[a] = 1/(2 + (n - 2) e^-beta) at alpha = 0',
  },
  {
    title: 'K, Q and V by hand',
    set: setting({ n: 3, beta: 9, target: 'copy', tolerance: 0.05, queries: [[1, 0, 0], [0, 1, 0], [1, 0, 0]],
      values: [[0, 0.8], [0, 0], [-0.8, 0.8], ...initial().values.slice(3)] }),
    text: ['Three tokens are made of four directions: x₁ = u_d + u_b, x₂ = u_a, x₃ = u_c + u_b. Matrices K, Q, V are to make c₂ ≈ u_b and c₁ ≈ u_b − u_c.',
      ['Let token 2 ask for u_d, which only token 1 has, and let V pass on its u_b. With |u| = 3 its weight is ',
        () => [digits(1 / (1 + 2 * Math.exp(-9)), 6), 'F/(F + 2), F = e^(β²), β = 3'], '. The playground has that query: its target is the value of token 1.'],
      'Every row of weights sums to 1, so a row [1, 0, 1] (one student’s answer) cannot be attention.'],
    picture: { name: 'diagram', betas: [3], caption: 'Who looks at whom, and what arrives.' },
    claims: 'given   beta > 0\nclaim: e^(beta^2)/(e^(beta^2) + 2) ~ 1 as beta -> inf\nclaim: e^(beta^2)/(e^(beta^2) + 2) > 0.999 at beta = 3',
  },
  {
    title: 'Another order',
    set: setting({ space: 'plane', n: 5, beta: 3, queries: [[0.8, 0.6, 0], [0, 1, 0], [1, 0, 0]] }),
    text: ['Attention does not know the order of its tokens. Shuffle keys and values together: every weight moves along with its key, and c stays where it is.',
      'Self-attention is therefore equivariant: Attn(PX) = P Attn(X) for every permutation P of the rows. XP is another thing: that shuffles features, not tokens.',
      'Positional encodings break this symmetry; that is their purpose. A causal mask breaks it too, although its purpose is to hide later tokens.'],
    picture: { name: 'permutation', caption: 'The same tokens in another order: the same picture, moved.' },
    extra: { name: 'Shuffle', act: shuffle },
    claims: 'matrix  X[n,d], W_Q[d,m], W_K[d,m], W_V[d,p];  permutation P[n]\natt(X) = softmax(X*W_Q*(X*W_K)\')*X*W_V\nclaim: att(P*X) = P*att(X)\nclaim: att(X*R) = att(X)*R for all permutation R[d]',
  },
];

function shuffle(state) {
  const order = Array.from({ length: state.n }, (_, i) => (i + 1) % state.n);
  for (const list of ['keys', 'values', 'stretch']) {
    const moved = order.map((i) => state[list][i]);
    state[list] = [...moved, ...state[list].slice(state.n)];
  }
}

export const stepCount = steps.length;
export const stepSettings = (index) => structuredClone(steps[index].set);

export class Tour {
  constructor(engine, root, { onStep, onCheck, onChange }) {
    Object.assign(this, { engine, root, onStep, onCheck, onChange });
    const at = (id) => root.querySelector(`#step-${id}`);
    this.at = at;
    at('back').addEventListener('click', () => onStep(this.index - 1));
    at('next').addEventListener('click', () => onStep(this.index + 1));
    at('check').addEventListener('click', () => onCheck(steps[this.index].claims));
    at('extra').addEventListener('click', () => onChange(steps[this.index].extra.act));
    at('save').addEventListener('click', () => save(`qkv-tour-${this.index + 1}.svg`, this.svg));
    at('list').append(...steps.map(({ title }, i) => {
      const item = document.createElement('li'), button = document.createElement('button');
      button.type = 'button';
      button.setAttribute('aria-label', `Step ${i + 1}: ${title}`);
      button.addEventListener('click', () => onStep(i));
      item.append(button);
      return item;
    }));
  }

  /** Numbers of a law by name. */
  law(design, keys, wanted, beta, noise) {
    this.engine.call('law', design, keys, wanted, beta, noise, 0.01);
    const [mean, variance, covariance, leak, bias, error, failure] = this.engine.results(7);
    return { mean, variance, covariance, leak, bias, error, failure };
  }

  /** The beta where one head and two are equally good. */
  crossing(keys) {
    this.engine.call('crossing', keys, 0.5);
    return this.engine.results(1)[0];
  }

  show(index) {
    const step = steps[index], { at } = this;
    this.index = index;
    at('count').textContent = `Step ${index + 1} of ${steps.length}`;
    at('title').textContent = step.title;
    if (at('text').contains(document.activeElement)) at('title').focus(); // the number there goes away
    at('text').replaceChildren(...step.text.map((part) => this.paragraph(part)));
    at('back').setAttribute('aria-disabled', String(index === 0)); // disabled, they would lose the focus
    at('next').setAttribute('aria-disabled', String(index === steps.length - 1));
    at('extra').hidden = !step.extra;
    at('extra').textContent = step.extra?.name ?? '';
    [...at('list').querySelectorAll('button')].forEach((button, i) =>
      (i === index ? button.setAttribute('aria-current', 'step') : button.removeAttribute('aria-current')));
    this.draw();
  }

  paragraph(part) {
    const paragraph = document.createElement('p');
    for (const piece of Array.isArray(part) ? part : [part])
      paragraph.append(typeof piece === 'string' ? lowered(piece) : number(...piece((...of) => this.law(...of), (keys) => this.crossing(keys))));
    return paragraph;
  }

  draw() {
    const { picture, title } = steps[this.index], { keys = [], betas = [] } = picture, { at } = this;
    const width = Math.min(720, Math.max(320, at('picture').clientWidth || 520));
    this.engine.tell(picture.name);
    this.engine.give([0.5, 0, 20000, ...keys, ...betas]);
    this.engine.call('picture', isDark(), width, keys.length, betas.length);
    this.svg = this.engine.answer();
    at('picture').innerHTML = this.svg;
    describe(at('picture'), `${title}: ${picture.caption}`);
    at('caption').replaceChildren(lowered(picture.caption));
    at('save').setAttribute('aria-label', `Picture of step ${this.index + 1} as SVG`);
  }
}
