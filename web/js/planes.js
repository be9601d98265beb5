// A plane with points that are dragged by pointer and moved by arrow keys. Knows where things are
// drawn, not what they are.
import { round } from './state.js';

const SVG = 'http://www.w3.org/2000/svg';
export const HALF = 1.5; // the plane goes from -HALF to HALF
const FINGER = 22; // pixels around a point that take hold of it
const LETTER = 14; // pixels of the smallest letters
const LETTER_SIZE = 0.15; // of the plane, unless that would be smaller

export function make(name, attributes = {}, parent = undefined) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  parent?.append(element);
  return element;
}

/** A name with its index lowered: v and a are v_a. Kept inside of the frame. */
export function label(parent, text, index, { x, y, ...attributes }) {
  const inside = (at) => Math.min(Math.max(at, 0.12 - HALF), HALF - 0.12);
  const element = make('text', { ...attributes, x: inside(x), y: inside(y) + 0.05, 'text-anchor': 'middle',
    class: `label ${attributes.class ?? ''}` }, parent);
  element.textContent = text;
  if (index !== '') make('tspan', { dy: '.25em', 'font-size': '.72em' }, element).textContent = index;
  return element;
}

/** An arrow from the origin, drawn to a point. */
export function arrow(parent, [x, y], className, width) {
  const length = Math.hypot(x, y), head = 2.2 * width + 0.045;
  if (length < 0.02) return;
  const [u, v] = [x / length, -y / length], neck = Math.max(length - head, 0);
  make('path', { class: `arrow ${className}`, 'stroke-width': width, d: `M0 0L${u * neck} ${v * neck}` }, parent);
  const wing = 0.5 * head;
  make('path', { class: `tip ${className}`,
    d: `M${x} ${-y}L${u * neck - v * wing} ${v * neck + u * wing}L${u * neck + v * wing} ${v * neck - u * wing}Z` }, parent);
}

/** A point that can be moved: role and keys of a slider with two directions. */
class Handle {
  constructor(plane, kind, index) {
    this.plane = plane;
    this.kind = kind;
    this.index = index;
    this.group = make('g', {
      class: `handle ${kind} ${kind}-${index}`, tabindex: 0, role: 'slider',
      'aria-roledescription': 'point in the plane', 'aria-valuemin': -HALF, 'aria-valuemax': HALF,
      'data-handle': `${kind}-${index}`,
    }, plane.handles);
    this.grip = make('circle', { r: 0.14, class: 'grip' }, this.group);
    this.dot = make('circle', { r: 0.05, class: 'dot' }, this.group);
    this.group.addEventListener('pointerdown', (event) => this.begin(event));
    this.group.addEventListener('keydown', (event) => this.step(event));
  }

  begin(event) {
    event.preventDefault();
    event.stopPropagation();
    this.group.focus({ preventScroll: true });
    this.group.setPointerCapture(event.pointerId);
    const start = this.plane.toPlane(event), at = this.at;
    const move = (moved) => {
      const now = this.plane.toPlane(moved);
      this.plane.onMove(this.kind, this.index, [at[0] + now[0] - start[0], at[1] + now[1] - start[1]]);
    };
    const end = () => {
      this.group.removeEventListener('pointermove', move);
      this.plane.onEnd();
    };
    this.plane.onBegin(this.kind, this.index);
    this.group.addEventListener('pointermove', move);
    this.group.addEventListener('lostpointercapture', end, { once: true });
  }

  step(event) {
    const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const size = event.shiftKey ? 0.25 : 0.05;
    this.plane.onBegin(this.kind, this.index);
    this.at = this.at.map((x, i) => x + size * by[i]); // the next key may come before it is drawn
    this.plane.onMove(this.kind, this.index, this.at);
    this.plane.onEnd();
  }

  place(at, name, told, ink) {
    this.at = at;
    this.grip.setAttribute('r', Math.max(0.13, FINGER * this.plane.unit));
    this.group.setAttribute('class', `handle ${this.kind} ${this.kind}-${this.index} ${ink}`);
    this.group.setAttribute('transform', `translate(${at[0]} ${-at[1]})`);
    this.dot.setAttribute('r', (this.kind === 'query' ? 0.062 : 0.052) * Math.sqrt(this.plane.larger));
    this.group.setAttribute('aria-label', name);
    this.group.setAttribute('aria-valuenow', round(at[0]));
    this.group.setAttribute('aria-valuetext', told);
  }
}

export class Plane {
  constructor(root, { onMove, onBegin = () => {}, onEnd = () => {} }) {
    Object.assign(this, { root, onMove, onBegin, onEnd });
    this.canvas = document.createElement('canvas');
    this.canvas.setAttribute('aria-hidden', 'true');
    this.svg = make('svg', { viewBox: `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`, role: 'group', 'aria-label': root.dataset.label });
    root.append(this.canvas, this.svg);
    this.marks = make('g', { 'aria-hidden': 'true' }, this.svg);
    this.handles = make('g', {}, this.svg);
    this.above = make('g', { 'aria-hidden': 'true', 'pointer-events': 'none' }, this.svg);
    this.known = new Map();
  }

  // Each question for a size lays the page out, so it is asked once, before anything is drawn. unit: how much of the plane a
  // pixel is; larger: how much larger letters are than in a large plane, so that they can be read in a small one.
  measure() {
    this.unit = (2 * HALF) / (this.root.clientWidth || 400);
    this.larger = Math.max(1, (LETTER * this.unit) / LETTER_SIZE);
  }

  toPlane(event) {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [point.x, -point.y];
  }

  begin() {
    this.measure();
    this.svg.style.setProperty('--larger', this.larger);
    this.marks.replaceChildren();
    this.above.replaceChildren();
    this.seen = new Set();
  }

  handle(kind, index, at, name, told, ink = '') {
    const id = `${kind}-${index}`;
    if (!this.known.has(id)) this.known.set(id, new Handle(this, kind, index));
    this.known.get(id).place(at, name, told, ink);
    this.seen.add(id);
  }

  /** Points that were not drawn this time are gone. */
  finish() {
    for (const [id, handle] of this.known)
      if (!this.seen.has(id)) {
        handle.group.remove();
        this.known.delete(id);
      }
  }

  /** The canvas below, of as many pixels as it has on the screen, or of so many. */
  clear(size = Math.round(this.root.clientWidth * (window.devicePixelRatio || 1))) {
    if (this.canvas.width !== size) this.canvas.width = this.canvas.height = size;
    const context = this.canvas.getContext('2d');
    context.clearRect(0, 0, size, size);
    return context;
  }

  colour(name) {
    return getComputedStyle(this.root).getPropertyValue(name).trim();
  }
}
