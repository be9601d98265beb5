// The playground: the state goes to the library, what comes back is shown. Samples come one at a
// time, slowly, or a few milliseconds a frame until there are enough of them.
import { KeyPlane } from './key_plane.js';
import { ValuePlane } from './value_plane.js';
import { Pipeline } from './pipeline.js';
import { TARGETS, entries, radius, rows, scene, target, trueQuery, watchedHead } from './scene.js';
import { toLength, RIM } from './ruler.js';
import { digits, lowered, number, percent, setNumber, weightDigits } from './tip.js';
import { isDark } from './download.js';

const ENOUGH = 200000; // samples
const SHOWN = 20000; // of them as discs
const BUDGET = 4; // milliseconds of a frame
const ENOUGH_STILL = 20000; // samples where nothing is to move
const BUDGET_STILL = 12;
const SLOW = 420; // milliseconds from one sample to the next
const BINS = 40;
const TICKS = 200; // single draws under the density
const LAW_HEIGHT = 78; // pixels of the density's panel
const PATH = 40; // points of the way to the limit
const LIMIT = 1e7; // a beta that rounds every weight to its limit

const MEANS = { 2: '½(c_1 + c_2)', 3: '⅓(c_1 + c_2 + c_3)' };

const still = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export class Playground {
  constructor(engine, root, events) {
    this.engine = engine;
    this.root = root;
    this.keys = new KeyPlane(root.querySelector('#keys'), events);
    this.values = new ValuePlane(root.querySelector('#values'), events);
    this.pipeline = new Pipeline(root.querySelector('#weights'), root);
    this.listeners = [];
    this.frames = []; // milliseconds of work
    this.told = 0;
    this.pace = 'run'; // or 'slow', 'hold'
    new ResizeObserver(() => this.state && this.show(this.state)).observe(root.querySelector('#values'));
  }

  /** Takes a state: everything that does not need samples is shown with the next frame. */
  show(state) {
    this.state = state;
    this.fresh = true;
    this.wake();
  }

  /** Called after each frame with what is known: tour and challenges follow it. */
  listen(listener) {
    this.listeners.push(listener);
  }

  wake() {
    this.frame ??= requestAnimationFrame((now) => {
      this.frame = undefined;
      const begin = performance.now();
      try {
        this.work(now);
      } catch (error) {
        this.giveUp(error);
      }
      this.frames.push(performance.now() - begin);
      if (this.frames.length > 240) this.frames.shift();
    });
  }

  work(now) {
    if (this.root.hidden || this.root.closest('[hidden]')) return;
    if (this.fresh) this.begin();
    if (this.pace === 'run') this.sample();
    else if (this.pace === 'slow' && this.noisy && now - (this.lastDraw ?? 0) >= SLOW) {
      this.lastDraw = now;
      this.drawOne();
    }
    for (const listener of this.listeners) listener(this);
    if (this.noisy && (this.pace === 'slow' || (this.pace === 'run' && (this.drawn < ENOUGH || this.dots < SHOWN)))) this.wake();
  }

  /** A scene that the library refuses: said, where numbers would be. */
  giveUp(error) {
    console.error(error);
    this.fresh = false;
    this.drawn = ENOUGH;
    this.part('c').textContent = 'not known';
    this.part('c').dataset.formula = `The library refused this: ${error.message}`;
  }

  // ---- Without samples -----------------------------------------------------------------------

  begin() {
    const { engine, state } = this, { numbers, parameters } = scene(state);
    this.fresh = false;
    if ((this.frames.at(-1) ?? 0) < 10) this.told = 0; // on slow machines the law is told less often
    engine.give(numbers);
    engine.call('play_set', ...parameters);
    this.attend();
    this.readLaw();
    this.noisy = state.alpha > 0 || rows(state).some(({ index }) => state.stretch[index] > 0);
    this.head = Math.min(this.head ?? watchedHead(state), state.heads - 1);
    this.path = this.findPath();
    this.keys.paintMap(state, isDark(), (queries) => this.map(queries).weights);
    this.forget();
    this.showOutput();
  }

  attend() {
    const { engine, state: { n, heads } } = this;
    engine.call('play_attend');
    const found = engine.results(heads * n + 2 * heads + 2).slice();
    this.weights = found.subarray(0, heads * n);
    this.c = found.subarray(heads * n + 2 * heads);
    engine.call('stage_scores');
    this.mean = this.readSteps(engine.results(3 * heads * n + heads).slice());
  }

  /** Scores, e^score and weights, heads by keys, and sums. */
  readSteps(found) {
    const count = this.state.heads * this.state.n, part = (i) => found.subarray(i * count, (i + 1) * count);
    return { scores: part(0), exponentials: part(1), weights: part(2), sums: found.subarray(3 * count, 3 * count + this.state.heads) };
  }

  readLaw() {
    this.engine.call('play_law');
    const law = this.engine.results(13).slice();
    this.law = {
      known: law[0] === 1, location: law[1], scale: law[2], mean: law[3], variance: law[4], modes: law[5],
      hasFailure: law[8] === 1, failure: law[9], feeling: law[10], low: law[11], high: law[12],
    };
  }

  /** Weights and outputs of any queries. */
  map(queries) {
    const { n, space } = this.state, count = queries.length / (space === 'ortho' ? n : 2);
    this.engine.give(queries);
    this.engine.call('stage_map', count);
    const found = this.engine.results(count * (n + 2)).slice();
    return { weights: found.subarray(0, count * n), outputs: found.subarray(count * n) };
  }

  /** Where c goes as beta grows from 0 to infinity. */
  findPath() {
    const { state } = this, betas = Array.from({ length: PATH }, (_, i) => toLength((RIM * i) / PATH)).concat(LIMIT);
    const path = betas.map(() => [0, 0]);
    for (let h = 0; h < state.heads; h++) {
      const { outputs } = this.map(betas.flatMap((beta) => entries(state, h, beta)));
      path.forEach((point, i) => point.forEach((_, d) => { point[d] += outputs[2 * i + d] / state.heads; }));
    }
    return path;
  }

  // ---- Samples ---------------------------------------------------------------------------------

  /** Of samples nothing is left. */
  forget() {
    this.drawn = this.dots = this.singles = this.missed = this.weightSum = this.weightSquares = 0;
    this.single = undefined;
    this.drawnWeights = [];
    this.values.forget();
    this.showSteps();
    this.root.classList.toggle('noisy', this.noisy);
    this.root.classList.toggle('run', this.noisy && this.pace === 'run');
    if (this.noisy) this.showCount();
    if (this.noisy && this.pace !== 'run') this.showLaw();
  }

  setPace(pace) {
    this.pace = pace;
    this.lastDraw = 0;
    this.root.classList.toggle('run', this.noisy && pace === 'run');
    if (pace === 'run' && this.single && !this.fresh) {
      this.single = undefined;
      this.showSteps();
      this.showOutput();
    }
    this.wake();
  }

  clear() {
    this.show(this.state);
  }

  /** The head whose scores and weights the table has. */
  setHead(head) {
    this.head = head;
    this.showSteps();
    this.showOutput();
  }

  /** One more sample, with the keys that it drew. */
  drawOne() {
    if (this.drawn > 0 && !this.fresh) this.begin(); // those of a run are not counted with it
    const { engine, state: { n, heads } } = this, count = heads * n;
    engine.call('stage_draw', this.singles);
    const found = engine.results(3 * count + heads + 2 + 24).slice(), rest = found.subarray(3 * count + heads);
    this.single = { ...this.readSteps(found), c: [rest[0], rest[1]],
      keys: Array.from({ length: 8 }, (_, i) => [...rest.subarray(2 + 3 * i, 5 + 3 * i)]) };
    this.singles++;
    const [x, y] = target(this.state);
    this.missed += Math.hypot(rest[0] - x, rest[1] - y) > radius(this.state) ? 1 : 0;
    const weight = this.single.weights[watchedHead(this.state) * n];
    this.weightSum += weight;
    this.weightSquares += weight * weight;
    this.drawnWeights = [weight, ...this.drawnWeights].slice(0, TICKS);
    this.values.count(this.single.c, 2);
    this.values.paintSamples();
    this.showSteps();
    this.showOutput();
    this.showCount();
    this.showLaw();
  }

  /** As many samples as fit into the budget. Where nothing is to move, fewer are enough, and shown once. */
  sample() {
    const { engine } = this, begin = performance.now();
    if (!this.noisy) return;
    if (this.drawn >= ENOUGH) {
      this.countCloud(2000);
      return;
    }
    const quiet = still(), enough = quiet ? ENOUGH_STILL : ENOUGH, budget = quiet ? BUDGET_STILL : BUDGET;
    let chunk = this.drawn === 0 ? 1000 : this.chunk;
    do {
      const before = performance.now();
      engine.call('play_run', chunk);
      this.drawn += chunk;
      const took = Math.max(performance.now() - before, 0.05);
      this.chunk = Math.min(20000, Math.max(100, Math.round((chunk * BUDGET) / 2 / took)));
      chunk = this.chunk;
    } while (performance.now() - begin < budget && this.drawn < enough);
    if (quiet && this.drawn < enough) return;
    if (quiet) this.drawn = Math.max(this.drawn, ENOUGH);
    this.countCloud(quiet ? SHOWN : 1000);
    const now = performance.now();
    if (now - this.told < 120 && this.drawn < ENOUGH) return;
    this.told = now;
    this.showSamples();
  }

  countCloud(most) {
    const count = Math.min(most, SHOWN - this.dots);
    if (count <= 0) return;
    this.engine.call('play_draw', this.dots, count);
    this.values.count(this.engine.results(4 * count), 4);
    this.values.paintSamples();
    this.dots += count;
  }

  // ---- What is told --------------------------------------------------------------------------

  /** Of the sample if there is one, otherwise without noise. */
  showSteps() {
    const { state, head, single } = this, { n, heads } = state, steps = single ?? this.mean;
    const of = (list, h = head) => [...list.subarray(h * n, (h + 1) * n)];
    const drawnKeys = single && this.drawnKeys(single);
    const shown = { scores: of(steps.scores), exponentials: of(steps.exponentials), weights: of(steps.weights), sum: steps.sums[head], lengths: this.lengths(head, drawnKeys) };
    const mixed = shown.weights.map((_, i) => Array.from({ length: heads }, (__, h) => steps.weights[h * n + i] / heads).reduce((a, b) => a + b));
    this.keys.draw(state, { scores: shown.scores, weights: shown.weights, head, drawn: drawnKeys });
    this.outputs = Array.from({ length: heads }, (_, h) => this.outputOf(of(steps.weights, h)));
    this.values.draw(state, { weights: mixed, c: this.c, path: this.path, drawn: single?.c, outputs: heads > 1 ? this.outputs : [], sides: Boolean(this.sides) && heads === 2 });
    this.pipeline.show(state, shown);
    this.tellLength(shown.lengths.query);
    this.tellNoise();
  }

  /** The output of one head: values by its weights. */
  outputOf(weights) {
    return [0, 1].map((d) => rows(this.state).reduce((sum, { index, many }) => sum + many * weights[index] * this.state.values[index][d], 0));
  }

  /** Lengths of the keys, as they are or as they were drawn, and of the query; the other keys each have the query's last part. */
  lengths(head, drawn) {
    const { state } = this, query = trueQuery(state, head), others = state.space === 'ortho' ? state.n - 2 : 1;
    return { keys: rows(state).map(({ index }, i) => (drawn ? Math.hypot(...drawn[i]) : state.space === 'ortho' ? 1 : Math.hypot(...state.keys[index]))),
      query: Math.sqrt(query.reduce((sum, x, axis) => sum + x * x * (axis === 2 ? others : 1), 0)) };
  }

  /** Beside the heading of the keys: how long q is. Along the axis that stands for several keys it is longer than in each. */
  tellLength(query) {
    const { space, n } = this.state, folded = space === 'ortho' && n > 3, [a, b, each = 0] = trueQuery(this.state, this.head);
    const alone = folded && Math.hypot(a, b) < 1e-6 * Math.abs(each);
    setNumber(this.part('length'), `|q| = ${digits(query, 3)}${alone ? ` = √${n - 2} · ${digits(Math.abs(each), 3)}` : ''}`,
      `|q| = ${digits(query, 6)}. The ruler along q is logarithmic beyond 1, so that even ∞ has a place.${
        folded ? ` One axis stands for ${n - 2} keys: q has ${digits(each, 3)} along each of them, √${n - 2} times as much in length.` : ''}`);
  }

  /** What is random. */
  tellNoise() {
    const { stretch, alpha } = this.state, parts = rows(this.state).filter(({ index }) => stretch[index] > 0)
      .map(({ index, name }) => `k_${name === 'other' ? 3 : name} is ε times as long: ε normal, mean 1, variance ${digits(stretch[index])}`);
    if (alpha > 0) parts.push(`keys vary in all directions: normal, variance ${digits(alpha)}`);
    const told = this.root.querySelector('#noise-told'), text = parts.join('; ');
    if (told.dataset.text === text) return;
    told.dataset.text = text;
    told.replaceChildren(lowered(text));
  }

  drawnKeys({ keys }) {
    return rows(this.state).map(({ index }) => keys[index].slice(0, this.state.space === 'ortho' ? 3 : 2));
  }

  showOutput() {
    const { state } = this, c = this.single?.c ?? this.c, [x, y] = target(state), off = Math.hypot(c[0] - x, c[1] - y);
    const pair = (p, count = 3) => `(${digits(p[0], count)}, ${digits(p[1], count)})`, when = this.single ? ' in this draw' : ', without noise';
    const outputs = this.outputs ?? [], sides = Boolean(this.sides) && outputs.length === 2, several = outputs.length > 1 && !sides;
    for (const [name, is] of [['typical', this.noisy && !this.single], ['several', several], ['sides', sides]]) this.root.classList.toggle(name, is);
    if (sides) ['left', 'right'].forEach((side, h) => setNumber(this.part(side), pair(outputs[h]), `the ${side} side${when} = ${pair(outputs[h], 6)}`));
    this.showHeadOutputs(several ? outputs : [], pair, when);
    setNumber(this.part('c'), pair(c), `c = ${several ? `${MEANS[outputs.length]}` : 'Σ weight · value'}${when} = ${pair(c, 6)}`);
    setNumber(this.part('off'), digits(off, 3),
      `|c − target| = |(${digits(c[0])}, ${digits(c[1])}) − (${digits(x)}, ${digits(y)})|, target ${TARGETS[state.target]}`);
    this.root.classList.toggle('aims', state.target !== 'none');
    this.root.querySelector('#printed').replaceChildren(lowered(this.settings()));
    for (const reach of this.root.querySelectorAll('[data-reach]'))
      reach.replaceChildren(lowered(`${digits(state.tolerance)} |v_a − v_b|`));
    this.showExact();
  }

  /** With several heads: c_1, c_2, ..., of which c is the mean. */
  showHeadOutputs(outputs, pair, when) {
    const list = this.root.querySelector('#heads-told');
    if (list.childElementCount !== outputs.length) {
      list.replaceChildren(...outputs.map((_, h) => {
        const part = document.createElement('span');
        part.append(lowered(`c_${h + 1} = `), number('', ''), ', ');
        return part;
      }));
      this.root.querySelector('#mean-told').replaceChildren(lowered(MEANS[outputs.length] ?? ''));
    }
    outputs.forEach((output, h) => setNumber(list.children[h].querySelector('.number'), pair(output), `c_${h + 1} = Σ weight · value in head ${h + 1}${when} = ${pair(output, 6)}`));
  }

  /** What the sliders say, for paper. */
  settings() {
    const { n, heads, beta, alpha, stretch, target: aim, space, tolerance } = this.state;
    const noisy = rows(this.state).filter(({ index }) => stretch[index] > 0).map(({ index, name }) => `variance of the length of k_${name === 'other' ? 3 : name} ${digits(stretch[index])}`);
    return [`${n} ${space === 'ortho' ? 'orthonormal keys' : 'keys in the plane'}`, `${heads} head${heads > 1 ? 's' : ''}`, `β = ${digits(beta)}`, ...noisy,
      ...(alpha > 0 ? [`noise in all directions α = ${digits(alpha)}`] : []), ...(aim === 'none' ? [] : [`target ${TARGETS[aim]}, tolerance ${digits(tolerance)}`])].join(', ');
  }

  part(name) {
    return this.root.querySelector(`[data-part="${name}"]`);
  }

  /** The column of exact numbers; where there is no closed form, none. */
  showExact() {
    const { law, state } = this, reach = `${digits(radius(state), 3)} = ${digits(state.tolerance)} |v_a − v_b|`;
    const why = !this.noisy ? 'nothing is random: c is one point'
      : law.feeling >= state.heads ? 'no head feels the noise: its query is at right angles to the noisy key'
        : `1 − P(${digits(law.low)} ≤ w ≤ ${digits(law.high)}), where the weight w = 1/(1 + e^{−(m + sZ)}) and Z is standard normal, in head ${law.feeling + 1}`;
    const none = 'no closed form here: several keys are random, or several heads feel the noise';
    const form = `w = 1/(1 + e^{−(m + sZ)}) with Z standard normal, m = k_a·q − ln Σ e^{k·q} over the other keys = ${digits(law.location)}, s = |k_a·q| √variance = ${digits(law.scale)}`;
    setNumber(this.part('exact'), law.hasFailure ? percent(law.failure, 4) : '–', law.hasFailure ? `P(|c − target| > ${reach}) = ${why}` : none);
    setNumber(this.part('exact-mean'), law.known ? weightDigits(law.mean, 4) : '–', law.known ? `E w = ${weightDigits(law.mean, 6)}, ${form}` : none);
    setNumber(this.part('exact-variance'), law.known ? digits(law.variance, 3) : '–', law.known ? `Var w = ${digits(law.variance, 6)}, ${form}` : none);
  }

  /** The column of draws: how many missed, mean and variance of the weight that is watched. */
  tellDraws({ drawn, missed, mean, variance, range = '' }) {
    const { state } = this, none = 'nothing is drawn yet';
    this.part('drawn').textContent = drawn.toLocaleString('en');
    this.root.querySelector('[data-plural]').hidden = drawn === 1;
    setNumber(this.part('failure'), drawn === 0 ? '–' : percent(missed / drawn), drawn === 0 ? none
      : `${missed} of ${drawn} draws have |c − target| > ${digits(radius(state), 3)}${range}`);
    setNumber(this.part('mean'), drawn === 0 ? '–' : weightDigits(mean, 4), drawn === 0 ? none : `mean of ${drawn} draws`);
    setNumber(this.part('variance'), drawn < 2 ? '–' : digits(variance, 3), drawn < 2 ? 'takes two draws' : `variance of ${drawn} draws`);
  }

  /** Samples that were drawn one at a time. */
  showCount() {
    const { singles, missed, weightSum, weightSquares } = this, mean = weightSum / singles;
    if (this.pace === 'run' && singles === 0) return;
    this.tellDraws({ drawn: singles, missed, mean, variance: Math.max(0, (weightSquares - singles * mean * mean) / (singles - 1)) });
  }

  showSamples() {
    const { engine, law } = this;
    engine.call('play_summary');
    const [drawn, , , , , mean, variance, missed, low, high] = engine.results(10 + BINS + 2);
    this.tellDraws({ drawn, missed, mean, variance, range: `; the probability lies in [${digits(low)}, ${digits(high)}] (a confidence sequence that fails once in a million)` });
    this.showLaw(`mean ${digits(mean, 3)}, ${law.known && law.modes === 2 ? 'two peaks' : `variance ${digits(variance, 3)}`}`);
  }

  showLaw(told = 'its exact density') {
    const figure = this.root.querySelector('#law');
    if (figure.clientWidth === 0) return;
    this.engine.give(this.drawnWeights);
    this.engine.call('play_law_picture', isDark(), Math.max(240, figure.clientWidth), LAW_HEIGHT, this.drawnWeights.length);
    figure.innerHTML = this.engine.answer();
    describe(figure, `distribution of the weight of k_a in head ${watchedHead(this.state) + 1}: ${told}`);
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
