// Runs the script of a head view's block in a page of the barest kind, and prints as JSON what it
// shows: the weights it reads back, the strongest keys, the SVG it would save; and the legend and
// the names of all layers, heads and curves of colours, each in turn.
//     node head_view_page.js BLOCK.html ROWS COLUMNS
"use strict";
const fs = require("fs");

function Element(name) {
  this.name = name;
  this.children = [];
  this.attributes = {};
  this.style = {};
  this.listeners = {};
  this.text = "";
  this.clientWidth = 800;
}
const nothing = function () {};
function Painter(canvas) {
  this.putImageData = function (pixels) { canvas.pixels = Array.from(pixels.data); };
}
Painter.prototype = { createImageData: function (w, h) { return { data: new Uint8ClampedArray(4 * w * h) }; } };
["scale", "drawImage", "strokeRect", "save", "translate", "rotate", "fillText",
 "restore"].forEach(function (name) { Painter.prototype[name] = nothing; });
Element.prototype = {
  setAttribute(key, value) { this.attributes[key] = String(value); },
  getAttribute(key) { return this.attributes[key]; },
  get textContent() { return this.text; },
  set textContent(text) { this.text = text; this.children = []; },
  get nextSibling() { return this.parent.children[this.parent.children.indexOf(this) + 1] || null; },
  appendChild(child) { return this.insertBefore(child, null); },
  insertBefore(child, next) {
    if (child.parent) child.remove();
    child.parent = this;
    this.children.splice(next ? this.children.indexOf(next) : this.children.length, 0, child);
    return child;
  },
  addEventListener(name, f) { this.listeners[name] = f; },
  remove() { this.parent.children.splice(this.parent.children.indexOf(this), 1); },
  getContext() { return new Painter(this); },
  toDataURL() { return "data:image/png;base64,"; },
  click() { document.clicked = this; },
};

const block = fs.readFileSync(process.argv[2], "utf8");
const place = new Element("div");
const name = block.match(/class="qkv-head-view (qkv-[0-9a-f]+)"/)[1];
global.window = {};
global.document = {
  createElement: function (tag) { return new Element(tag); },
  querySelectorAll: function (selector) {
    return selector === "." + name + ":not([data-ready])" ? [place] : [];
  },
};
eval(block.match(/<script>([^]*)<\/script>/)[1]);

const view = place.headView, rows = Number(process.argv[3]), columns = Number(process.argv[4]);
const weights = [];
for (let i = 0; i < rows; i++) {
  const row = [];
  for (let j = 0; j < columns; j++) row.push(view.weight(0, 0, i, j));
  weights.push(row);
}
view.look(1, 0);
const bar = place.children[0];
bar.children.filter(function (c) { return c.textContent === "SVG"; })[0].listeners.click();

function selects() {
  return bar.children.filter(function (c) { return c.name === "select"; });
}
function choose(label, value) {
  const select = selects().filter(function (c) { return c.attributes["aria-label"] === label; })[0];
  select.value = String(value);
  select.listeners.change();
}
function legend() {
  const made = bar.children.filter(function (c) { return c.attributes.class === "qkv-legend"; })[0];
  const scale = made.children.filter(function (c) { return c.name === "canvas"; })[0];
  return { label: made.attributes["aria-label"], parts: made.children.map(function (c) { return c.text; }),
           pixels: scale ? scale.pixels : null };
}
function seen() {
  const small = place.children.filter(function (c) { return c.attributes.class === "qkv-small"; })[0];
  return { layer: view.state.layer, head: view.state.head, curve: view.state.curve, legend: legend(), svg: view.svg(),
           choices: selects().map(function (c) {
             return [c.attributes["aria-label"], c.children.map(function (option) { return option.text; })];
           }),
           small: small.children.map(function (c) { return [c.title, c.attributes["aria-pressed"]]; }) };
}
const first = {
  ready: "data-ready" in place.attributes, weights: weights, strongest: view.strongest(1, 3),
  told: place.children.filter(function (c) { return c.name === "p"; })[0].textContent, svg: view.svg(),
  curve: view.state.curve, layout: view.layout(),
  link: document.clicked.href.slice(0, 24), file: document.clicked.download,
};
const states = [seen()];
selects().forEach(function (select) {
  const label = select.attributes["aria-label"];
  for (let i = 0; i < select.children.length; i++) {
    choose(label, i);
    states.push(seen());
  }
});
console.log(JSON.stringify(Object.assign(first, { states: states })));
