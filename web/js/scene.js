// From the state to the arrays that the library takes: keys, queries, values. Nothing is computed
// here that the library computes.

const SEED = 25; // the first dozen single draws look as most do: near one value or the other

/** 'a', 'b', '3', ... */
export const letter = (i) => (i < 2 ? 'ab'[i] : String(i + 1));

/** The rows that are shown: each key of a plane; of orthonormal ones a, b and the others. */
export function rows(state) {
  const shown = state.space === 'plane' ? state.n : Math.min(state.n, 3);
  return Array.from({ length: shown }, (_, i) => ({
    index: i,
    many: state.space === 'ortho' && i === 2 ? state.n - 2 : 1,
    name: state.space === 'ortho' && i === 2 ? (state.n === 3 ? '3' : 'other') : letter(i),
  }));
}

/** The slot of the state's lists that key i reads. */
const slot = (state, i) => (state.space === 'ortho' ? Math.min(i, 2) : i);

/** Where c is wanted; without a goal, where nothing misses. */
export function target(state) {
  const [a, b, other] = state.values;
  if (state.target === 'copy') return a;
  return state.target === 'others' ? other : [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
}

export const TARGETS = { none: 'nothing', average: '(v_a + v_b)/2', copy: 'v_a', others: 'the average of the other values' };

/** How far c may be from the target: a part of the distance of v_a and v_b. */
export function radius(state) {
  if (state.target === 'none') return 10;
  const [a, b] = state.values;
  return state.tolerance * Math.hypot(a[0] - b[0], a[1] - b[1]);
}

/** What a query is: beta times the direction in the state, along a, b and, of orthonormal keys, every other. */
export const trueQuery = (state, h) =>
  state.queries[h].slice(0, state.space === 'ortho' && state.n > 2 ? 3 : 2).map((x) => state.beta * x);

/** The class of a key, which says its colour: those of a plane have one each, orthonormal others share one. */
export const inkOf = (state, i) => (state.space === 'ortho' && i > 1 ? 'ink-rest' : `ink-${i}`);

/** The head that feels the length of k_a most: its weight is watched. */
export function watchedHead(state) {
  const felt = state.queries.slice(0, state.heads).map((q) =>
    Math.abs(state.space === 'ortho' ? q[0] : q[0] * state.keys[0][0] + q[1] * state.keys[0][1]));
  return felt.indexOf(Math.max(...felt));
}

/** A query of the state, all of its entries, stretched by beta. */
export const entries = (state, h, beta = state.beta) => {
  const q = state.queries[h];
  return state.space === 'ortho' ? Array.from({ length: state.n }, (_, i) => beta * q[Math.min(i, 2)]) : [beta * q[0], beta * q[1]];
};

/** What play_set looks for, and its parameters. */
export function scene(state) {
  const indices = Array.from({ length: state.n }, (_, i) => i), ortho = state.space === 'ortho';
  const queries = Array.from({ length: state.heads }, (_, h) => entries(state, h)).flat();
  return {
    numbers: [
      state.alpha, radius(state), SEED, ...target(state),
      ...indices.map((i) => state.stretch[slot(state, i)]),
      ...(ortho ? [] : indices.flatMap((i) => state.keys[i])),
      ...queries,
      ...indices.flatMap((i) => state.values[slot(state, i)]),
    ],
    parameters: [state.n, ortho ? 0 : 2, state.heads, 0, watchedHead(state)],
  };
}
