// Scenes to start from. Each is the initial state with a few changes.
import { initial } from './state.js';

export const NOISY_A = [0.5, 0, 0, 0, 0, 0, 0, 0];
/** Where values are for averages. */
export const AVERAGED = { values: [[-0.85, -0.4], [0.85, -0.4], [0, 0.85], ...initial().values.slice(3)] };
const average = { ...AVERAGED, space: 'ortho', n: 10, target: 'average', queries: [[1, 1, 0], [0, 1, 0], [1, 0, 0]] };

export const PRESETS = [
  { name: 'Three keys in the plane', changes: {} },
  { name: 'Eight keys in the plane', changes: { n: 8, beta: 4 } },
  { name: 'Average two of ten', changes: { ...average, beta: 4 } },
  { name: 'A key of uncertain length', changes: { ...average, beta: 10, stretch: NOISY_A }, pace: 'slow' },
  { name: 'One head per key', changes: { ...average, beta: 10, stretch: NOISY_A, heads: 2, queries: [[1, 0, 0], [0, 1, 0], [1, 0, 0]] }, pace: 'slow' },
  { name: 'A query immune to the noise', changes: { ...average, beta: 10, stretch: NOISY_A, queries: [[0, 0, -1], [0, 1, 0], [1, 0, 0]] }, pace: 'slow' },
];

export const setting = (changes) => structuredClone({ ...initial(), ...changes });
export const averaging = (changes) => setting({ ...average, ...changes });
