// What the page shows, as one object, and as the part of the address behind '#'. What is as at the
// start is left out there.

export const MOST_PLANE = 8;
export const MOST_BETA = 50;
export const REACH = 1.35; // coordinates of points go from -REACH to REACH
export const MOST_SPIN = 3.142; // of the view, radians each way
export const MOST_TILT = 1.571; // from the side
export const MOST_REST = 1.5; // and those of queries along every other key
const SENTENCES = 5, REAL_HEADS = 72, MOST_TOKENS = 16; // of the model's
export const COUNTS = [2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 50, 100];

const circle = (i, radius) => [radius * Math.cos(i), radius * Math.sin(i)];

export function initial() {
  return {
    view: 'play',
    step: 0,
    space: 'plane', // or 'ortho'
    n: 3,
    heads: 1,
    beta: 3,
    alpha: 0,
    tolerance: 0.1,
    target: 'none', // or 'average', 'copy', 'others'
    stretch: [0, 0, 0, 0, 0, 0, 0, 0], // key by key; beyond two orthonormal ones, of all others
    queries: [[0.94, 0.34, 0], [0, 1, 0], [1, 0, 0]], // along a, along b, along every other; times beta
    keys: [1.35, -0.25, 3.5, 2.4, 4.5, 5.3, 0.55, 2.9].map((angle) => circle(angle, 1).map(round)),
    values: [[-0.85, 0.55], [0.9, 0.35], [0, -0.85], [-0.5, -0.6], [0.5, 0.85], [0.75, -0.6], [-1, -0.2], [0.1, 0.3]],
    turn: [-0.45, 1.05], // of the view of orthonormal keys
    sentence: 0, // of the words
    head: 2, // of all layers
    token: 3, // the word that looks
    jitter: 0, // variance of a key's length
    noisy: -1, // that key; -1: the one that each word looks at most
    text: null, // of the checker; null: its first example
  };
}

export const round = (x) => Math.round(x * 1000) / 1000;

const points = {
  write: (list) => list.map((p) => p.map(round).join(',')).join(';'),
  read: (text) => text.split(';').map((p) => p.split(',').map(Number)),
};
const numeral = { write: String, read: Number };
const word = (...allowed) => ({ write: String, read: (text) => (allowed.includes(text) ? text : allowed[0]) });
const plainText = { write: (value) => value, read: (value) => value };

const fields = {
  view: word('play', 'tour', 'words', 'check'),
  step: numeral,
  space: word('plane', 'ortho'),
  n: numeral,
  heads: numeral,
  beta: numeral,
  alpha: numeral,
  tolerance: numeral,
  target: word('none', 'average', 'copy', 'others'),
  stretch: { write: (list) => list.map(round).join(','), read: (value) => value.split(',').map(Number) },
  queries: points,
  keys: points,
  values: points,
  turn: { write: (list) => list.map(round).join(','), read: (value) => value.split(',').map(Number) },
  sentence: numeral,
  head: numeral,
  token: numeral,
  jitter: numeral,
  noisy: numeral,
  text: plainText,
};

export function toHash(state) {
  const start = initial(), parts = new URLSearchParams();
  for (const [name, field] of Object.entries(fields)) {
    if (state[name] === null || state[name] === undefined) continue;
    const written = field.write(state[name]);
    if (start[name] === null || written !== field.write(start[name])) parts.set(name, written);
  }
  return `#${parts}`;
}

/** Numbers that are none, and lists that are too short, are as at the start. */
function sound(value, start) {
  if (typeof start === 'number') return Number.isFinite(value) ? value : start;
  if (!Array.isArray(start)) return value;
  return start.map((item, i) => (value[i] === undefined ? item : sound(value[i], item)));
}

/** Whether the part of an address tells anything of a state; '#' and nothing is the start. */
export function isState(hash) {
  const parts = new URLSearchParams(hash.replace(/^#/, ''));
  return [...parts].length === 0 || Object.keys(fields).some((name) => parts.has(name));
}

export const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

const within = (point, most) => point.map((x) => clamp(x, -most, most));

export function fromHash(hash) {
  const state = initial(), parts = new URLSearchParams(hash.replace(/^#/, ''));
  for (const [name, field] of Object.entries(fields))
    if (parts.has(name)) state[name] = sound(field.read(parts.get(name)), state[name]);
  state.heads = clamp(Math.round(state.heads), 1, 3);
  state.n = clamp(Math.round(state.n), 2, state.space === 'plane' ? MOST_PLANE : 100);
  state.beta = clamp(state.beta, 0, MOST_BETA);
  state.alpha = clamp(state.alpha, 0, 1);
  state.tolerance = clamp(state.tolerance, 0.01, 1);
  state.stretch = state.stretch.map((s) => clamp(s, 0, 4));
  state.queries = state.queries.map(([x, y, rest]) => [...within([x, y], REACH), ...within([rest], MOST_REST)]);
  for (const [name, low, high] of [['sentence', 0, SENTENCES - 1], ['head', 0, REAL_HEADS - 1], ['token', 0, MOST_TOKENS - 1], ['noisy', -1, MOST_TOKENS - 1]])
    state[name] = clamp(Math.round(state[name]), low, high);
  state.jitter = clamp(state.jitter, 0, 2);
  state.turn = [clamp(state.turn[0], -MOST_SPIN, MOST_SPIN), clamp(state.turn[1], -MOST_TILT, MOST_TILT)];
  state.keys = state.keys.map((point) => within(point, REACH));
  state.values = state.values.map((point) => within(point, REACH));
  return state;
}
