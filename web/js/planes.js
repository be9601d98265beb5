// The two planes: keys and queries, and values with samples of the output. Points are dragged by
// pointer and moved by arrow keys. Knows where things are drawn, not what follows from them.
import { letter, rows, target, radius } from './scene.js';
import { REACH, round } from './state.js';

const SVG = 'http://www.w3.org/2000/svg';

function make(name, attributes = {}, parent = undefined) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

/** A name with its index lowered: v and a are v_a. */
function label(parent, text, index, attributes) {
  const element = make('text', { ...attributes, class: `label ${attributes.class ?? ''}` }, parent);
  element.textContent = text;
  if (index !== '') {
    const low = make('tspan', { dy: '.25em', 'font-size': '.72em' }, element);
    low.textContent = index;
  }
  return element;
}

/** A point that can be moved: role and keys of a slider with two directions. */
class Handle {
  constructor(plane, kind, index) {
    this.plane = plane;
    this.kind = kind;
    this.index = index;
    this.group = make('g', {
      class: `handle ${kind} ${kind}-${index}`, tabindex: 0, role: 'slider',
      'aria-roledescription': 'point in the plane', 'aria-valuemin': -REACH, 'aria-valuemax': REACH,
      'data-handle': `${kind}-${index}`,
    }, plane.handles);
    make('circle', { r: 0.14, class: 'grip' }, this.group);
    make('circle', { r: 0.055, class: 'dot' }, this.group);
    this.group.addEventListener('pointerdown', (event) => this.begin(event));
    this.group.addEventListener('keydown', (event) => this.step(event));
  }

  begin(event) {
    event.preventDefault();
    this.group.focus({ preventScroll: true });
    this.group.setPointerCapture(event.pointerId);
    const start = this.plane.toPlane(event), at = this.at;
    const move = (moved) => {
      const now = this.plane.toPlane(moved);
      this.plane.onMove(this.kind, this.index, [at[0] + now[0] - start[0], at[1] + now[1] - start[1]].map(limit));
    };
    const end = () => {
      this.group.removeEventListener('pointermove', move);
      this.plane.onEnd();
    };
    this.group.addEventListener('pointermove', move);
    this.group.addEventListener('lostpointercapture', end, { once: true });
  }

  step(event) {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const size = event.shiftKey ? 0.25 : 0.05;
    this.at = this.at.map((x, i) => limit(x + size * by[i])); // the next key may come before it is drawn
    this.plane.onMove(this.kind, this.index, this.at);
    this.plane.onEnd();
  }

  place(at, name) {
    this.at = at;
    this.group.setAttribute('transform', `translate(${at[0]} ${-at[1]})`);
    this.group.setAttribute('aria-label', name);
    this.group.setAttribute('aria-valuenow', round(at[0]));
    this.group.setAttribute('aria-valuetext', `x ${round(at[0])}, y ${round(at[1])}`);
  }
}

const limit = (x) => round(Math.min(Math.max(x, -REACH), REACH));

class Plane {
  constructor(root, { onMove, onEnd }) {
    Object.assign(this, { root, onMove, onEnd });
    this.svg = make('svg', { viewBox: `${-REACH - 0.15} ${-REACH - 0.15} ${2 * REACH + 0.3} ${2 * REACH + 0.3}`,
      role: 'group', 'aria-label': root.dataset.label }, root);
    make('path', { class: 'axes', d: `M${-REACH} 0H${REACH}M0 ${-REACH}V${REACH}` }, this.svg);
    this.marks = make('g', { 'aria-hidden': 'true' }, this.svg);
    this.handles = make('g', {}, this.svg);
    this.above = make('g', { 'aria-hidden': 'true', 'pointer-events': 'none' }, this.svg);
    this.known = new Map();
  }

  toPlane(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [point.x, -point.y];
  }

  handle(kind, index, at, name) {
    const id = `${kind}-${index}`;
    if (!this.known.has(id)) this.known.set(id, new Handle(this, kind, index));
    this.known.get(id).place(at, name);
    return id;
  }

  keepOnly(ids) {
    for (const [id, handle] of this.known)
      if (!ids.includes(id)) {
        handle.group.remove();
        this.known.delete(id);
      }
  }

  arrow(at, kind, width) {
    const length = Math.hypot(...at);
    if (length < 0.02) return;
    const [x, y] = [at[0] / length, -at[1] / length], head = 0.09;
    const end = [at[0] - x * 0.05, -at[1] - y * 0.05];
    make('path', { class: `arrow ${kind}`, 'stroke-width': width, d: `M0 0L${end[0]} ${end[1]}` }, this.marks);
    make('path', {
      class: `tip ${kind}`,
      d: `M${end[0]} ${end[1]}L${end[0] - head * (x - 0.5 * y)} ${end[1] - head * (y + 0.5 * x)}L${end[0] - head * (x + 0.5 * y)} ${end[1] - head * (y - 0.5 * x)}Z`,
    }, this.marks);
  }
}

