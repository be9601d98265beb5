// How long the arrow of a query is on the screen: by a ruler that is even near the origin and
// logarithmic beyond, so that a query of length 50 has room beside one of length 1, and infinity has
// a place, the rim. Directions, and the ratios of projections, are those of the query itself.

export const LONGEST = 70; // |q| at the last mark
export const RIM = 1.44; // where infinity is
export const MARKS = [1, 2, 5, 10, 20, 50];

const BEND = 4; // the ruler is even up to about 1/BEND
const SPAN = 1.34 / Math.asinh(BEND * LONGEST);

/** From a length to a radius on the screen, and back. */
export const toRadius = (length) => Math.min(SPAN * Math.asinh(BEND * length), RIM);
export const toLength = (radius) => Math.min(Math.sinh(radius / SPAN) / BEND, LONGEST);

/** A vector with the length of another scale: the query's own to the screen's. */
export function toScreen(vector) {
  const length = Math.hypot(...vector);
  return length === 0 ? vector.map(() => 0) : vector.map((x) => (x * toRadius(length)) / length);
}

export function fromScreen(vector) {
  const radius = Math.hypot(...vector);
  return radius === 0 ? vector.map(() => 0) : vector.map((x) => (x * toLength(radius)) / radius);
}
