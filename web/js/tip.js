// Numbers that tell their formula: when the pointer is on them, when they have the focus, and when
// they are touched.

import { atRest } from './pointer.js';

let tip, owner;

export function setUpTips() {
  tip = document.getElementById('tip');
  for (const event of ['pointerover', 'focusin'])
    document.addEventListener(event, (at) => atRest(at) || showTip(at.target.closest?.('[data-formula]')));
  for (const event of ['pointerout', 'focusout'])
    document.addEventListener(event, ({ target }) => {
      if (target.closest?.('[data-formula]') === owner && document.activeElement !== owner) hideTip();
    });
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && hideTip());
  document.addEventListener('scroll', hideTip, { passive: true, capture: true });
}

function showTip(element) {
  if (!element) return;
  if (owner !== element) hideTip();
  owner = element;
  tip.replaceChildren(lowered(element.dataset.formula));
  tip.hidden = false;
  element.setAttribute('aria-describedby', 'tip');
  const at = element.getBoundingClientRect(), size = tip.getBoundingClientRect();
  const above = at.top - size.height - 8;
  const left = Math.min(Math.max(8, at.left), Math.max(8, document.documentElement.clientWidth - size.width - 8));
  tip.style.left = `${left}px`;
  tip.style.top = `${above > 4 ? above : at.bottom + 8}px`;
}

function hideTip() {
  owner?.removeAttribute('aria-describedby');
  owner = undefined;
  tip.hidden = true;
}

/** An element for a number. */
export function number(text, formula) {
  const element = document.createElement('span');
  element.className = 'number';
  element.tabIndex = 0;
  setNumber(element, text, formula);
  return element;
}

/** A number that stays where it is and changes. */
export function setNumber(element, text, formula) {
  if (element.textContent !== text) element.textContent = text;
  const plain = formula.replace(/= (?=[>≈])/g, ''); // one relation is enough
  element.dataset.formula = plain;
  if (element === owner) tip.replaceChildren(lowered(plain));
}

const RAISED = '⁻⁰¹²³⁴⁵⁶⁷⁸⁹';

/** m·10ⁿ, from what toExponential writes. */
function scientific(text) {
  const [mantissa, exponent] = text.replace('+', '').split('e');
  return `${mantissa.replace('-', '−')}·10${[...exponent].map((sign) => RAISED['-0123456789'.indexOf(sign)]).join('')}`;
}

/** Digits for reading: 0.4983, 2.1·10⁻⁹, 1. */
export function digits(x, count = 4) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? 'not known' : x > 0 ? '∞' : '−∞';
  if (x === 0) return '0';
  const size = Math.abs(x);
  if (size < 1e-4 || size >= 1e5) return scientific(x.toExponential(count - 2));
  return String(Number(x.toPrecision(count))).replace('-', '−');
}

/** What is less than all is never 100 %. */
export function percent(x, count = 3) {
  if (x > 0 && x < 1e-4) return `${digits(100 * x, count)} %`;
  const rounded = Number((100 * x).toPrecision(count));
  if (x >= 1 || rounded < 100) return `${rounded} %`;
  return x < 0.99995 ? `${(100 * x).toFixed(2)} %` : '> 99.99 %';
}

const INKS = { a: 'ink-0', b: 'ink-1' };

/** Text in which _a lowers a letter and ^{...} raises what is inside. Keys, queries, values, outputs are in italics, with their colour's class. */
export function lowered(text) {
  const fragment = document.createDocumentFragment();
  text.split(/(\b[kqvcuwx](?:_\w)?\b|_\w|\^\{[^}]*\})/).forEach((part, i) => {
    if (i % 2 === 0) return fragment.append(part);
    const script = document.createElement(part[0] === '_' ? 'sub' : part[0] === '^' ? 'sup' : 'i');
    if (part[0] === '_') script.append(part[1]);
    else if (part[0] === '^') script.append(lowered(part.slice(2, -1)));
    else script.append(part[0], ...(part.length > 1 ? [lowered(part.slice(1))] : []));
    if (/^[kvw]_[ab]$/.test(part)) script.className = INKS[part[2]];
    if (/^c/.test(part)) script.className = 'output';
    return fragment.append(script);
  });
  return fragment;
}

/** A weight among others: it is never 1, however long the query is, and what only comes near to a round number says so. */
export function weightDigits(x, count = 4) {
  if (x < 1e-3 && x > 0) return scientific(x.toExponential(count < 6 ? 1 : 5));
  const told = digits(x, count > 4 || x >= 0.1 ? count : 3), apart = Math.abs(Number(told) - x);
  if (Number(told) < 1) return count < 6 && told.length < 4 && apart > 1e-12 ? `≈ ${told}` : told;
  return Number(x.toFixed(count)) < 1 ? x.toFixed(count) : `> 0.${'9'.repeat(count)}`;
}

/** Numbers of a column that are added up: whole ones where they are large, so that the sum is seen to be right. */
export function summand(x) {
  if (x < 1e-3 && x > 0) return scientific(x.toExponential(1));
  return x >= 1000 && x < 1e6 ? String(Math.round(x)) : digits(x, x < 1 ? 3 : 4);
}

const GREEK_LETTERS = { alpha: 'α', beta: 'β', mu: 'μ', sigma: 'σ', eps: 'ε', '>=': '≥', '<=': '≤', '->': '→' };

/** A reason of the library for reading: Greek letters, v[a] with a lowered a, raised powers, products and minus signs as on paper. */
export function readable(text) {
  const plain = text.replace(/\b(?:alpha|beta|mu|sigma|eps)\b|>=|<=|->/g, (word) => GREEK_LETTERS[word]).replace(/(^|[ (=])-(?=[\dβα])/g, '$1−').replace(/ - /g, ' − ')
    .replace(/(?<![/.\d])(\d+)\*(?=[a-zα-ω(])/g, '$1').replace(/\*/g, '·').replace(/\^\(((?:[^(){}]|\([^(){}]*\))*)\)/g, '^{$1}').replace(/\^([\wα-ω]+)/g, '^{$1}');
  return lowered(plain.replace(/\b([kvq]|μ)\[(\w)\]/g, '$1_$2').replace(/μ\[(\w)\]/g, 'μ_$1'));
}
