// Undo, and what goes into the browser's own history. States before changes are kept; a drag is one
// change.

const MOST = 100;

export class Undo {
  constructor() {
    this.past = [];
  }

  /** Remembers a state before it is changed. */
  keep(state) {
    const text = JSON.stringify(state);
    if (this.past.at(-1) !== text) this.past.push(text);
    if (this.past.length > MOST) this.past.shift();
  }

  /** The state before the last change that made a difference; undefined if there is none. */
  back(now) {
    const text = JSON.stringify(now);
    while (this.past.length > 0) {
      const before = this.past.pop();
      if (before !== text) return JSON.parse(before);
    }
    return undefined;
  }
}
