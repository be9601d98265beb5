// Matrices K, Q and V to be put together entry by entry, and what attention makes of three tokens
// with them. The library does the attention; here it is only shown.
import { made } from './question.js';
import { lowered, weightDigits } from './tip.js';

const NAMES = ['a', 'b', 'c', 'd'];
const TOKENS = [[0, 1, 0, 1], [1, 0, 0, 0], [0, 1, 1, 0]]; // x1 = u_d + u_b, x2 = u_a, x3 = u_c + u_b
const WANTED = [[0, 1, -1, 0], [0, 1, 0, 0], null]; // what tokens are to receive
const SCALE = 9; // the length of each u is 3
const NEAR = 0.02;

const identity = () => NAMES.map((_, i) => NAMES.map((__, j) => Number(i === j)));
const nothing = () => NAMES.map(() => NAMES.map(() => 0));
const solution = () => {
  const K = identity(), Q = nothing(), V = nothing();
  Q[3][0] = Q[2][3] = V[1][1] = 1;
  V[2][2] = -1;
  return { K, Q, V };
};

export class Builder {
  /** onChange(measure): how far the reader is. */
  constructor(engine, onChange) {
    Object.assign(this, { engine, onChange });
    this.matrices = { K: identity(), Q: nothing(), V: identity() };
    this.grids = Object.keys(this.matrices).map((name) => this.grid(name));
    this.outcome = made('table', 'outcome');
    this.outcome.append(Object.assign(made('caption', 'skip'), { textContent: 'Weights and outputs of the three tokens' }));
    const head = this.outcome.createTHead().insertRow();
    for (const [text, scope] of [['', ''], ['looks at 1, 2, 3', 'col'], ['receives', 'col']]) head.append(scope ? Object.assign(made('th', '', text), { scope }) : made('td'));
    this.outcome.append(document.createElement('tbody'));
    this.rows = TOKENS.map((_, i) => this.outcome.tBodies[0].insertRow());
    this.root = made('div', 'builder', made('div', 'matrices', ...this.grids), this.outcome);
    this.show();
  }

  grid(name) {
    const grid = made('div', 'matrix', made('b', '', name), made('span'), ...NAMES.map((of) => made('span', 'axis', lowered(`u_${of}`))));
    grid.setAttribute('role', 'group');
    grid.setAttribute('aria-label', `Matrix ${name}`);
    this.matrices[name].forEach((row, i) => row.forEach((_, j) => {
      if (j === 0) grid.append(made('span', 'axis', lowered(`u_${NAMES[i]}`)));
      const button = made('button', 'entry');
      button.type = 'button';
      button.dataset.entry = `${name}-${i}-${j}`;
      button.addEventListener('click', () => {
        const entries = this.matrices[name];
        entries[i][j] = entries[i][j] === 0 ? 1 : entries[i][j] === 1 ? -1 : 0;
        this.show();
      });
      grid.append(button);
    }));
    return grid;
  }

  solve() {
    this.matrices = solution();
    this.show();
  }

  show() {
    const { K, Q, V } = this.matrices;
    for (const button of this.root.querySelectorAll('.entry')) {
      const [name, i, j] = button.dataset.entry.split('-'), value = this.matrices[name][i][j];
      button.textContent = value === -1 ? '−1' : String(value);
      button.classList.toggle('set', value !== 0);
      button.classList.toggle('minus', value < 0);
      button.setAttribute('aria-label', `${name}: u ${NAMES[j]} to u ${NAMES[i]}: ${value}`);
    }
    this.engine.give([TOKENS, K, Q, V].flat(2));
    this.engine.call('tokens_attend', 3, 4, SCALE);
    const found = this.engine.results(9 + 12).slice(), weights = found.subarray(0, 9), outputs = found.subarray(9);
    this.rows.forEach((row, i) => this.tell(row, i, weights.subarray(3 * i, 3 * i + 3), outputs.subarray(4 * i, 4 * i + 4)));
    this.onChange(this.measure(outputs));
  }

  measure(outputs) {
    const off = WANTED.map((wanted, i) => (wanted ? Math.hypot(...wanted.map((x, d) => x - outputs[4 * i + d])) : 0));
    const entries = WANTED.flatMap((wanted, i) => (wanted ?? []).map((x, d) => Math.abs(x - outputs[4 * i + d]) < NEAR)), right = entries.filter(Boolean).length;
    return { done: right === entries.length && Math.max(...off) < NEAR, part: right / entries.length, told: `token 1 is off by ${off[0].toFixed(2)}, token 2 by ${off[1].toFixed(2)}` };
  }

  tell(row, i, weights, output) {
    const text = [...output].map((x, d) => [Math.round(x * 100) / 100, NAMES[d]]).filter(([x]) => x !== 0)
      .map(([x, name], at) => `${x < 0 ? '− ' : at > 0 ? '+ ' : ''}${Math.abs(x) === 1 ? '' : `${Math.abs(x)} `}u_${name}`).join(' ') || '0';
    const bars = [...weights].map((weight, j) => {
      const cell = made('span', `look ink-${j}`);
      cell.style.setProperty('--weight', weight);
      cell.title = `token ${i + 1} gives token ${j + 1} a weight of ${weightDigits(weight)}`;
      return cell;
    });
    const good = WANTED[i] && Math.hypot(...WANTED[i].map((x, d) => x - output[d])) < NEAR;
    row.replaceChildren(made('th', '', `token ${i + 1}`), made('td', 'looks', ...bars), made('td', good ? 'good' : '', 'c ≈ ', lowered(text), good ? ' ✓' : ''));
    row.firstChild.scope = 'row';
    row.firstChild.className = `ink-${i}`;
  }
}
