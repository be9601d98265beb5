// The playground: the state goes to the library, what comes back is shown. Samples are drawn a few
// milliseconds a frame until there are enough of them.
import { KeyPlane, ValuePlane } from './planes.js';
import { rows, scene, target, radius, watchedHead } from './scene.js';
import { digits, lowered, number, percent, setNumber } from './tip.js';
import { isDark, save } from './download.js';

const ENOUGH = 200000; // samples
const SHOWN = 4000; // of them as points
const BUDGET = 4; // milliseconds of a frame
const ENOUGH_STILL = 20000; // samples where nothing is to move
const BUDGET_STILL = 12;
const BINS = 40;

const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export class Playground {
  constructor(engine, root, { onMove, onEnd }) {
    this.engine = engine;
    this.root = root;
    this.keys = new KeyPlane(root.querySelector('#keys'), { onMove, onEnd });
    this.values = new ValuePlane(root.querySelector('#values'), { onMove, onEnd });
    this.frames = []; // milliseconds of work
    this.told = 0;
    for (const button of root.querySelectorAll('[data-picture]'))
      button.addEventListener('click', () => this.savePicture(button));
    new ResizeObserver(() => this.state && this.show(this.state)).observe(root.querySelector('#values'));
  }

  /** Takes a state: everything that does not need samples is shown with the next frame. */
  show(state) {
    this.state = state;
    this.fresh = true;
    this.wake();
  }

  wake() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      const begin = performance.now();
      try {
        this.work();
      } catch (error) {
        this.giveUp(error);
      }
      this.frames.push(performance.now() - begin);
      if (this.frames.length > 240) this.frames.shift();
    });
  }

  work() {
    if (this.root.hidden || this.root.closest('[hidden]')) return;
    if (this.fresh) this.begin();
    this.sample();
    if (this.drawn < ENOUGH) this.wake();
  }

  /** A scene that the library refuses: said, where numbers would be. */
  giveUp(error) {
    console.error(error);
    this.fresh = false;
    this.drawn = ENOUGH;
    this.part('failure').textContent = 'not known';
    this.part('failure').dataset.formula = `The library refused this: ${error.message}`;
  }

  begin() {
    const { engine, state } = this, { numbers, parameters } = scene(state);
    this.fresh = false;
    this.drawn = this.dots = 0;
    if ((this.frames.at(-1) ?? 0) < 10) this.told = 0; // on slow machines the law is told less often
    engine.give(numbers);
    engine.call('play_set', ...parameters);
    engine.call('play_attend');
    const { n, heads } = state, found = engine.results(heads * n + 2 * heads + 2).slice();
    this.weights = found.subarray(0, heads * n);
    this.c = found.subarray(heads * n + 2 * heads);
    engine.call('play_law');
    const law = engine.results(13).slice();
    this.law = {
      known: law[0] === 1, location: law[1], scale: law[2], mean: law[3], variance: law[4], modes: law[5],
      hasFailure: law[8] === 1, failure: law[9], feeling: law[10], low: law[11], high: law[12],
    };
    this.noisy = state.alpha > 0 || rows(state).some(({ index }) => state.stretch[index] > 0);
    this.keys.draw(state);
    this.values.draw(state, this.c);
    this.values.clear();
    this.showWeights();
    this.showOutput();
  }

  /** As many samples as fit into the budget. Where nothing is to move, fewer are enough, and shown once. */
  sample() {
    const { engine } = this, begin = performance.now();
    let chunk = this.drawn === 0 ? 1000 : this.chunk;
    if (!this.noisy) chunk = this.drawn === 0 ? 1 : 0;
    const quiet = this.noisy && still(), enough = quiet ? ENOUGH_STILL : ENOUGH, budget = quiet ? BUDGET_STILL : BUDGET;
    do {
      if (chunk === 0) break;
      const before = performance.now();
      engine.call('play_run', chunk);
      this.drawn += chunk;
      const took = Math.max(performance.now() - before, 0.05);
      this.chunk = Math.min(20000, Math.max(100, Math.round((chunk * BUDGET) / 2 / took)));
      chunk = this.chunk;
    } while (performance.now() - begin < budget && this.drawn < enough);
    if (quiet && this.drawn < enough) return;
    if (!this.noisy || quiet) this.drawn = Math.max(this.drawn, ENOUGH);
    this.scatter();
    const now = performance.now();
    if (now - this.told < 120 && this.drawn < ENOUGH) return;
    this.told = now;
    this.showSamples();
  }

  scatter() {
    const count = Math.min(still() ? SHOWN : 400, SHOWN - this.dots);
    if (!this.noisy || count <= 0) return;
    this.engine.call('play_draw', this.dots, count);
    this.values.scatter(this.engine.results(4 * count));
    this.dots += count;
  }

  // ---- What is told --------------------------------------------------------------------------

  showWeights() {
    const { state, weights } = this, body = this.root.querySelector('#weights tbody');
    const shown = rows(state), wanted = shown.length * state.heads;
    if (body.childElementCount !== wanted) {
      body.replaceChildren(...Array.from({ length: wanted }, () => {
        const row = document.createElement('tr');
        row.innerHTML = '<th scope="row"></th><td class="bar"><span></span></td><td></td>';
        row.lastElementChild.append(number('', ''));
        return row;
      }));
    }
    shown.forEach((key, i) => {
      for (let h = 0; h < state.heads; h++) {
        const row = body.children[i * state.heads + h], weight = weights[h * state.n + key.index];
        const name = `${key.name === 'other' ? 'each other' : key.name}${state.heads > 1 ? `, head ${h + 1}` : ''}`;
        row.className = `head-${h} ${['first', 'second'][i] ?? 'rest'}`;
        row.firstElementChild.textContent = name;
        row.querySelector('.bar span').style.width = `${100 * weight}%`;
        setNumber(row.querySelector('.number'), digits(weight), this.weightFormula(key, h, weight));
      }
    });
  }

  score(key, h) {
    const { state } = this, q = state.queries[h];
    if (state.space === 'ortho') return { value: state.beta * q[Math.min(key.index, 2)], text: `${digits(state.beta)} · ${digits(q[Math.min(key.index, 2)])}` };
    const k = state.keys[key.index];
    return { value: state.beta * (q[0] * k[0] + q[1] * k[1]),
      text: `${digits(state.beta)} · (${digits(q[0])} · ${digits(k[0])} + ${digits(q[1])} · ${digits(k[1])})` };
  }

  weightFormula(key, h, weight) {
    const parts = rows(this.state).map((other) => {
      const power = `e^${digits(this.score(other, h).value, 3)}`;
      return other.many > 1 ? `${other.many} ${power}` : power;
    });
    const score = this.score(key, h);
    return `weight = e^(k·q) / Σ e^(k·q), k·q = β (q·k) = ${score.text} = ${digits(score.value)}\n`
      + `= e^${digits(score.value, 3)} / (${parts.join(' + ')}) = ${digits(weight, 6)}`;
  }

  showOutput() {
    const { state, c } = this, [x, y] = target(state), off = Math.hypot(c[0] - x, c[1] - y);
    const heads = state.heads > 1 ? `(c₁ + … + c_${state.heads}) / ${state.heads}, ` : '';
    setNumber(this.part('c'), `(${digits(c[0], 3)}, ${digits(c[1], 3)})`,
      `c = ${heads}Σ weight · value, without noise = (${digits(c[0], 6)}, ${digits(c[1], 6)})`);
    setNumber(this.part('off'), digits(off, 3),
      `|c − target| = |(${digits(c[0])}, ${digits(c[1])}) − (${digits(x)}, ${digits(y)})|, target ${
        state.target === 'copy' ? 'v_a' : '(v_a + v_b)/2'}`);
    for (const reach of this.root.querySelectorAll('[data-reach]'))
      reach.replaceChildren(lowered(`${digits(state.tolerance)} |v_a − v_b|`));
    this.showExactFailure();
  }

  part(name) {
    return this.root.querySelector(`[data-part="${name}"]`);
  }

  showExactFailure() {
    const { law, state } = this, reach = `${digits(radius(state), 3)} = ${digits(state.tolerance)} |v_a − v_b|`;
    const what = `P(|c − target| > ${reach})`;
    const row = this.part('exact').closest('.fact');
    row.hidden = !law.hasFailure;
    if (!law.hasFailure) return;
    const why = !this.noisy ? 'nothing is random: c is one point'
      : law.feeling >= state.heads ? 'no head feels the noise: its query is at right angles to the noisy key'
        : `1 − P(${digits(law.low)} ≤ a ≤ ${digits(law.high)}), a = σ(m + s Z), Z standard normal, in head ${law.feeling + 1}`;
    setNumber(this.part('exact'), percent(law.failure, 4), `${what} = ${why}`);
  }

  showSamples() {
    const { engine, state, law } = this;
    engine.call('play_summary');
    const [drawn, , , , , mean, variance, failures, low, high] = engine.results(10 + BINS + 2);
    const all = Math.max(drawn, 1);
    setNumber(this.part('failure'), this.noisy ? percent(failures / all) : percent(failures > 0 ? 1 : 0),
      this.noisy ? `${failures} of ${drawn} samples have |c − target| > ${digits(radius(state), 3)}; the probability lies in [${
        digits(low)}, ${digits(high)}] (a confidence sequence that fails once in a million)` : 'nothing is random: one sample is all');
    setNumber(this.part('mean'), digits(mean), law.known
      ? `E a = E σ(m + s Z) = ${digits(law.mean, 6)} exactly, m = ${digits(law.location)}, s = ${digits(law.scale)}; ${digits(mean, 6)} in ${drawn} samples`
      : `mean of ${drawn} samples`);
    setNumber(this.part('variance'), this.noisy ? digits(variance, 3) : '0', law.known
      ? `Var a = Var σ(m + s Z) = ${digits(law.variance, 6)} exactly, m = β q·k_a − ln Σ e^(β q·k_i) over the others = ${
        digits(law.location)}, s = β |q·k_a| √noise = ${digits(law.scale)}` : `variance of ${drawn} samples`);
    this.part('drawn').textContent = this.noisy ? drawn.toLocaleString('en') : 'none needed';
    const figure = this.root.querySelector('#law');
    engine.call('play_law_picture', isDark(), Math.max(240, figure.clientWidth), 150);
    figure.innerHTML = engine.answer();
    describe(figure, `density of the weight of k_a in head ${watchedHead(state) + 1}: mean ${digits(mean, 3)}, ${
      law.known && law.modes === 2 ? 'two peaks' : 'variance ' + digits(variance, 3)}`);
  }

  savePicture(button) {
    const kinds = { keys: 0, values: 1, weights: 2, law: 3 };
    this.engine.call('play_picture', kinds[button.dataset.picture], isDark(), 2000);
    save(`qkv-${button.dataset.picture}.svg`, this.engine.answer());
  }
}

/** A picture's name for those who do not see it. */
export function describe(figure, text) {
  const svg = figure.querySelector('svg');
  svg.setAttribute('role', 'img');
  svg.setAttribute('aria-label', text);
  svg.removeAttribute('width');
  svg.removeAttribute('height');
}
