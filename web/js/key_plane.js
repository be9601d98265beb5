// Keys and queries. In the plane, behind them, a map of which key would win where. Orthonormal keys
// are seen in space: k_a, k_b, and one axis that stands for every other key; the view can be turned.
import { Camera } from './camera.js';
import { HALF, Plane, arrow, label, make } from './planes.js';
import { MARKS, RIM, fromScreen, toRadius, toScreen } from './ruler.js';
import { inkOf, letter, rows, trueQuery } from './scene.js';
import { MOST_SPIN, MOST_TILT, clamp } from './state.js';
import { digits } from './tip.js';

const GRID = 72; // the map's pixels each way

export class KeyPlane extends Plane {
  constructor(root, events) {
    super(root, events);
    this.onTurn = events.onTurn;
    this.inviting = true; // until a query has been moved
    this.svg.addEventListener('pointerdown', (event) => this.beginTurn(event));
  }

  // ---- What is drawn -------------------------------------------------------------------------

  /** pipeline: scores of the head that is shown. drawn: where the keys are in one sample, if there is one. */
  draw(state, { scores, head, drawn }) {
    this.state = state;
    this.camera = state.space === 'ortho' ? new Camera(state.n > 2 ? state.turn : [0, 0]) : new Camera([0, 0]);
    this.root.classList.toggle('turns', state.space === 'ortho' && state.n > 2);
    this.begin();
    this.drawFloor();
    const keys = this.keyPoints();
    const query = toScreen(trueQuery(state, head));
    this.drawRuler(query, state.space === 'ortho' && state.n > 3 ? state.n - 2 : 1);
    keys.forEach((key, i) => this.drawSpread(key, i));
    keys.forEach((key, i) => this.drawScore(key, i, query, scores[i]));
    for (let h = state.heads - 1; h >= 0; h--) this.drawQuery(h, h === head);
    keys.forEach((key, i) => this.drawKey(key, i, drawn?.[i]));
    this.finish();
  }

  keyPoints() {
    const { state } = this;
    if (state.space === 'plane') return state.keys.slice(0, state.n);
    return rows(state).map(({ index }) => [0, 1, 2].map((axis) => Number(axis === index)));
  }

  on(point) {
    return this.camera.see(point);
  }

  /** Two axes, or in space the square that k_a and k_b span. */
  drawFloor() {
    if (this.state.space === 'plane' || this.state.n < 3) {
      make('path', { class: 'axes', d: `M${-HALF} 0H${HALF}M0 ${-HALF}V${HALF}` }, this.marks);
      return;
    }
    const at = (...point) => this.on(point).slice(0, 2).map((x, i) => (i === 0 ? x : -x)).join(' ');
    const lines = [-1, -0.5, 0, 0.5, 1].map((x) => `M${at(x, -1, 0)}L${at(x, 1, 0)}M${at(-1, x, 0)}L${at(1, x, 0)}`);
    make('path', { class: 'floor', d: `M${at(-1, -1, 0)}L${at(1, -1, 0)}L${at(1, 1, 0)}L${at(-1, 1, 0)}Z` }, this.marks);
    make('path', { class: 'axes', d: `${lines.join('')}M${at(0, 0, -1.2)}L${at(0, 0, 1.2)}` }, this.marks);
  }

  /** Marks along the query's own line, of its true length, and its end at infinity as a ghost. folded: how many keys share the third axis. */
  drawRuler(query, folded) {
    const length = Math.hypot(...query);
    if (length < 1e-9) return;
    const unit = query.map((part) => part / length), stretched = Math.sqrt(1 + (folded - 1) * (unit[2] ?? 0) ** 2);
    const [x, y] = this.on(unit), group = make('g', { class: 'ruler' }, this.marks);
    make('path', { class: 'ghost', d: `M0 0L${x * RIM} ${-y * RIM}` }, group);
    const size = Math.hypot(x, y);
    if (size < 0.25) return;
    const [u, v] = [-y / size, x / size];
    const side = this.freeSide(x, y); // numbers keep off the nearest key and the handle
    let last = -1; // where a number was written; there must be room between them, and before the end
    for (const mark of MARKS) {
      const at = toRadius(mark / stretched), half = 0.022, room = (0.05 + 0.05 * String(mark).length) * this.larger;
      make('path', { class: 'mark', d: `M${x * at + u * half} ${-(y * at + v * half)}L${x * at - u * half} ${-(y * at - v * half)}` }, group);
      if (mark === 2 || mark === 20 || size * (at - last) < room || size * (RIM - at) < room || size * Math.abs(at - length) < (side !== this.querySide([x * length, y * length]) ? 0.24 : 0.11) * this.larger) continue; // the name of q is there
      label(group, String(mark), '', { x: x * at + side * u * 0.085, y: -(y * at + side * v * 0.085), class: 'tiny' });
      last = at;
    }
    label(group, '∞', '', { x: x * RIM * 0.985, y: -y * RIM * 0.985, class: 'small ruler-end' });
  }

