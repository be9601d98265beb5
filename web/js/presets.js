// Scenes to start from. Each is the initial state with a few changes.
import { initial } from './state.js';

export const NOISY_A = [0.5, 0, 0, 0, 0, 0, 0, 0];
/** Where values are for averages. */
export const AVERAGED = { values: [[-0.85, -0.4], [0.85, -0.4], [0, 0.85], ...initial().values.slice(3)] };
const average = { ...AVERAGED, space: 'ortho', n: 10, target: 'average', queries: [[1, 1, 0], [0, 1, 0], [1, 0, 0]] };

export const PRESETS = [
  { name: 'Three keys in the plane', told: '**Drag q.** Each key is scored against it, the scores become weights, and the weights mix the values into the output c.', changes: {} },
  { name: 'Eight keys in the plane', told: '**Drag q.** Eight keys compete; the background shows which of them wins where.', changes: { n: 8, beta: 4 } },
  { name: 'Average two of ten', told: '**Ten keys at right angles.** q is aimed halfway between k_a and k_b, so c comes near the average of v_a and v_b.', changes: { ...average, beta: 4 } },
  { name: 'A key of uncertain length', told: '**k_a has another length in each draw.** q is aimed halfway, and c jumps from v_a to v_b.', changes: { ...average, beta: 10, stretch: NOISY_A }, pace: 'slow' },
  { name: 'One head per key', told: '**Two heads, one for each key.** c is the mean of their outputs, and stays near the average in most draws.', changes: { ...average, beta: 10, stretch: NOISY_A, heads: 2, queries: [[1, 0, 0], [0, 1, 0], [1, 0, 0]] }, pace: 'slow' },
  { name: 'A query immune to the noise', told: '**q turns away from the other keys.** It scores 0 for k_a, however long that is, and c stays where it is.', changes: { ...average, beta: 10, stretch: NOISY_A, queries: [[0, 0, -1], [0, 1, 0], [1, 0, 0]] }, pace: 'slow' },
];

export const setting = (changes) => structuredClone({ ...initial(), ...changes });
export const averaging = (changes) => setting({ ...average, ...changes });