const kindOf = (i) => (i === 0 ? 'first' : i === 1 ? 'second' : 'rest');

/** Keys and queries. Of orthonormal keys this is the plane of k_a and k_b; all others stand on it. */
export class KeyPlane extends Plane {
  draw(state) {
    const ids = [];
    this.marks.replaceChildren();
    const ortho = state.space === 'ortho';
    const keys = ortho ? [[1, 0], [0, 1]] : state.keys.slice(0, state.n);
    keys.forEach((at, i) => {
      this.spread(at, state.stretch[i], state.alpha, kindOf(i));
      this.arrow(at, kindOf(i), 0.022);
      const out = 1 + 0.2 / Math.max(Math.hypot(...at), 0.2);
      label(this.marks, 'k', letter(i), { x: at[0] * out, y: -at[1] * out + 0.05, class: kindOf(i), 'text-anchor': 'middle' });
      if (!ortho) ids.push(this.handle('key', i, at, `key ${letter(i)}`));
    });
    if (ortho && state.n > 2) {
      make('circle', { class: 'tip rest', r: 0.045 }, this.marks);
      label(this.marks, state.n === 3 ? 'k₃ points out of the screen' : `the other ${state.n - 2} keys point out of the screen`, '',
        { x: -0.06, y: 0.16, class: 'rest small', 'text-anchor': 'end' });
    }
    state.queries.slice(0, state.heads).forEach((q, h) => {
      const name = state.heads > 1 ? `query ${h + 1}` : 'query';
      this.arrow(q, `query head-${h}`, 0.034);
      label(this.marks, 'q', state.heads > 1 ? String(h + 1) : '', { x: q[0] + 0.07, y: -q[1] + 0.17, class: `query head-${h}` });
      ids.push(this.handle('query', h, q.slice(0, 2), name));
    });
    this.keepOnly(ids);
  }

  /** Where nine keys in ten fall: along the key by its own noise, and around it by alpha. */
  spread(at, stretch, alpha, kind) {
    const length = Math.hypot(...at), along = 1.645 * Math.sqrt(stretch * length * length + alpha);
    const across = Math.max(1.645 * Math.sqrt(alpha), stretch > 0 ? 0.012 : 0);
    if (along === 0) return;
    const angle = (-Math.atan2(at[1], at[0]) * 180) / Math.PI;
    make('ellipse', { class: `spread ${kind}`, rx: along, ry: across || along,
      transform: `translate(${at[0]} ${-at[1]}) rotate(${angle})` }, this.marks);
  }
}

/** Values, the output without noise, its target, and samples on a canvas below. */
export class ValuePlane extends Plane {
  constructor(root, events) {
    super(root, events);
    this.canvas = document.createElement('canvas');
    this.canvas.setAttribute('aria-hidden', 'true');
    root.prepend(this.canvas);
  }

  draw(state, c) {
    const ids = [];
    this.marks.replaceChildren();
    const [x, y] = target(state);
    make('circle', { class: 'tolerance', cx: x, cy: -y, r: radius(state) }, this.marks);
    make('path', { class: 'target', d: `M${x - 0.07} ${-y}h.14M${x} ${-y - 0.07}v.14` }, this.marks);
    for (const { index, name } of rows(state)) {
      const at = state.values[index];
      label(this.marks, 'v', name, { x: at[0] + 0.09, y: -at[1] - 0.07, class: kindOf(index) });
      ids.push(this.handle('value', index, at, name === 'other' ? 'value of every other key' : `value ${name}`));
    }
    this.above.replaceChildren();
    make('circle', { class: 'output', cx: c[0], cy: -c[1], r: 0.05 }, this.above);
    label(this.above, 'c', '', { x: c[0] + 0.09, y: -c[1] + 0.16, class: 'output' });
    this.keepOnly(ids);
  }

  clear() {
    const size = Math.round(this.root.clientWidth * (window.devicePixelRatio || 1));
    if (this.canvas.width !== size) this.canvas.width = this.canvas.height = size;
    this.canvas.getContext('2d').clearRect(0, 0, size, size);
    this.colour = getComputedStyle(this.root).getPropertyValue('--first');
  }

  /** samples: rows of x, y, squared error, weight. */
  scatter(samples) {
    const context = this.canvas.getContext('2d'), size = this.canvas.width;
    const scale = size / (2 * REACH + 0.3), dot = Math.max(1.5, size / 260);
    context.fillStyle = this.colour;
    context.globalAlpha = 0.28;
    for (let i = 0; i < samples.length; i += 4)
      context.fillRect(size / 2 + samples[i] * scale - dot / 2, size / 2 - samples[i + 1] * scale - dot / 2, dot, dot);
  }
}
