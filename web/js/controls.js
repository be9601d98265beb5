// Sliders and choices for everything in the state that is not a point.
import { COUNTS, MOST_PLANE, MOST_REST } from './state.js';
import { rows } from './scene.js';
import { digits, lowered } from './tip.js';

/** Sliders run over a list of values, or evenly between two. */
const evenly = (low, high, by) => Array.from({ length: Math.round((high - low) / by) + 1 }, (_, i) => Number((low + i * by).toFixed(6)));
const BETAS = [...evenly(0, 10, 0.1), ...evenly(10.5, 20, 0.5), ...evenly(21, 50, 1)];
const ALPHAS = [0, ...[-6, -5, -4, -3].flatMap((e) => [1, 2, 5].map((d) => Number((d * 10 ** e).toPrecision(1)))), ...evenly(0.01, 0.2, 0.01)];
const STRETCHES = evenly(0, 2, 0.05);
const TOLERANCES = [0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5];
const RESTS = evenly(-MOST_REST, MOST_REST, 0.05);

const nearest = (list, value) => list.reduce((best, x, i) => (Math.abs(x - value) < Math.abs(list[best] - value) ? i : best), 0);

export class Controls {
  constructor(form, onChange, onBegin) {
    Object.assign(this, { form, onChange });
    form.addEventListener('pointerdown', onBegin);
    form.addEventListener('keydown', onBegin);
    form.addEventListener('submit', (event) => event.preventDefault());
  }

  /** Made anew when there are other sliders to show; otherwise only moved. */
  show(state) {
    this.state = state;
    const shape = `${state.space} ${state.heads} ${state.space === 'plane' ? state.n : Math.min(state.n, 4)}`;
    if (shape !== this.shape) this.build(shape);
    for (const update of this.updates) update(this.state);
  }

  build(shape) {
    const { state } = this, focus = document.activeElement?.id;
    this.shape = shape;
    this.updates = [];
    const counts = state.space === 'plane' ? COUNTS.filter((n) => n <= MOST_PLANE) : COUNTS;
    const main = this.group('Attention',
      this.choice('space', 'Keys', [['ortho', 'orthonormal'], ['plane', 'in the plane']]),
      this.slider('n', 'keys n', counts, (s) => s.n, (s, x) => { s.n = x; }),
      this.choice('heads', 'Heads', [[1, '1 head'], [2, '2 heads'], [3, '3 heads']]),
      this.slider('beta', 'β, length of q', BETAS, (s) => s.beta, (s, x) => { s.beta = x; }));
    if (state.space === 'ortho' && state.n > 2)
      for (let h = 0; h < state.heads; h++)
        main.append(this.slider(`rest-${h}`, state.heads > 1 ? `q${h + 1} along other keys` : 'q along other keys', RESTS,
          (s) => s.queries[h][2], (s, x) => { s.queries[h][2] = x; }));
    const noise = this.group('Noise of keys',
      this.slider('alpha', 'in all directions α', ALPHAS, (s) => s.alpha, (s, x) => { s.alpha = x; }),
      ...rows(state).map(({ index, name, many }) => this.slider(`stretch-${index}`,
        many > 1 ? 'every other' : `length of k_${name}`, STRETCHES, (s) => s.stretch[index], (s, x) => { s.stretch[index] = x; })));
    const goal = this.group('Goal',
      this.choice('target', 'Target', [['none', 'none'], ['average', 'average of v_a, v_b'], ['copy', 'copy v_a'], ['others', 'the others']]),
      this.slider('tolerance', 'tolerance', TOLERANCES, (s) => s.tolerance, (s, x) => { s.tolerance = x; }));
    this.form.replaceChildren(main, noise, goal);
    if (focus) document.getElementById(focus)?.focus();
  }

  group(title, ...parts) {
    const group = document.createElement('fieldset'), legend = document.createElement('legend');
    legend.textContent = title;
    group.append(legend, ...parts);
    return group;
  }

  slider(id, name, values, get, set) {
    const row = document.createElement('div');
    row.className = 'slider';
    row.innerHTML = `<label for="${id}"></label><input type="range" id="${id}" min="0" max="${values.length - 1}" step="1"><output for="${id}"></output>`;
    const input = row.querySelector('input'), output = row.querySelector('output');
    row.querySelector('label').append(lowered(name));
    input.addEventListener('input', () => {
      set(this.state, values[input.value]);
      this.onChange(this.state);
    });
    this.updates.push((state) => {
      input.value = nearest(values, get(state));
      input.setAttribute('aria-valuetext', `${name} ${digits(get(state))}`);
      output.textContent = digits(get(state));
    });
    return row;
  }

  choice(id, name, options) {
    const group = document.createElement('div');
    group.className = 'choices';
    group.setAttribute('role', 'radiogroup');
    group.setAttribute('aria-label', name);
    for (const [value, text] of options) {
      const label = document.createElement('label');
      label.innerHTML = `<input type="radio" name="${id}" id="${id}-${value}" value="${value}"><span></span>`;
      label.lastElementChild.append(lowered(text));
      label.firstElementChild.addEventListener('change', () => {
        this.state[id] = value;
        if (id === 'space' && value === 'plane') this.state.n = Math.min(this.state.n, MOST_PLANE);
        this.onChange(this.state);
      });
      group.append(label);
    }
    this.updates.push((state) => {
      for (const input of group.querySelectorAll('input')) input.checked = input.value === String(state[id]);
    });
    return group;
  }
}
