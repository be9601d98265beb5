// The steps from scores to weights as a table, key by key from left to right: k·q, e^(k·q), and that
// divided by the sum. A row that is pointed at lights up its key and its value.
import { atRest } from './pointer.js';
import { inkOf, letter, rows } from './scene.js';
import { digits, lowered, number, setNumber, summand, weightDigits } from './tip.js';

const STEPS = ['score', 'exponential', 'weight'];

export class Pipeline {
  constructor(root, stage) {
    this.body = root.querySelector('tbody');
    this.sum = root.querySelector('[data-part=sum]');
    this.stage = stage;
    for (const [event, lit] of [['pointerover', true], ['focusin', true], ['pointerout', false], ['focusout', false]])
      root.addEventListener(event, (at) => (lit && atRest(at)) || this.light(lit ? at.target.closest?.('tr[data-ink]')?.dataset.ink : undefined));
  }

  light(ink) {
    if (ink) this.stage.dataset.lit = ink;
    else delete this.stage.dataset.lit;
  }

  /** scores, exponentials, weights of one head, key by key; sum of the exponentials. */
  show(state, found) {
    const shown = rows(state);
    this.body.parentElement.classList.toggle('few', shown.length < 5);
    if (this.body.childElementCount !== shown.length) this.build(shown.length);
    const most = { score: Math.max(3, ...found.scores.map(Math.abs)), weight: 1,
      exponential: Math.max(...shown.map(({ index, many }) => many * found.exponentials[index])) };
    shown.forEach((key, i) => {
      const row = this.body.children[i], ink = inkOf(state, key.index);
      if (row.dataset.ink !== ink) row.dataset.ink = row.className = ink;
      this.name(row.firstElementChild, key);
      const value = { score: found.scores[key.index], exponential: found.exponentials[key.index], weight: found.weights[key.index] };
      STEPS.forEach((step, at) => this.cell(row.children[at + 1], step, value[step], most[step], key.many, this.formula(step, state, key, value, found)));
    });
    if (![...this.body.children].some(({ dataset }) => dataset.ink === this.stage.dataset.lit)) this.light(undefined);
    setNumber(this.sum, summand(found.sum), `Σ e^{k·q} over all ${state.n} keys = ${digits(found.sum, 6)}`);
  }

  build(count) {
    this.body.replaceChildren(...Array.from({ length: count }, () => {
      const row = document.createElement('tr');
      row.innerHTML = '<th scope="row"></th>' + STEPS.map((step) => `<td class="${step}"><span class="bar"><span></span></span></td>`).join('');
      for (const cell of row.querySelectorAll('td')) cell.append(number('', ''));
      return row;
    }));
  }

  name(cell, { name, many, index }) {
    const text = many > 1 ? `k_3…k_${index + many}` : `k_${name}`;
    if (cell.dataset.name === text) return;
    cell.dataset.name = text;
    cell.replaceChildren(...(many > 1 ? [lowered('k_3'), ` ×${many}`] : [lowered(text)]));
  }

  /** Scores go both ways from the middle of their cell; the others from its left, those of several keys together. */
  cell(cell, step, value, most, many, formula) {
    const times = step === 'score' ? 1 : many, share = Math.min((times * Math.abs(value)) / most, 1) || 0, bar = cell.querySelector('.bar span');
    bar.style.width = `${(step === 'score' ? 50 : 100) * share}%`;
    if (step === 'score') bar.style.left = value < 0 ? `${50 - 50 * share}%` : '50%';
    const told = step === 'weight' ? weightDigits(value) : step === 'exponential' ? summand(value) : digits(Math.abs(value) < 1 ? Number(value.toFixed(2)) : value, 3);
    setNumber(cell.lastElementChild, times > 1 ? `${times} × ${Math.abs(value) < 1e-3 ? digits(value, 2) : told}` : told, formula);
  }

  formula(step, state, key, value, { sum, lengths }) {
    const score = digits(value.score), name = key.many > 1 ? 'k_3' : `k_${letter(key.index)}`;
    if (step === 'score') return `${name}·q = ${this.product(name, lengths, key, value.score)}${score}`;
    if (step === 'exponential') return `e^{${name}·q} = e^{${score}} = ${digits(value.exponential, 6)}`;
    const alone = key.many > 1 ? `, for each of ${key.many} keys: ${digits(key.many * value.weight, 6)} together` : '';
    return `weight = e^{${name}·q} / Σ e^{k·q} = e^{${score}} / ${digits(sum)} = ${weightDigits(value.weight, 6)}${alone}`;
  }

  /** A score by lengths and the angle between them, where there is one. */
  product(name, { keys, query }, key, score) {
    const size = keys[key.index] * query;
    if (!(size > 1e-9)) return '';
    return `|${name}| |q| cos θ = ${digits(keys[key.index], 3)} × ${digits(query, 3)} × ${digits(Math.max(-1, Math.min(1, score / size)), 3)} = `;
  }
}
