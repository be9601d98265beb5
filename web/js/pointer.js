// Where the pointer was last moved or pressed. What is laid out anew under a pointer at rest is told of it as if it
// were pointed at, and nobody points at it.
let last;

for (const name of ['pointermove', 'pointerdown', 'pointerup'])
  document.addEventListener(name, ({ clientX, clientY }) => { last = [clientX, clientY]; }, { capture: true, passive: true });

/** Whether an event comes from a pointer that has not moved. */
export const atRest = ({ clientX, clientY }) => last !== undefined && clientX === last[0] && clientY === last[1];
