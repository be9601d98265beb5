// Undo and redo. States before changes are kept, and those that were taken back; a drag is one change.

const MOST = 100;

export class Undo {
  constructor() {
    this.past = [];
    this.future = [];
  }

  /** Remembers a state before it is changed. */
  keep(state) {
    const text = JSON.stringify(state);
    if (this.past.at(-1) !== text) this.past.push(text);
    if (this.past.length > MOST) this.past.shift();
    this.future = [];
  }

  /** Whether there is anything to take back. */
  has(now) {
    const text = JSON.stringify(now);
    return this.past.some((before) => before !== text);
  }

  /** The state before the last change that made a difference; undefined if there is none. */
  back(now) {
    const text = JSON.stringify(now);
    while (this.past.length > 0) {
      const before = this.past.pop();
      if (before !== text) {
        this.future.push(text);
        return JSON.parse(before);
      }
    }
    return undefined;
  }

  /** The state that was taken back last; undefined if something was changed since. */
  forth(now) {
    if (this.future.length === 0) return undefined;
    this.past.push(JSON.stringify(now));
    return JSON.parse(this.future.pop());
  }
}
