// Words: the heads of a real model at work on a sentence. One chooses a sentence, a head and a word,
// and sees where the word looks; a slider makes the length of a key uncertain.
import { atRest } from './pointer.js';
import { unpack } from './engine.js';
import { Heads, KINDS, Reading } from './heads.js';
import { made } from './question.js';
import { asPdf, isDark, photograph, rasterise, save } from './download.js';
import { digits, percent, setNumber, weightDigits } from './tip.js';
import { make } from './planes.js';

const DRAWS = 420; // milliseconds from one draw to the next
const MAP = { label: 76, cell: 24, top: 64 };
const calm = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

export class Words {
  /** onChange(act): changes the state by a function. */
  constructor(engine, root, packed, { onChange }) {
    Object.assign(this, { engine, root, onChange });
    this.model = new Heads(unpack(packed));
    this.draws = 0;
    this.setUpSentences();
    this.setUpHeads();
    this.setUpNoise();
    this.at('words-svg').addEventListener('click', () => save('qkv-words.svg', this.photograph().text));
    this.at('words-png').addEventListener('click', async () => save('qkv-words.png', await rasterise(this.photograph())));
    this.at('words-pdf').addEventListener('click', async () => save('qkv-words.pdf', await asPdf(this.photograph())));
  }

  at(id) {
    return document.getElementById(id);
  }

  setUpSentences() {
    const menu = this.at('sentences');
    menu.append(...this.model.sentences.map(({ text }, i) => new Option(text, String(i))));
    menu.addEventListener('change', () => this.onChange((state) => Object.assign(state, { sentence: Number(menu.value), token: 1, noisy: -1 })));
  }

  // ---- All heads ---------------------------------------------------------------------------------

  setUpHeads() {
    const { model } = this, grid = this.at('heads-grid');
    this.thumbs = Array.from({ length: model.count }, (_, head) => {
      const button = made('button', 'thumb picture', document.createElement('canvas'), made('span', 'shake'));
      button.type = 'button';
      button.addEventListener('click', () => this.onChange((state) => { state.head = head; }));
      return button;
    });
    for (let layer = 0; layer < model.layers; layer++)
      grid.append(made('span', 'layer', String(layer + 1)), ...this.thumbs.slice(layer * model.heads, (layer + 1) * model.heads));
    grid.addEventListener('keydown', (event) => this.step(event));
    this.kindRows = KINDS.map(({ name, told, colour }) => {
      const row = made('tr', '', made('th', '', made('span', `swatch ${name}`), ` ${told}`), made('td', 'heads'), made('td', 'times'), made('td', 'changes', made('span', 'bar', made('span')), made('span', 'chance')));
      row.firstChild.scope = 'row';
      row.style.setProperty('--ink', `var(${colour})`);
      row.addEventListener('pointerenter', (event) => { if (!atRest(event)) grid.dataset.lit = name; });
      row.addEventListener('pointerleave', () => { delete grid.dataset.lit; });
      return row;
    });
    this.at('kinds').tBodies[0].append(...this.kindRows);
  }

