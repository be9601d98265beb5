// The stage on its way from one state to another.

const TIME = 900; // milliseconds

const between = (from, to, part) =>
  (Array.isArray(to) ? to.map((x, i) => between(from[i], x, part)) : from + (to - from) * part);

/** Changes numbers, and lists of them, of the state bit by bit; at once where nothing is to move. */
export function glide(state, changes, show) {
  const from = structuredClone(state), begin = performance.now();
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const frame = (now) => {
    const part = still ? 1 : Math.min(Math.max((now - begin) / TIME, 0), 1), eased = part * part * (3 - 2 * part);
    for (const [name, value] of Object.entries(changes)) state[name] = part === 1 ? structuredClone(value) : between(from[name], value, eased);
    show();
    if (part < 1) requestAnimationFrame(frame);
  };
  frame(begin);
}
