// The head view's page side: headView(place, data) fills a div with controls, small maps of all
// heads, one large map on a canvas, and a line that tells what is under the pointer. It reads
// nothing but `data`, reaches no network, and touches nothing outside of its div.
"use strict";

function headView(place, data) {
  place.setAttribute("data-ready", "");
  const SVG_CELLS_MOST = 40000, MANY_KEYS = 256;
  const block = data.block, queries = data.queries, keys = data.keys;
  const rows = Math.ceil(queries / block), columns = Math.ceil(keys / block);
  const dark = window.matchMedia && window.matchMedia("(prefers-color-scheme: dark)").matches;
  const ink = dark ? "#ddd" : "#222";
  const state = { layer: 0, head: 0, curve: keys > MANY_KEYS ? "logarithm" : "linear", row: -1, column: -1,
                  top: 0, left: 0, high: rows, wide: columns };

  // ---- Data ----

  function bytes(text) {
    const raw = atob(text), out = new Uint8Array(raw.length);
    for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
    return new DataView(out.buffer);
  }
  const layers = data.layers.map(function (layer) {
    return { heads: layer.heads, low: layer.low, high: layer.high, cells: bytes(layer.cells),
             largest: layer.largest ? bytes(layer.largest) : null };
  });

  // The weight of a cell, NaN included.
  function weight(layer, head, row, column) {
    const l = layers[layer];
    return l.cells.getFloat32(4 * ((head * rows + row) * columns + column), true);
  }

  // The strongest keys of a query: [[key, weight], ...].
  function strongest(query, count) {
    const l = layers[state.layer], found = [];
    if (l.largest) {
      const start = 8 * data.top * (state.head * queries + query);
      for (let i = 0; i < Math.min(count, data.top); i++) {
        const key = l.largest.getInt32(start + 4 * i, true);
        if (key >= 0) found.push([key, l.largest.getFloat32(start + 4 * (data.top + i), true)]);
      }
      return found;
    }
    for (let j = 0; j < keys; j++) {
      const w = weight(state.layer, state.head, query, j);
      if (w === w) found.push([j, w]);
    }
    return found.sort(function (a, b) { return b[1] - a[1]; }).slice(0, count);
  }

  function keyName(j) { return data.keyTokens ? data.keyTokens[j] : String(j + 1); }
  function queryName(i) { return data.queryTokens ? data.queryTokens[i] : String(i + 1); }
  function layerName(i) { return data.layerNames[i] || "layer " + i; }
  function headName(i) { return data.headNames[i] || "head " + i; }

  // ---- Colours ----

  // From 0 to 1 by the curve that is chosen; small weights show under the root and the logarithm,
  // which is where many keys begin: shares of one among them are all small.
  function share(w) {
    const l = layers[state.layer], x = Math.max(0, Math.min(1, (w - l.low) / (l.high - l.low)));
    if (state.curve === "root") return Math.sqrt(x);
    if (state.curve === "logarithm") return Math.max(0, 1 + Math.log10(Math.max(x, 1e-4)) / 4);
    return x;
  }

  // White to dark blue, or black to light yellow: lightness alone tells the order, in print too.
  function colour(w) {
    if (w !== w) return [200, 60, 60];
    const t = share(w), from = dark ? [27, 27, 27] : [255, 255, 255];
    const middle = dark ? [30, 110, 170] : [86, 160, 211], to = dark ? [253, 240, 170] : [8, 29, 88];
    const a = t < 0.5 ? from : middle, b = t < 0.5 ? middle : to, s = t < 0.5 ? 2 * t : 2 * t - 1;
    return [0, 1, 2].map(function (i) { return Math.round(a[i] + (b[i] - a[i]) * s); });
  }
  function css(rgb) { return "rgb(" + rgb.join(",") + ")"; }

  // The largest weight of some rows and columns of cells; NaN if there is one.
  function largestOf(head, row, column, high, wide) {
    let most = -Infinity;
    for (let i = row; i < Math.min(row + high, rows); i++) {
      for (let j = column; j < Math.min(column + wide, columns); j++) {
        const w = weight(state.layer, head, i, j);
        if (w !== w) return w;
        if (w > most) most = w;
      }
    }
    return most;
  }

  // A head as an image, a pixel for so many rows and columns: what is sharp stays, however small.
  function image(head, high, wide) {
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(columns / wide);
    canvas.height = Math.ceil(rows / high);
    const context = canvas.getContext("2d");
    const pixels = context.createImageData(canvas.width, canvas.height);
    for (let i = 0, at = 0; i < rows; i += high) {
      for (let j = 0; j < columns; j += wide) {
        const rgb = colour(largestOf(head, i, j, high, wide));
        for (let c = 0; c < 3; c++) pixels.data[at++] = rgb[c];
        pixels.data[at++] = 255;
      }
    }
    context.putImageData(pixels, 0, 0);
    return canvas;
  }

  // ---- The parts of the page ----

  function element(name, parent, attributes, text) {
    const made = document.createElement(name);
    Object.keys(attributes || {}).forEach(function (key) { made.setAttribute(key, attributes[key]); });
    if (text !== undefined) made.textContent = text;
    parent.appendChild(made);
    return made;
  }
  function choice(label, names, chosen) {
    const select = element("select", bar, { "aria-label": label });
    names.forEach(function (name, i) { element("option", select, { value: i }, name); });
    select.addEventListener("change", function () { chosen(Number(select.value)); });
    return select;
  }
  function numbers(count, name) {
    return Array.from({ length: count }, function (_, i) { return name(i); });
  }

  const bar = element("div", place, { class: "qkv-bar" });
  if (data.title) element("b", bar, {}, data.title);
  const layerChoice = choice("layer", numbers(layers.length, layerName), function (i) {
    state.layer = i;
    state.head = Math.min(state.head, layers[i].heads - 1);
    renew();
  });
  let headChoice = null;
  const curves = ["linear", "root", "logarithm"];
  choice("colours", curves, function (i) { state.curve = curves[i]; renew(); }).value =
    String(curves.indexOf(state.curve));
  const all = element("button", bar, { type: "button", title: "show all of it" }, "All");
  const save = element("button", bar, { type: "button", title: "save what is seen as SVG" }, "SVG");
  const legend = element("span", bar, { class: "qkv-legend", role: "img" });
  if (layers.length === 1) layerChoice.style.display = "none";
  const small = element("div", place, { class: "qkv-small" });
  const map = element("canvas", place, { class: "qkv-map", tabindex: 0, role: "img" });
  const told = element("p", place, { class: "qkv-told", "aria-live": "polite" });
  let pictures = {}; // of the head that is chosen, by the cells that a pixel stands for

  function picture(high, wide) {
    const key = high + " " + wide;
    return pictures[key] || (pictures[key] = image(state.head, high, wide));
  }

  // What the colours stand for: from the least weight of the layer to the largest.
  function renewLegend() {
    const l = layers[state.layer], scale = document.createElement("canvas");
    scale.width = 64;
    scale.height = 1;
    const context = scale.getContext("2d"), pixels = context.createImageData(64, 1);
    for (let i = 0, at = 0; i < 64; i++) {
      const rgb = colour(l.low + (l.high - l.low) * i / 63);
      for (let c = 0; c < 3; c++) pixels.data[at++] = rgb[c];
      pixels.data[at++] = 255;
    }
    context.putImageData(pixels, 0, 0);
    legend.textContent = "";
    element("span", legend, {}, format(l.low));
    legend.appendChild(scale);
    element("span", legend, {}, format(l.high));
    legend.setAttribute("aria-label", "colours from " + format(l.low) + " to " + format(l.high));
  }

  function renew() {
    renewLegend();
    small.textContent = "";
    const heads = layers[state.layer].heads;
    for (let h = 0; heads > 1 && h < heads; h++) {
      const one = image(h, Math.max(1, Math.ceil(rows / 88)), Math.max(1, Math.ceil(columns / 88)));
      one.title = headName(h);
      one.setAttribute("role", "button");
      one.setAttribute("aria-pressed", String(h === state.head));
      one.addEventListener("click", function () { state.head = h; renew(); });
      small.appendChild(one);
    }
    if (headChoice) headChoice.remove();
    headChoice = null;
    if (heads > 1) {
      headChoice = choice("head", numbers(heads, headName), function (i) { state.head = i; renew(); });
      headChoice.value = String(state.head);
      bar.insertBefore(headChoice, layerChoice.nextSibling);
    }
    pictures = {};
    map.setAttribute("aria-label", "attention weights, " + layerName(state.layer) + ", " +
                     headName(state.head) + ": " + queries + " queries, " + keys + " keys");
    draw();
  }

  // ---- The large map ----

  // Where things lie, in pixels: names take room to the left and above. Cells are squares, of `down`
  // by `across`; where one side has few of them and the other many, no thinner than to be seen.
  function layout() {
    const longest = function (names, count) {
      return names ? names.reduce(function (most, name) { return Math.max(most, name.length); }, 2)
                   : String(count).length;
    };
    const left = Math.min(160, 14 + 7 * longest(data.queryTokens, queries));
    const above = Math.min(120, 18 + 6 * longest(data.keyTokens, keys));
    const room = Math.max(200, Math.min(940, (place.clientWidth || 800) - 56) - left);
    const most = { down: Math.min(28, 560 / state.high), across: Math.min(28, room / state.wide) };
    const side = Math.min(most.down, most.across);
    const down = Math.max(side, Math.min(most.down, 12, 120 / state.high));
    const across = Math.max(side, Math.min(most.across, 12, 120 / state.wide));
    return { left: left, above: above, down: down, across: across,
             wide: across * state.wide, high: down * state.high };
  }
  // Names are left out evenly where they lie too close.
  function every(side) { return Math.max(1, Math.ceil(12 / side)); }

  function draw() {
    const at = layout(), ratio = window.devicePixelRatio || 1;
    map.width = Math.ceil((at.left + at.wide + 40) * ratio);
    map.height = Math.ceil((at.above + at.high + 4) * ratio);
    map.style.width = map.width / ratio + "px";
    map.style.height = map.height / ratio + "px";
    const context = map.getContext("2d");
    context.scale(ratio, ratio);
    context.imageSmoothingEnabled = false;
    const high = Math.max(1, Math.ceil(1 / (at.down * ratio) - 1e-9));
    const wide = Math.max(1, Math.ceil(1 / (at.across * ratio) - 1e-9));
    context.drawImage(picture(high, wide), state.left / wide, state.top / high,
                      state.wide / wide, state.high / high,
                      at.left, at.above, at.wide, at.high);
    context.strokeStyle = "#888";
    context.strokeRect(at.left - 0.5, at.above - 0.5, at.wide + 1, at.high + 1);
    context.fillStyle = ink;
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    names(at, function (text, x, y, turned) {
      context.save();
      context.translate(x, y);
      if (turned) context.rotate(-Math.PI / 3);
      context.textAlign = turned ? "left" : "right";
      context.fillText(text, 0, 0, turned ? at.above * 1.1 : at.left - 8);
      context.restore();
    });
    if (state.row >= 0) cross(context, at);
  }

  // Calls put(text, x, y, turned) for every name that is seen.
  function names(at, put) {
    const down = every(at.down), across = every(at.across);
    for (let i = Math.ceil(state.top / down) * down; i < state.top + state.high && i < rows; i += down)
      put(queryName(i * block), at.left - 5, at.above + (i - state.top + 0.5) * at.down, false);
    for (let j = Math.ceil(state.left / across) * across;
         j < state.left + state.wide && j < columns; j += across)
      put(keyName(j * block), at.left + (j - state.left + 0.5) * at.across, at.above - 6, true);
  }

  function cross(context, at) {
    context.strokeStyle = "#d55e00";
    const y = at.above + (state.row - state.top) * at.down;
    const x = at.left + (state.column - state.left) * at.across;
    context.strokeRect(at.left, y, at.wide, at.down);
    context.strokeRect(x, at.above, at.across, at.high);
  }

  // ---- What is under the pointer ----

  function format(w) {
    if (w !== w) return "NaN";
    if (!isFinite(w)) return w > 0 ? "inf" : "-inf";
    return w === 0 ? "0" : w.toPrecision(4);
  }
  function span(first, end, name) {
    return end - first <= 1 ? name(first) : name(first) + " … " + name(end - 1);
  }

  function tell() {
    if (state.row < 0) { told.textContent = note(); return; }
    const i = state.row * block, j = state.column * block;
    const w = weight(state.layer, state.head, state.row, state.column);
    let text = span(i, Math.min(i + block, queries), queryName) + " → " +
      span(j, Math.min(j + block, keys), keyName) + ": " + format(w) + (block > 1 ? " at most" : "");
    const best = strongest(i, 5).filter(function (pair) { return pair[1] > 0; });
    if (best.length) {
      text += "\n" + queryName(i) + " looks at " + best.map(function (pair) {
        return keyName(pair[0]) + " " + format(pair[1]);
      }).join(", ");
    }
    told.textContent = text;
  }
  function note() {
    return block > 1 ? "A cell shows the largest weight of " + block + " × " + block + "; " +
      queries + " queries (down), " + keys + " keys (across)."
      : queries + " queries (down), " + keys + " keys (across).";
  }

  function point(event) {
    const box = map.getBoundingClientRect(), at = layout();
    const column = state.left + (event.clientX - box.left - at.left) / at.across;
    const row = state.top + (event.clientY - box.top - at.above) / at.down;
    return { row: row, column: column,
             inside: row >= state.top && row < Math.min(rows, state.top + state.high) &&
                     column >= state.left && column < Math.min(columns, state.left + state.wide) };
  }
  function look(row, column) {
    state.row = row;
    state.column = column;
    draw();
    tell();
  }

  // ---- Zoom ----

  function show(top, left, high, wide) {
    state.high = Math.max(Math.min(4, rows), Math.min(rows, high));
    state.wide = Math.max(Math.min(4, columns), Math.min(columns, wide));
    state.top = Math.max(0, Math.min(rows - state.high, top));
    state.left = Math.max(0, Math.min(columns - state.wide, left));
    draw();
  }
  map.addEventListener("wheel", function (event) {
    const where = point(event);
    if (!where.inside || (state.high >= rows && state.wide >= columns && event.deltaY > 0)) return;
    event.preventDefault();
    const factor = event.deltaY > 0 ? 1.25 : 0.8;
    const high = Math.round(state.high * factor), wide = Math.round(state.wide * factor);
    show(Math.round(where.row - (where.row - state.top) * high / state.high),
         Math.round(where.column - (where.column - state.left) * wide / state.wide), high, wide);
  }, { passive: false });

  let held = null;
  map.addEventListener("pointerdown", function (event) {
    const where = point(event);
    if (!where.inside) return;
    held = { x: event.clientX, y: event.clientY, top: state.top, left: state.left };
    map.setPointerCapture(event.pointerId);
  });
  map.addEventListener("pointerup", function () { held = null; });
  map.addEventListener("pointermove", function (event) {
    if (held) {
      const at = layout();
      show(Math.round(held.top - (event.clientY - held.y) / at.down),
           Math.round(held.left - (event.clientX - held.x) / at.across), state.high, state.wide);
      return;
    }
    const where = point(event);
    look(where.inside ? Math.floor(where.row) : -1, where.inside ? Math.floor(where.column) : -1);
  });
  map.addEventListener("pointerleave", function () { if (!held) look(-1, -1); });
  map.addEventListener("dblclick", function () { show(0, 0, rows, columns); });
  all.addEventListener("click", function () { show(0, 0, rows, columns); });
  map.addEventListener("keydown", function (event) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    look(Math.max(0, Math.min(rows - 1, state.row + move[0])),
         Math.max(0, Math.min(columns - 1, state.column + move[1])));
  });

  // ---- SVG ----

  const HALF_A_PAIR = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
  function safe(text) {
    return String(text).replace(HALF_A_PAIR, "\ufffd").replace(/[&<>"]/g, function (c) {
      return { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }[c];
    });
  }

  // What is seen, as SVG: cells as rectangles, or as one image where there are too many of them.
  function svg() {
    const at = layout(), parts = [];
    const last = { row: Math.min(rows, Math.ceil(state.top + state.high)),
                   column: Math.min(columns, Math.ceil(state.left + state.wide)) };
    const top = Math.floor(state.top), left = Math.floor(state.left);
    const round = function (x) { return Math.round(100 * x) / 100; };
    if ((last.row - top) * (last.column - left) > SVG_CELLS_MOST) {
      const cut = document.createElement("canvas");
      cut.width = last.column - left;
      cut.height = last.row - top;
      cut.getContext("2d").drawImage(picture(1, 1), -left, -top);
      parts.push('<image x="' + at.left + '" y="' + at.above + '" width="' + round(at.wide) +
                 '" height="' + round(at.high) + '" preserveAspectRatio="none" ' +
                 'style="image-rendering:pixelated" href="' + cut.toDataURL("image/png") + '"/>');
    } else {
      for (let i = top; i < last.row; i++) {
        for (let j = left; j < last.column; j++) {
          const w = weight(state.layer, state.head, i, j);
          parts.push('<rect x="' + round(at.left + (j - state.left) * at.across) + '" y="' +
                     round(at.above + (i - state.top) * at.down) + '" width="' + round(at.across) +
                     '" height="' + round(at.down) + '" fill="' + css(colour(w)) + '"/>');
        }
      }
    }
    names(at, function (text, x, y, turned) {
      parts.push('<text x="' + round(x) + '" y="' + round(y) + '" dominant-baseline="middle"' +
                 (turned ? ' transform="rotate(-60 ' + round(x) + " " + round(y) + ')"'
                         : ' text-anchor="end"') + ">" + safe(text) + "</text>");
    });
    const wide = round(at.left + at.wide + 60), high = round(at.above + at.high + 4);
    return '<svg xmlns="http://www.w3.org/2000/svg" width="' + wide + '" height="' + high +
      '" viewBox="0 0 ' + wide + " " + high + '" font-family="sans-serif" font-size="11" fill="' +
      ink + '"><title>' + safe(map.getAttribute("aria-label")) + "</title>" +
      (dark ? '<rect width="100%" height="100%" fill="#1b1b1b"/>' : "") + parts.join("") + "</svg>";
  }
  save.addEventListener("click", function () {
    const link = document.createElement("a");
    link.href = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg());
    link.download = "attention-" + state.layer + "-" + state.head + ".svg";
    place.appendChild(link);
    link.click();
    link.remove();
  });

  // For tests, and for whoever wants to drive it.
  place.headView = { state: state, weight: weight, strongest: strongest, svg: svg, look: look, show: show,
                     layout: layout };
  renew();
  tell();
  if (window.ResizeObserver) new window.ResizeObserver(function () { draw(); }).observe(place);
}
