// Completion in the claims' text: words of the language and names of the document that begin like the
// one that is being typed. Tab takes the first, or the one that the arrow keys have chosen; with
// nothing to complete, Tab goes to the next blank.

import { replaceText } from './replace_text.js';

const PHRASES = ['given', 'keys', 'values', 'pick', 'means', 'matrix', 'permutation', 'problem', 'claim', 'find least', 'exists', 'expect refuted', 'distinct in 1..n',
  'orthonormal', 'attend(', 'mean(', 'softmax(', 'weight[', 'normal(', 'Var(', 'Cov(', 'law of', 'within', 'implies', 'as beta -> inf', 'beta', 'alpha', 'sum(v[i] for i not in {a, b})'];
const OFFERS = 6;
export const BLANK = '…';

export class Completion {
  /** area: the textarea; onTake: called after it has changed. */
  constructor(area, list, onTake) {
    Object.assign(this, { area, list, onTake });
    area.addEventListener('input', () => this.offer());
    area.addEventListener('keydown', (event) => this.key(event));
    area.addEventListener('blur', () => this.close());
    area.addEventListener('click', () => this.close());
    area.addEventListener('scroll', () => this.close());
  }

  begun() {
    return /[A-Za-z_]\w*$/.exec(this.area.value.slice(0, this.area.selectionStart))?.[0] ?? '';
  }

  offer() {
    const begun = this.begun(), { value, selectionStart: at } = this.area;
    const line = value.slice(value.lastIndexOf('\n', at - 1) + 1, at);
    if (begun.length < 2 || /^\s*#/.test(line) || /\w/.test(value[at] ?? '')) return this.close();
    const names = [...value.matchAll(/^\s*(\w+)(?:\([^)]*\))?\s*=/gm)].map((found) => found[1]);
    this.offers = [...new Set([...PHRASES, ...names])].filter((word) => word.startsWith(begun) && word !== begun && !(word.startsWith('as ') && line.trim() === begun)).slice(0, OFFERS);
    if (this.offers.length === 0) return this.close();
    this.chosen = -1;
    this.place(line.length - begun.length, value.slice(0, at).split('\n').length);
    return this.show();
  }

  place(column, row) {
    const style = getComputedStyle(this.area), context = (this.context ??= document.createElement('canvas').getContext('2d'));
    context.font = style.font;
    const x = parseFloat(style.paddingLeft) + column * context.measureText('m').width - this.area.scrollLeft;
    this.list.style.left = `${Math.max(0, Math.min(x, this.area.clientWidth - 170))}px`;
    this.list.style.top = `${parseFloat(style.paddingTop) + row * parseFloat(style.lineHeight) - this.area.scrollTop}px`;
  }

  show() {
    this.list.replaceChildren(...this.offers.map((word, i) => {
      const item = document.createElement('li');
      item.textContent = word;
      item.setAttribute('role', 'option');
      item.id = `offer-${i}`;
      item.setAttribute('aria-selected', String(i === Math.max(this.chosen, 0)));
      item.addEventListener('pointerdown', (event) => { event.preventDefault(); this.take(i); });
      return item;
    }));
    this.list.hidden = false;
    this.area.setAttribute('aria-activedescendant', `offer-${Math.max(this.chosen, 0)}`);
  }

  close() {
    this.list.hidden = true;
    this.area.removeAttribute('aria-activedescendant');
  }

  take(index) {
    const at = this.area.selectionStart, begun = this.begun();
    replaceText(this.area, this.offers[index], at - begun.length, at);
    this.close();
    this.onTake();
  }

  key(event) {
    const open = !this.list.hidden;
    if (open && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      this.chosen = (Math.max(this.chosen, event.key === 'ArrowDown' ? -1 : 0) + (event.key === 'ArrowDown' ? 1 : -1) + this.offers.length) % this.offers.length;
      this.show();
    } else if (open && (event.key === 'Tab' || (event.key === 'Enter' && this.chosen >= 0))) this.take(Math.max(this.chosen, 0));
    else if (open && event.key === 'Escape') this.close();
    else if (!(event.key === 'Tab' && !event.shiftKey && this.toBlank())) return;
    event.preventDefault();
  }

  /** Selects the next blank, the first one after the last; false if there is none. */
  toBlank() {
    const { value, selectionEnd } = this.area, next = value.indexOf(BLANK, selectionEnd), at = next >= 0 ? next : value.indexOf(BLANK);
    if (at < 0 || (at === this.area.selectionStart && value.indexOf(BLANK) === value.lastIndexOf(BLANK))) return false;
    this.area.setSelectionRange(at, at + 1);
    return true;
  }
}
