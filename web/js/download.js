// Pictures as files: what is on the screen, as SVG, PNG or PDF.

export function save(name, data, type = 'image/svg+xml') {
  const link = document.createElement('a');
  link.href = data instanceof Blob ? URL.createObjectURL(data) : URL.createObjectURL(new Blob([data], { type }));
  link.download = name;
  link.hidden = true;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export const isDark = () => document.documentElement.dataset.theme === 'dark';

const NAMESPACE = 'http://www.w3.org/2000/svg';
const STYLES = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray', 'stroke-linecap', 'opacity',
  'font-size', 'font-style', 'font-weight', 'font-family', 'text-anchor', 'paint-order', 'visibility'];

/** An element that looks by itself as it does in the page. */
function styled(element) {
  const copy = element.cloneNode(false), style = getComputedStyle(element);
  for (const name of ['class', 'tabindex', 'role', 'style']) copy.removeAttribute(name);
  for (const name of STYLES) copy.style.setProperty(name, style.getPropertyValue(name));
  for (const child of element.childNodes)
    copy.append(child.nodeType === Node.ELEMENT_NODE ? styled(child) : child.cloneNode());
  return copy;
}

function shape(name, attributes, text = undefined) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** A rectangle of the page that has a colour of its own, and texts, each at its place. Buttons are no part of a picture. */
function boxes(root, origin, to) {
  for (const element of root.querySelectorAll('*')) {
    if (!element.checkVisibility({ visibilityProperty: true }) || element.closest('.skip, svg') || isTool(element)) continue;
    const box = element.getBoundingClientRect(), style = getComputedStyle(element), at = { x: box.x - origin.x, y: box.y - origin.y };
    if (style.backgroundColor !== 'rgba(0, 0, 0, 0)' && box.width > 0)
      to.append(shape('rect', { ...at, width: box.width, height: box.height, rx: 2, fill: style.backgroundColor, opacity: style.opacity }));
    for (const [side, edge] of [['Top', box.top], ['Bottom', box.bottom]])
      if (element.closest('table') && parseFloat(style[`border${side}Width`]) > 0 && style[`border${side}Style`] === 'solid')
        to.append(shape('path', { d: `M${at.x} ${edge - origin.y}h${box.width}`, stroke: style[`border${side}Color`], 'stroke-width': 1 }));
    if (element.localName === 'mfrac') {
      const line = element.firstElementChild.getBoundingClientRect().bottom / 2 + element.lastElementChild.getBoundingClientRect().top / 2 - origin.y;
      to.append(shape('path', { d: `M${at.x} ${line}h${box.width}`, stroke: style.color, 'stroke-width': 1 }));
    }
    for (const node of element.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || node.textContent.trim() === '') continue;
      to.append(...lines(node, style, origin, element.matches('mi:not([mathvariant])') ? 'italic' : style.fontStyle));
    }
  }
}

/** Those of the words are the picture. */
const isTool = (element) => Boolean(element.closest('button:not(.chip, .thumb), select, input'));

