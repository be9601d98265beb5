// Values, the output they pull, where it goes as the query grows, and where samples of it fall: a
// disc for each cell of the plane, with an area in proportion to its share of the samples.
import { HALF, Plane, label, make } from './planes.js';
import { inkOf, radius, rows, target } from './scene.js';
import { digits } from './tip.js';

const CELLS = 36; // each way
const WHOLE = 0.42; // radius of the disc that all samples together would have

export class ValuePlane extends Plane {
  /** weights: of one head, key by key. c: the output; path: of longer and longer queries, the last one the limit. */
  draw(state, { weights, c, path, drawn, outputs = [], sides = false }) {
    this.state = state;
    this.begin();
    make('path', { class: 'axes', d: `M${-HALF} 0H${HALF}M0 ${-HALF}V${HALF}` }, this.marks);
    if (state.target !== 'none') this.drawTarget();
    if (!sides) this.drawPath(path);
    for (const { index, many } of sides ? [] : rows(state)) this.drawPull(index, drawn ?? c, Math.min(weights[index] * many, 1));
    for (const { index, name, many } of rows(state)) this.drawValue(index, many > 1 ? '3…' : name, many);
    outputs.forEach(([x, y], h) => {
      make('circle', { class: 'mean', cx: x, cy: -y, r: 0.04 }, this.above);
      label(this.above, sides ? ['left', 'right'][h] : 'c', sides ? '' : String(h + 1), { x, y: -y + 0.2 * this.larger, class: 'output small' });
    });
    if (!sides) this.drawOutput(c, drawn);
    this.finish();
  }

  drawTarget() {
    const [x, y] = target(this.state), size = radius(this.state);
    make('circle', { class: 'tolerance', cx: x, cy: -y, r: size }, this.marks);
    make('path', { class: 'target', d: `M${x - size - 0.06} ${-y}h.06M${x + size} ${-y}h.06M${x} ${-y - size - 0.06}v.06M${x} ${-y + size}v.06` }, this.marks);
    label(this.marks, 'target', '', { x, y: -y + size + 0.13 * this.larger, class: 'small ruler-end' });
  }

  drawPath(path) {
    if (path.length < 2) return;
    make('path', { class: 'path', d: `M${path.map(([x, y]) => `${x} ${-y}`).join('L')}` }, this.marks);
    const [x, y] = path.at(-1);
    make('circle', { class: 'limit', cx: x, cy: -y, r: 0.095 }, this.marks);
    label(this.marks, '∞', '', { x: x - 0.17, y: -y + 0.02, class: 'small ruler-end' });
  }

  /** A band from the value to c, as wide as its weight. */
  drawPull(index, c, weight) {
    const [x, y] = this.state.values[index];
    if (weight > 0.002)
      make('path', { class: `pull ${inkOf(this.state, index)}`, 'stroke-width': 0.012 + 0.13 * weight, d: `M${x} ${-y}L${c[0]} ${-c[1]}` }, this.marks);
  }

  drawValue(index, name, many) {
    const at = this.state.values[index], size = (Math.hypot(...at) || 1) / this.larger, ink = inkOf(this.state, index);
    label(this.above, 'v', name, { x: at[0] + (0.17 * at[0]) / size, y: -at[1] - (0.17 * at[1]) / size, class: ink });
    this.handle('value', index, at, many > 1 ? 'value of every other key' : `value ${name}`, `x ${digits(at[0], 3)}, y ${digits(at[1], 3)}`, ink);
  }

  drawOutput(c, drawn) {
    const [x, y] = drawn ?? c;
    if (drawn) make('circle', { class: 'mean', cx: c[0], cy: -c[1], r: 0.045 }, this.above);
    make('circle', { class: 'output', cx: x, cy: -y, r: 0.062, 'data-output': `${x},${y}` }, this.above);
    label(this.above, 'c', '', { x: x + 0.13 * this.larger, y: -y - 0.12 * this.larger, class: 'output' });
  }

  // ---- Samples -----------------------------------------------------------------------------------

  forget() {
    this.counts = new Map();
    this.total = 0;
    this.clear();
  }

  /** samples: rows of `stride` numbers that begin with x, y. */
  count(samples, stride) {
    for (let i = 0; i < samples.length; i += stride) {
      const cell = [samples[i], samples[i + 1]].map((x) => Math.floor(((x + HALF) / (2 * HALF)) * CELLS)).join(' ');
      const old = this.counts.get(cell) ?? [0, 0, 0];
      this.counts.set(cell, [old[0] + 1, old[1] + samples[i], old[2] + samples[i + 1]]);
      this.total++;
    }
  }

  /** Each disc stands at the mean of its samples. */
  paintSamples() {
    const context = this.clear(), scale = this.canvas.width / (2 * HALF), middle = this.canvas.width / 2;
    context.fillStyle = this.colour('--output');
    context.globalAlpha = 0.3;
    for (const [count, x, y] of this.counts.values()) {
      const size = WHOLE * Math.sqrt(count / this.total) * scale;
      context.beginPath();
      context.arc(middle + (x / count) * scale, middle - (y / count) * scale, Math.max(size, 0.6), 0, 2 * Math.PI);
      context.fill();
    }
  }

  /** Cells by their share, the largest first: [share, x, y]. */
  lumps() {
    return [...this.counts.values()].map(([count, x, y]) => [count / this.total, x / count, y / count]).sort((a, b) => b[0] - a[0]);
  }
}
