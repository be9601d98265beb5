// From a claim to the playground: the queries that a document's attend(...) have at the numbers where
// the claim fails, if its keys are orthonormal. What is not understood is not shown at all; nothing
// here decides anything.
import { MOST_REST, REACH, clamp } from './state.js';

const FAR = 20; // a beta for claims about its limit
const MANY = 10; // keys, unless the document or the reason says otherwise
const PIECE = /\s*(?:(\d+(?:\.\d+)?(?:\/\d+)?)|(sum\((\w+)\[(\w+)\] for \4 not in \{([^}]*)\}\))|(\w+)\[(\w+)\]|([A-Za-z_]\w*)|([-+*/()]))/y;

/** Numbers and vectors [along a, along b, along every other]: sums, products, quotients. */
class Form {
  constructor(text, numbers, names) {
    Object.assign(this, { text, numbers, names });
    PIECE.lastIndex = 0;
    this.list = [];
    while (PIECE.lastIndex < text.trimEnd().length) {
      const found = PIECE.exec(text);
      if (!found) throw new Error('not understood');
      this.list.push(found);
    }
  }

  whole() {
    const value = this.sum();
    if (this.list.length > 0) throw new Error('not understood');
    return value;
  }

  sign() {
    return this.list[0]?.[9];
  }

  sum() {
    let value = this.product();
    while (this.sign() === '+' || this.sign() === '-') {
      const factor = this.list.shift()[9] === '+' ? 1 : -1, other = this.product();
      if (Array.isArray(value) !== Array.isArray(other)) throw new Error('not understood');
      value = Array.isArray(value) ? value.map((x, i) => x + factor * other[i]) : value + factor * other;
    }
    return value;
  }

  product() {
    let value = this.factor();
    while (this.sign() === '*' || this.sign() === '/' || (this.list.length > 0 && !['+', '-', ')'].includes(this.sign()))) {
      const divides = this.sign() === '/';
      if (divides || this.sign() === '*') this.list.shift();
      const other = this.factor();
      value = times(value, divides ? 1 / scalar(other) : other);
    }
    return value;
  }

  factor() {
    const token = this.list.shift();
    if (!token) throw new Error('not understood');
    const [, number, , family, , without, keys, index, name, sign] = token;
    if (number) return number.includes('/') ? number.split('/').reduce((a, b) => a / b) : Number(number);
    if (sign === '-') return times(this.factor(), -1);
    if (sign === '(') {
      const value = this.sum();
      if (this.list.shift()?.[9] !== ')') throw new Error('not understood');
      return value;
    }
    if (family) return this.family(family, without);
    if (keys) return this.key(keys, index);
    if (name in this.numbers) return this.numbers[name];
    throw new Error('not understood');
  }

  key(keys, index) {
    const at = this.names.picked.indexOf(index);
    if (keys !== this.names.keys || at < 0 || at > 1) throw new Error('not understood');
    return at === 0 ? [1, 0, 0] : [0, 1, 0];
  }

  /** Every key but some. */
  family(keys, without) {
    const left = without.split(',').map((name) => name.trim());
    if (keys !== this.names.keys || left.some((name) => !this.names.picked.includes(name))) throw new Error('not understood');
    return [left.includes(this.names.picked[0]) ? 0 : 1, left.includes(this.names.picked[1]) ? 0 : 1, 1];
  }
}

function scalar(x) {
  if (Array.isArray(x)) throw new Error('not understood');
  return x;
}

function times(x, y) {
  if (Array.isArray(x) && Array.isArray(y)) throw new Error('not understood');
  if (Array.isArray(x)) return x.map((part) => part * y);
  return Array.isArray(y) ? y.map((part) => part * x) : x * y;
}

/** Arguments of every attend( in a text. */
function attends(text) {
  const found = [];
  for (const { index } of text.matchAll(/\battend\(/g)) {
    let depth = 0, end = index + 7;
    for (; end < text.length && !(text[end] === ',' && depth === 0); end++) depth += { '(': 1, ')': -1, '[': 1, ']': -1 }[text[end]] ?? 0;
    found.push(text.slice(index + 7, end));
  }
  return found;
}

/** The document before a line: the keys' name, who is picked, definitions, noise. */
function read(text, line) {
  const before = text.split('\n').slice(0, line - 1).map((row) => row.replace(/#.*/, ''));
  const keys = before.map((row) => /^\s*(?:keys|means)\s+(\w+)\[.*orthonormal/.exec(row)?.[1]).find(Boolean);
  const picked = before.map((row) => /^\s*pick\s+([\w, ]+?)\s+(?:distinct\s+)?in\b/.exec(row)?.[1]).find(Boolean)?.split(/,\s*/) ?? ['a', 'b'];
  const noise = before.map((row) => /^\s*keys\s+\w+\[(\w+)\] ~ normal\(.*?(\d+)\/(\d+)\*/.exec(row)).find(Boolean);
  const defined = new Map(before.map((row) => /^\s*(\w+)\s*=\s*(.*)$/.exec(row)).filter(Boolean).map(([, name, body]) => [name, body]));
  return { keys, picked, defined, noise: noise && noise[1] === picked[0] ? noise[2] / noise[3] : 0 };
}

/** The claim with its definitions written out, as far as it needs them. */
function writtenOut(claim, defined, depth = 4) {
  if (depth === 0) return claim;
  return claim.replace(/[A-Za-z_]\w*/g, (name) => (defined.has(name) ? `(${writtenOut(defined.get(name), defined, depth - 1)})` : name));
}

function goal(claim, [a, b]) {
  const plain = claim.replaceAll(' ', '').replace(/as.*$/, '');
  if (new RegExp(`[=~](1/2\\*?\\(v\\[${a}\\]\\+v\\[${b}\\]\\)|\\(v\\[${a}\\]\\+v\\[${b}\\]\\)/2)$`).test(plain)) return 'average';
  return new RegExp(`[=~]v\\[${a}\\]$`).test(plain) ? 'copy' : 'none';
}

/** The state of the playground that shows a claim, or undefined. */
export function counterexample(text, { line, claim, reason }) {
  const { keys, picked, defined, noise } = read(text, line);
  const statement = claim.replace(/^\s*claim[^:]*:/, '');
  if (!keys) return undefined;
  const numbers = { beta: / -> inf/.test(claim) ? FAR : 4, n: MANY };
  for (const [, name, value] of reason.matchAll(/\b(n|beta) = (\d+(?:\.\d+)?)/g)) numbers[name] = Number(value);
  try {
    const queries = [...new Set(attends(writtenOut(statement, defined)))].map((query) => new Form(query, numbers, { keys, picked }).whole());
    if (queries.length < 1 || queries.length > 3 || !queries.every(Array.isArray) || numbers.n < 2 || numbers.n > 100) return undefined;
    const beta = Math.max(...queries.flat().map(Math.abs));
    if (!(beta > 0) || beta > 50) return undefined;
    const scaled = queries.map((query) => query.map((x, i) => clamp(x / beta, i < 2 ? -REACH : -MOST_REST, i < 2 ? REACH : MOST_REST)));
    while (scaled.length < 3) scaled.push([0, 1, 0]);
    const sides = queries.length === 2 && !/\bmean\(/.test(writtenOut(statement, defined)); // of the claim, not heads
    return { sides, space: 'ortho', n: numbers.n, beta, heads: queries.length, queries: scaled, stretch: [noise, 0, 0, 0, 0, 0, 0, 0], target: goal(claim, picked) };
  } catch {
    return undefined;
  }
}