  /** On which side of a ray no key is near: 1 on its left, -1 on its right, where names of keys are not. */
  freeSide(x, y) {
    const near = this.keyPoints().map((key) => this.on(key)).map(([s, t]) => ({ turn: x * t - y * s, along: x * s + y * t }))
      .filter(({ along }) => along > 0).sort((a, b) => Math.abs(a.turn) - Math.abs(b.turn))[0];
    return near && near.turn < -0.02 ? 1 : -1;
  }

  /** The part of the query along a key, times that key's length: the score, by the query's ruler. */
  drawScore(key, i, query, score) {
    const size = Math.hypot(...key), length = Math.hypot(...query);
    if (size < 0.02 || length < 0.01) return;
    const along = key.reduce((sum, x, axis) => sum + x * (query[axis] ?? 0), 0) / (size * size);
    const foot = key.map((x) => x * along), ink = inkOf(this.state, i), [x, y] = this.on(foot), [tipX, tipY] = this.on(query);
    make('path', { class: `drop ${ink}`, d: `M${tipX} ${-tipY}L${x} ${-y}` }, this.marks);
    make('path', { class: `score ${ink}${along < 0 ? ' against' : ''}`, d: `M0 0L${x} ${-y}`, 'data-score': digits(score, 3) }, this.marks);
  }

  /** Where nine keys in ten fall: along the key by its own noise, and around it by alpha. */
  drawSpread(key, i) {
    const { stretch, alpha } = this.state, size = Math.hypot(...key), noise = stretch[Math.min(i, stretch.length - 1)];
    const along = 1.645 * Math.sqrt(noise * size * size + alpha), across = Math.max(1.645 * Math.sqrt(alpha), 0.045);
    if (noise === 0 && alpha === 0) return;
    const [x, y] = this.on(key), seen = Math.hypot(x, y);
    make('ellipse', { class: `spread ${inkOf(this.state, i)}`, rx: Math.max((along * seen) / (size || 1), across), ry: across,
      transform: `translate(${x} ${-y}) rotate(${(-Math.atan2(y, x) * 180) / Math.PI})` }, this.marks);
  }

  drawKey(key, i, drawn) {
    const { state } = this, ink = inkOf(state, i), at = this.on(key);
    if (drawn) {
      arrow(this.above, at, `${ink} faint`, 0.02);
      arrow(this.above, withinFrame(this.on(drawn)), ink, 0.03);
    } else arrow(this.marks, at, ink, 0.03);
    const { name, many } = rows(state)[i], [x, y] = this.keyName(at);
    label(this.above, 'k', many > 1 ? '3…' : name, { x, y: -y, class: ink });
    if (state.space === 'plane') this.handle('key', i, key, `key ${name}`, `x ${digits(key[0], 3)}, y ${digits(key[1], 3)}`, ink);
  }

  /** Where the name of a key is written: beyond its tip, and off the line, where the noise is drawn. */
  keyName([x, y]) {
    const size = Math.hypot(x, y) || 1, far = 1 + (0.13 * this.larger) / size, aside = (0.12 * this.larger) / size;
    return [x * far - y * aside, y * far + x * aside];
  }

  /** Where the name of a query with its tip at (x, y) is written, on its right (1) or its left (-1). */
  queryName([x, y], side) {
    const off = (side * 0.15 * this.larger) / (Math.hypot(x, y) || 1);
    return [x + off * y, y - off * x];
  }

  /** On its right, unless the name of a key is there. */
  querySide(at) {
    const names = this.keyPoints().map((key) => this.keyName(this.on(key)));
    const room = (side) => Math.min(...names.map(([x, y]) => { const [u, v] = this.queryName(at, side); return Math.hypot(x - u, y - v); }));
    return room(1) < 0.25 * this.larger && room(-1) > room(1) ? -1 : 1;
  }

  drawQuery(h, shown) {
    const { state } = this, query = trueQuery(state, h), at = this.on(toScreen(query)), name = state.heads > 1 ? `query ${h + 1}` : 'query';
    if (state.space === 'ortho' && state.n > 2) this.dropToFloor(toScreen(query));
    arrow(this.marks, at, `query${shown ? '' : ' other'}`, 0.05);
    const [x, y] = this.queryName(at, this.querySide(at));
    label(this.above, 'q', state.heads > 1 ? String(h + 1) : '', { x, y: -y, class: 'query' });
    const told = `length ${digits(Math.hypot(...query), 3)}; ${query.map((x, i) => `${digits(x, 3)} along ${
      state.space === 'plane' ? 'xy'[i] : ['k a', 'k b', 'every other key'][i]}`).join(', ')}`;
    this.handle('query', h, [at[0], at[1]], name, told);
    if (this.inviting && h === 0) make('circle', { class: 'invitation', cx: at[0], cy: -at[1], r: 0.06 }, this.above);
  }