  /** Arrow keys go from head to head. */
  step(event) {
    const { heads, count } = this.model, by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -heads, ArrowDown: heads }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = this.state.head + by;
    if (next < 0 || next >= count) return;
    this.onChange((state) => { state.head = next; });
    this.thumbs[next].focus();
  }

  showHeads() {
    const { reading, state, model } = this;
    this.thumbs.forEach((button, head) => {
      const kind = KINDS[reading.kinds[head]];
      button.dataset.kind = kind.name;
      button.setAttribute('aria-pressed', String(head === state.head));
      button.tabIndex = head === state.head ? 0 : -1;
      button.setAttribute('aria-label', `Layer ${Math.floor(head / model.heads) + 1}, head ${(head % model.heads) + 1}: most words ${kind.told}`);
    });
    const painted = `${state.sentence} ${isDark()}`;
    if (painted !== this.painted) this.thumbs.forEach((button, head) => this.paint(button.firstChild, head));
    this.painted = painted;
  }

  /** A small map: a pixel is a weight. */
  paint(canvas, head) {
    const { reading } = this, n = reading.tokens.length, weights = reading.of(reading.weights, head);
    const ink = colourOf(this.root, KINDS[reading.kinds[head]].colour);
    canvas.width = canvas.height = n;
    const context = canvas.getContext('2d'), image = context.createImageData(n, n);
    weights.forEach((weight, i) => image.data.set([...ink, Math.round(255 * Math.sqrt(weight))], 4 * i));
    context.putImageData(image, 0, 0);
  }

  // ---- One head ----------------------------------------------------------------------------------

  /** Words as buttons; what they hold is how much the chosen one takes from them. */
  buildChips() {
    const chips = this.reading.tokens.map((token, i) => {
      const chip = made('button', 'chip', made('span', 'word', token), made('span', 'bar', made('span', 'much')), made('span', 'range', made('span', 'reach')), made('span', 'number'));
      chip.type = 'button';
      chip.addEventListener('pointerenter', ({ pointerType }) => pointerType === 'mouse' && this.point(i));
      chip.addEventListener('focus', () => this.point(i));
      chip.addEventListener('click', () => this.point(i));
      return chip;
    });
    this.at('chips').replaceChildren(...chips);
    this.chips = chips;
    const choice = this.at('noisy-key');
    choice.replaceChildren(new Option('that each word looks at most', '-1'), ...this.reading.tokens.map((token, i) => new Option(`“${token}”`, String(i))));
  }

  /** The word that looks. */
  point(token) {
    if (this.state.token !== token) this.onChange((state) => { state.token = token; }, false);
  }

  buildMap() {
    const { tokens } = this.reading, n = tokens.length, { label, cell, top } = MAP;
    const svg = make('svg', { viewBox: `0 0 ${label + n * cell + 14} ${top + n * cell + 2}`, role: 'img' });
    this.rowLabels = tokens.map((token, i) => write(svg, token, { x: label - 5, y: top + (i + 0.68) * cell, 'text-anchor': 'end' }));
    this.columnLabels = tokens.map((token, i) => write(svg, token, { transform: `translate(${label + (i + 0.66) * cell} ${top - 5}) rotate(-60)` }));
    this.band = make('rect', { class: 'band', x: label - 1, width: n * cell + 2, height: cell, fill: 'none' });
    this.cells = tokens.flatMap((_, query) => tokens.map((__, key) => {
      const rect = make('rect', { class: 'cell', x: label + key * cell, y: top + query * cell, width: cell - 1, height: cell - 1 }, svg);
      rect.addEventListener('pointerenter', () => this.point(query));
      return rect;
    }));
    svg.append(this.band);
    this.at('map').replaceChildren(svg);
    this.svg = svg;
  }

  showHead() {
    const { reading, state, model } = this, { tokens } = reading, n = tokens.length;
    const weights = this.drawn?.weights ?? reading.of(reading.weights, state.head), scores = reading.of(reading.scores, state.head);
    const place = `Layer ${Math.floor(state.head / model.heads) + 1}, head ${(state.head % model.heads) + 1}`;
    this.at('head-name').textContent = place;
    this.at('head-told').textContent = `${place} ${reading.told(state.head)}`;
    this.svg.setAttribute('aria-label', `${place}: weights of ${n} words, rows look at columns`);
    this.root.style.setProperty('--kind', `var(${KINDS[reading.kinds[state.head]].colour})`);
    this.cells.forEach((cell, i) => {
      const [query, key] = [Math.floor(i / n), i % n];
      cell.style.fillOpacity = Math.sqrt(weights[i]);
      cell.dataset.formula = `“${tokens[query]}” looks at “${tokens[key]}”: score k·q/√32 = ${digits(scores[i], 3)}, weight ${weightDigits(weights[i])}${this.drawn ? ' in this draw' : ''}`;
    });
    this.band.setAttribute('y', MAP.top + state.token * MAP.cell - 0.5);
    this.rowLabels.forEach((text, i) => text.classList.toggle('now', i === state.token));
    this.showChips(weights.subarray(state.token * n, (state.token + 1) * n));
  }

  showChips(weights) {
    const { reading, state, engine } = this, { tokens } = reading, row = reading.of(reading.scores, state.head, state.token);
    engine.call('words_row', state.head, state.token, this.key, state.jitter);
    const [noisy, mean, variance, low, high] = engine.results(5);
    this.chips.forEach((chip, i) => {
      chip.setAttribute('aria-pressed', String(i === state.token));
      chip.classList.toggle('noisy', i === noisy && state.jitter > 0);
      chip.style.setProperty('--weight', weights[i]);
      chip.querySelector('.much').style.width = `${100 * weights[i]}%`;
      const reach = chip.querySelector('.reach');
      reach.hidden = !(i === noisy && state.jitter > 0);
      reach.style.left = `${100 * low}%`;
      reach.style.width = `${100 * (high - low)}%`;
      const noise = reach.hidden ? '' : `\nlength ε times as usual, ε normal with mean 1 and variance ${digits(state.jitter)}: the weight has mean ${
        digits(mean, 3)} and standard deviation ${digits(Math.sqrt(variance), 3)}; nine times in ten it is between ${digits(low, 3)} and ${digits(high, 3)}`;
      setNumber(chip.querySelector('.number'), percentOf(weights[i]),
        `“${tokens[state.token]}” takes ${percent(weights[i])} of its value from “${tokens[i]}”: e^${digits(row[i], 3)} / Σ e^score${this.drawn ? ', in this draw' : ''}${noise}`);
    });
    this.at('chips').style.setProperty('--kind', `var(${KINDS[reading.kindOf(weights, state.token)].colour})`);
  }

  // ---- Noise -------------------------------------------------------------------------------------

  setUpNoise() {
    const slider = this.at('jitter'), choice = this.at('noisy-key');
    slider.addEventListener('input', () => this.onChange((state) => { state.jitter = Number(slider.value); }, false));
    choice.addEventListener('change', () => this.onChange((state) => { state.noisy = Number(choice.value); }));
    this.at('words-draw').addEventListener('click', () => { this.setRunning(false); this.draw(); });
    this.at('words-run').addEventListener('click', () => this.setRunning(!this.running));
  }

  /** The noisy key as the library wants it: beyond the tokens stands for the favourite of each. */
  get key() {
    return this.state.noisy < 0 ? this.reading.tokens.length : this.state.noisy;
  }

  draw() {
    const { state, engine, reading } = this, n = reading.tokens.length;
    engine.call('words_draw', state.head, this.key, state.jitter, this.draws++);
    const found = engine.results(n * n + 1).slice();
    this.drawn = { weights: found.subarray(0, n * n), length: found[n * n] };
    this.at('words-length').textContent = `ε = ${digits(this.drawn.length, 3)}`;
    this.showHead();
  }

  setRunning(running) {
    clearInterval(this.running);
    this.running = running ? setInterval(() => (this.root.hidden ? this.setRunning(false) : this.draw()), calm() ? 2 * DRAWS : DRAWS) : undefined;
    this.at('words-run').setAttribute('aria-pressed', String(Boolean(running)));
  }

  showNoise() {
    const { state, reading, engine } = this, noisy = state.jitter > 0;
    const { heads, kinds } = reading.changes(engine, this.key, state.jitter);
    this.at('jitter').value = state.jitter;
    this.at('noisy-key').value = String(state.noisy);
    this.at('jitter-told').textContent = digits(state.jitter);
    for (const id of ['words-draw', 'words-run']) this.at(id).disabled = !noisy;
    if (!noisy) this.setRunning(false);
    this.root.classList.toggle('shaken', noisy);
    this.thumbs.forEach((button, head) => { button.querySelector('.shake').style.width = `${100 * heads[head]}%`; });
    this.kindRows.forEach((row, kind) => {
      const { places, chance } = kinds[kind], count = reading.kinds.filter((k) => k === kind).length;
      row.querySelector('.heads').textContent = String(count);
      const all = reading.heads * reading.words.length;
      row.querySelector('.heads').dataset.formula = `In ${count} of ${reading.heads} heads most words do this.`;
      row.querySelector('.times').textContent = percentOf(places / all);
      row.querySelector('.times').dataset.formula = `${reading.words.length} words look in ${reading.heads} heads: they do this ${places} of ${all} times.`;
      row.querySelector('.bar span').style.width = `${100 * (chance ?? 0)}%`;
      row.querySelector('.chance').textContent = !noisy || chance === undefined ? '–' : percentOf(chance);
    });
    this.at('this-head').textContent = noisy ? `In this head a word changes what it does in ${percentOf(heads[state.head])} of all draws.`
      : 'Move the slider, and see which heads can bear it.';
  }

  // ---- All of it ---------------------------------------------------------------------------------

  show(state) {
    const before = this.shown, now = JSON.stringify([state.sentence, state.head, state.jitter, state.noisy]);
    this.state = state;
    if (this.shownSentence !== state.sentence) {
      this.reading = new Reading(this.engine, this.model, state.sentence);
      this.shownSentence = state.sentence;
      state.token = Math.min(state.token, this.reading.tokens.length - 1);
      state.noisy = Math.min(state.noisy, this.reading.tokens.length - 1);
      this.buildChips();
      this.buildMap();
      this.at('sentences').value = String(state.sentence);
    }
    if (before !== now) this.drawn = undefined;
    if (!this.drawn) this.at('words-length').textContent = '';
    this.shown = now;
    this.showHeads();
    this.showNoise();
    this.showHead();
  }

  photograph() {
    return photograph(['chips', 'heads-figure', 'map-figure'].map((id) => this.at(id)));
  }
}

function write(parent, text, attributes) {
  const element = make('text', { class: 'token', ...attributes }, parent);
  element.textContent = text;
  return element;
}

const percentOf = (x) => (x >= 0.995 && x < 1 ? '> 99 %' : x >= 0.005 ? `${Math.round(100 * x)} %` : x > 0 ? '< 1 %' : '0 %');

/** A colour of the page as three numbers. */
const colourOf = (root, name) => [1, 3, 5].map((at) => parseInt(getComputedStyle(root).getPropertyValue(name).trim().slice(at, at + 2), 16));
