// Scenes to start from. Each is the initial state with a few changes.
import { initial } from './state.js';

export const NOISY_A = [0.5, 0, 0, 0, 0, 0, 0, 0];
/** Where values are for averages. */
export const AVERAGED = { values: [[-0.85, -0.4], [0.85, -0.4], [0, 0.85], ...initial().values.slice(3)] };
const average = { ...AVERAGED, space: 'ortho', n: 10, target: 'average', queries: [[1, 1, 0], [0, 1, 0], [1, 0, 0]] };

export const PRESETS = [
  { name: 'Three keys in the plane', told: 'Drag q: its direction chooses among three keys, its length says how decisively.', changes: {} },
  { name: 'Eight keys in the plane', told: 'Eight keys share the weight. Make q longer, and one of them wins.', changes: { n: 8, beta: 4 } },
  { name: 'Average two of ten', told: 'q aims halfway between two of ten keys at right angles: c is nearly the average of v_a and v_b.', changes: { ...average, beta: 4 } },
  { name: 'A key of uncertain length', told: 'k_a has another length in each draw. q aims halfway, but c lands near v_a or v_b: a coin toss.', changes: { ...average, beta: 10, stretch: NOISY_A }, pace: 'slow' },
  { name: 'One head per key', told: 'One head per key, and c is the mean of their outputs: now the noise rarely matters.', changes: { ...average, beta: 10, stretch: NOISY_A, heads: 2, queries: [[1, 0, 0], [0, 1, 0], [1, 0, 0]] }, pace: 'slow' },
  { name: 'A query immune to the noise', told: 'q turns away from all other keys. It scores 0 for k_a, however long k_a is.', changes: { ...average, beta: 10, stretch: NOISY_A, queries: [[0, 0, -1], [0, 1, 0], [1, 0, 0]] }, pace: 'slow' },
];

export const setting = (changes) => structuredClone({ ...initial(), ...changes });
export const averaging = (changes) => setting({ ...average, ...changes });