/** A text, line by line as the page has broken it. */
function lines(node, style, origin, slant) {
  const range = document.createRange(), size = parseFloat(style.fontSize), found = [];
  for (const { 0: word, index } of node.textContent.matchAll(/\S+/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const box = range.getBoundingClientRect(), last = found.at(-1);
    if (last && Math.abs(last.box.top - box.top) < 2) last.words.push(word);
    else found.push({ box, words: [word] });
  }
  return found.map(({ box, words }) => shape('text', { x: box.x - origin.x, y: box.y - origin.y + box.height / 2 + 0.35 * size, 'font-size': size, fill: style.color,
    'font-family': style.fontFamily, 'font-style': slant, 'font-weight': style.fontWeight }, words.join(' ')));
}

/** The parts of the page, where they stand, as one SVG. Planes come after the boxes, which would cover them. */
export function photograph(parts, caption = '') {
  const shown = parts.filter((part) => part.checkVisibility()), places = shown.map((part) => part.getBoundingClientRect());
  const origin = { x: Math.min(...places.map((p) => p.left)) - 12, y: Math.min(...places.map((p) => p.top)) - 12 };
  const width = Math.max(...places.map((p) => p.right)) - origin.x + 12, bottom = Math.max(...places.map((p) => p.bottom)) - origin.y + 12, height = bottom + (caption ? 24 : 0);
  const picture = shape('svg', { xmlns: NAMESPACE, width, height, viewBox: `0 0 ${width} ${height}` });
  picture.append(shape('rect', { width, height, fill: getComputedStyle(document.body).backgroundColor }));
  for (const part of shown) {
    boxes(part, origin, picture);
    for (const plane of part.querySelectorAll('.plane, .picture')) picture.append(...planePicture(plane, origin));
  }
  const style = getComputedStyle(document.body);
  if (caption) {
    const text = shape('text', { x: 12, y: bottom + 8, 'font-size': 13, fill: style.color, 'font-family': style.fontFamily });
    text.append(...caption.split(/_(\w)/).map((part, i) => (i === 0 ? part : shape('tspan', { dy: i % 2 ? 3 : -3, 'font-size': i % 2 ? 10 : 13 }, part))));
    picture.append(text);
  }
  return { text: new XMLSerializer().serializeToString(picture), width, height };
}

function planePicture(plane, origin) {
  const box = plane.getBoundingClientRect(), at = { x: box.x - origin.x, y: box.y - origin.y, width: box.width, height: box.height };
  const made = [shape('rect', { ...at, rx: 10, fill: 'none', stroke: getComputedStyle(plane).borderColor })];
  const canvas = plane.querySelector('canvas'), svg = plane.querySelector('svg');
  if (canvas?.width) made.push(shape('image', { ...at, href: canvas.toDataURL() }));
  if (svg) {
    const copy = styled(svg);
    for (const [name, value] of Object.entries(at)) copy.setAttribute(name, value);
    made.push(copy);
  }
  return made;
}

/** The same in pixels, so many for one of the screen's. */
async function pixels({ text, width, height }, fineness) {
  const image = new Image(), canvas = document.createElement('canvas');
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
  await image.decode();
  [canvas.width, canvas.height] = [fineness * width, fineness * height].map(Math.round);
  canvas.getContext('2d').drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas;
}

export async function rasterise(picture) {
  const canvas = await pixels(picture, 2);
  return new Promise((resolve) => { canvas.toBlob(resolve, 'image/png'); });
}

/** The same as PDF: one page of its size, on which a JPEG of three pixels for one stands. */
export async function asPdf(picture) {
  const canvas = await pixels(picture, 3), [width, height] = [0.75 * picture.width, 0.75 * picture.height]; // points
  const blob = await new Promise((resolve) => { canvas.toBlob(resolve, 'image/jpeg', 0.95); }), jpeg = new Uint8Array(await blob.arrayBuffer());
  const paint = `q ${width} 0 0 ${height} 0 0 cm /I Do Q`, encoder = new TextEncoder(), parts = [], places = [];
  const write = (...all) => parts.push(...all.map((part) => (typeof part === 'string' ? encoder.encode(part) : part)));
  const length = () => parts.reduce((sum, part) => sum + part.length, 0);
  write('%PDF-1.4\n');
  [['<< /Type /Catalog /Pages 2 0 R >>'], ['<< /Type /Pages /Kids [3 0 R] /Count 1 >>'],
    [`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>`],
    [`<< /Length ${paint.length} >>\nstream\n${paint}\nendstream`],
    [`<< /Type /XObject /Subtype /Image /Width ${canvas.width} /Height ${canvas.height} /ColorSpace /DeviceRGB /BitsPerComponent 8 /Filter /DCTDecode /Length ${jpeg.length} >>\nstream\n`, jpeg, '\nendstream'],
  ].forEach((object, i) => {
    places.push(length());
    write(`${i + 1} 0 obj\n`, ...object, '\nendobj\n');
  });
  const table = length();
  write(`xref\n0 6\n0000000000 65535 f \n${places.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${table}\n%%EOF\n`);
  return new Blob(parts, { type: 'application/pdf' });
}
