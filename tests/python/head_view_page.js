// Runs the script of a head view's block in a page of the barest kind, and prints as JSON what it
// shows: the weights it reads back, the strongest keys, the SVG it would save.
//     node head_view_page.js BLOCK.html ROWS COLUMNS
"use strict";
const fs = require("fs");

function Element(name) {
  this.name = name;
  this.children = [];
  this.attributes = {};
  this.style = {};
  this.listeners = {};
  this.textContent = "";
  this.clientWidth = 800;
}
const nothing = function () {};
const painter = { createImageData: function (w, h) { return { data: new Uint8ClampedArray(4 * w * h) }; } };
["putImageData", "scale", "drawImage", "strokeRect", "save", "translate", "rotate", "fillText",
 "restore"].forEach(function (name) { painter[name] = nothing; });
Element.prototype = {
  setAttribute(key, value) { this.attributes[key] = String(value); },
  getAttribute(key) { return this.attributes[key]; },
  appendChild(child) { this.children.push(child); return child; },
  insertBefore(child) { return child; },
  addEventListener(name, f) { this.listeners[name] = f; },
  remove: nothing,
  getContext() { return painter; },
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
console.log(JSON.stringify({
  ready: "data-ready" in place.attributes, weights: weights, strongest: view.strongest(1, 3),
  told: place.children.filter(function (c) { return c.name === "p"; })[0].textContent, svg: view.svg(),
  curve: view.state.curve, layout: view.layout(),
  link: document.clicked.href.slice(0, 24), file: document.clicked.download,
}));
