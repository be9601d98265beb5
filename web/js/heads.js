// The heads of a real model, as scripts/heads.py has written them: queries and keys, sentence by
// sentence; and what a head does with a sentence, by the weights that the library gives.

/** What a token does. With less than half of its weight on every key it averages. */
export const KINDS = [
  { name: 'copies', told: 'copy another word', colour: '--first' },
  { name: 'rests', told: 'rest on [CLS] or [SEP]', colour: '--rest' },
  { name: 'itself', told: 'look at themselves', colour: '--fourth' },
  { name: 'averages', told: 'average several', colour: '--second' },
];
const [COPYING, RESTING, SELFISH, AVERAGING] = [0, 1, 2, 3];

const isWord = (token) => !/^\[.*\]$/.test(token);

export class Heads {
  constructor(bytes) {
    const end = bytes.indexOf(10);
    Object.assign(this, JSON.parse(new TextDecoder().decode(bytes.subarray(0, end))));
    this.count = this.layers * this.heads;
    this.low = bytes.subarray(end + 1);
    let at = 0;
    for (const sentence of this.sentences) {
      sentence.at = at;
      at += this.count * 2 * sentence.tokens.length * sentence.width;
    }
    this.high = this.low.subarray(at);
  }

  /** Queries, then keys, of all heads (heads, tokens, width): numbers come axis by axis, 1, 2, 3, 4 for -1, 1, -2, 2. */
  vectors({ at, tokens: { length: tokens }, width }) {
    const numbers = new Float64Array(2 * this.count * tokens * width), half = numbers.length / 2;
    for (let head = 0; head < this.count; head++)
      for (let axis = 0; axis < width; axis++)
        for (let i = 0; i < 2 * tokens; i++, at++) {
          const z = this.low[at] + 256 * this.high[at], part = i < tokens ? 0 : half - tokens * width;
          numbers[part + (head * tokens + i) * width + axis] = this.step * (z % 2 === 0 ? z / 2 : -(z + 1) / 2);
        }
    return numbers;
  }
}

/** One sentence: scores and weights of all heads, and what they do. */
export class Reading {
  constructor(engine, heads, index) {
    this.sentence = heads.sentences[index];
    this.tokens = this.sentence.tokens;
    this.heads = heads.count;
    const count = heads.count * this.tokens.length ** 2;
    engine.give(heads.vectors(this.sentence));
    engine.call('words_set', heads.count, this.tokens.length, this.sentence.width, heads.scale);
    const found = engine.results(2 * count).slice();
    this.scores = found.subarray(0, count);
    this.weights = found.subarray(count);
    this.doings = Array.from({ length: heads.count }, (_, head) => this.tokens.map((__, token) => this.doing(head, token)));
    this.kinds = this.doings.map((doing) => this.commonest(doing));
  }

  /** The weights of a head (tokens by tokens), or one token's. */
  of(list, head, token = undefined) {
    const n = this.tokens.length, from = (head * n + (token ?? 0)) * n;
    return list.subarray(from, from + (token === undefined ? n * n : n));
  }

  best(head, token) {
    const weights = this.of(this.weights, head, token);
    return weights.indexOf(Math.max(...weights));
  }

  doing(head, token) {
    return this.kindOf(this.of(this.weights, head, token), token);
  }

  /** What a token does that has these weights. */
  kindOf(weights, token) {
    const best = weights.indexOf(Math.max(...weights));
    if (weights[best] <= 0.5) return AVERAGING;
    if (best === token) return SELFISH;
    return isWord(this.tokens[best]) ? COPYING : RESTING;
  }

  /** What most words do; [CLS] and [SEP] are not words. */
  commonest(doing) {
    const counts = KINDS.map((_, kind) => this.words.filter((token) => doing[token] === kind).length);
    return counts.indexOf(Math.max(...counts));
  }

  get words() {
    return this.tokens.map((token, i) => (isWord(token) ? i : -1)).filter((i) => i >= 0);
  }

  /** What a head does, in words. */
  told(head) {
    const kind = this.kinds[head], words = this.words.filter((token) => this.doings[head][token] === kind), all = this.words.length;
    const share = `${words.length} of ${all} words`;
    if (kind === AVERAGING) return `averages: ${share} give no key more than half of their weight.`;
    if (kind === RESTING) return `rests: ${share} give most of their weight to [CLS] or [SEP], which is a way of doing nothing.`;
    if (kind === SELFISH) return `looks at itself: ${share} give most of their weight to their own key.`;
    const by = words.map((token) => this.best(head, token) - token), same = by.filter((x) => x === by[0]).length === by.length;
    const where = !same ? '' : by[0] === -1 ? ', always the one before' : by[0] === 1 ? ', always the one after' : '';
    return `copies: ${share} give most of their weight to one other word${where}.`;
  }

  /** How likely a word changes what it does when the length of a key is uncertain: of each head, and of all heads of a kind. */
  changes(engine, key, noise) {
    const n = this.tokens.length;
    engine.call('words_changes', key, noise);
    const found = engine.results(this.heads * n).slice(), mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;
    const heads = this.doings.map((_, head) => mean(this.words.map((token) => found[head * n + token])));
    return { heads, kinds: KINDS.map((_, kind) => {
      const these = this.doings.flatMap((doing, head) => this.words.filter((token) => doing[token] === kind).map((token) => found[head * n + token]));
      return { places: these.length, chance: these.length > 0 ? mean(these) : undefined };
    }) };
  }
}