  dropToFloor(query) {
    const [x, y] = this.on(query), [footX, footY] = this.on([query[0], query[1], 0]);
    make('path', { class: 'drop query', d: `M${x} ${-y}L${footX} ${-footY}` }, this.marks);
  }

  // ---- The map ---------------------------------------------------------------------------------

  /** weigh(queries): the weights of each, by the library. Painted again only when the keys or colours are others. */
  paintMap(state, theme, weigh) {
    const keys = state.space === 'plane' ? state.keys.slice(0, state.n) : [];
    const made = JSON.stringify([keys, theme]);
    if (made === this.map) return;
    this.map = made;
    const context = this.clear(GRID);
    if (keys.length === 0) return;
    const queries = [];
    for (let row = 0; row < GRID; row++)
      for (let column = 0; column < GRID; column++)
        queries.push(...fromScreen([((column + 0.5) / GRID - 0.5) * 2 * HALF, -((row + 0.5) / GRID - 0.5) * 2 * HALF]));
    this.paint(context, weigh(queries), keys.length);
  }

  paint(context, weights, count) {
    const inks = Array.from({ length: count }, (_, i) => rgb(this.colour(`--key-${i}`)));
    const image = context.createImageData(GRID, GRID);
    for (let pixel = 0; pixel < GRID * GRID; pixel++) {
      for (let channel = 0; channel < 3; channel++)
        image.data[4 * pixel + channel] = inks.reduce((sum, ink, i) => sum + ink[channel] * weights[pixel * count + i], 0);
      image.data[4 * pixel + 3] = 46;
    }
    context.putImageData(image, 0, 0);
  }

  /** How far a point of the screen is from a ray out of the origin, and how far out on it. */
  along(axis, [x, y]) {
    const [u, v] = this.on(axis), size = Math.hypot(u, v), far = (x * u + y * v) / (size * size);
    return { axis, far, off: size < 0.3 || far * size < 0.08 ? Infinity : Math.abs(x * v - y * u) / size };
  }

  // ---- Turning ---------------------------------------------------------------------------------

  beginTurn(event) {
    if (!this.root.classList.contains('turns')) return;
    const start = [event.clientX, event.clientY], [spin, tilt] = this.state.turn;
    this.svg.setPointerCapture(event.pointerId);
    const touch = event.pointerType === 'touch'; // up and down scrolls the page then
    const move = (moved) => this.turnTo([spin + (moved.clientX - start[0]) * this.unit, touch ? tilt : tilt - (moved.clientY - start[1]) * this.unit]);
    this.svg.addEventListener('pointermove', move);
    this.svg.addEventListener('lostpointercapture', () => {
      this.svg.removeEventListener('pointermove', move);
      this.onEnd();
    }, { once: true });
  }

  turnTo(turn) {
    this.onTurn([clamp(turn[0], -MOST_SPIN, MOST_SPIN), clamp(turn[1], -MOST_TILT, MOST_TILT)]);
  }

  /** The query that is drawn at a point of the screen: on an axis that it covers there, otherwise at the depth it has. */
  queryAt(h, [x, y]) {
    if (this.state.space === 'ortho' && this.state.n > 2) {
      const ray = RAYS.map((axis) => this.along(axis, [x, y])).sort((a, b) => a.off - b.off)[0];
      if (ray.off < MAGNET) return fromScreen(ray.axis.map((part) => part * ray.far));
    }
    const old = toScreen(trueQuery(this.state, h)), near = this.on(old)[2];
    return fromScreen(this.camera.unsee([x, y, near]).slice(0, old.length));
  }
}

// Queries that mean something: at a key or away from it, halfway, at the others or away from them. What is
// on the screen says nothing of depth, so a query that covers one of them is taken to be on it.
const RAYS = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [Math.SQRT1_2, Math.SQRT1_2, 0]].flatMap((axis) => [axis, axis.map((x) => -x)]);
const MAGNET = 0.07; // of the screen's units

/** A point, or where the way to it leaves the frame. */
const withinFrame = ([x, y]) => [x, y].map((part) => part * Math.min(1, (HALF - 0.04) / Math.max(Math.abs(x), Math.abs(y), 1e-9)));

/** #rrggbb as three numbers. */
const rgb = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
