// Lines of the claim language as MathML, to be read: fractions, powers, lowered indexes, relations.
// What is not understood is not typeset at all. Says nothing about what is true.

const GREEK = { alpha: 'α', beta: 'β', gamma: 'γ', delta: 'δ', epsilon: 'ε', eta: 'η', lambda: 'λ', mu: 'μ', sigma: 'σ', tau: 'τ', Sigma: 'Σ' };
const SIGNS = { '>=': '≥', '<=': '≤', '!=': '≠', '->': '→', '~': '→', '=': '=', '<': '<', '>': '>' };
const WORDS = new Set(['as', 'then', 'for', 'all', 'at', 'and', 'or', 'within', 'expect', 'refuted', 'proved', 'in', 'not', 'exists', 'implies', 'law', 'of', 'with', 'distinct', 'least', 'permutation']);
const ROMAN = new Set(['weight', 'output', 'score', 'scores', 'attend', 'mean', 'softmax', 'sum', 'ln', 'P', 'E', 'Var', 'Cov', 'others', 'inf']);
const TOKEN = /\s*(?:(\d+(?:\.\d+)?)|([A-Za-z_]\w*)|(>=|<=|!=|->|\.\.|[-+*/^()[\]{},.=~<>|:'…]))/y;

/** Signs of paper that the language reads too, in its own words. */
const PAPER = { 'α': ' alpha ', 'β': ' beta ', 'μ': ' mu ', 'σ': ' sigma ', 'ε': ' epsilon ', '→': '->', '∞': ' inf ', '≤': '<=', '≥': '>=', '≠': '!=', '≈': '~', '·': '*', '−': '-', '½': ' 1/2 ', '⅓': ' 1/3 ', '¼': ' 1/4 ' };

const escaped = (text) => text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]);
const wrap = (name, ...parts) => `<${name}>${parts.join('')}</${name}>`;
const operator = (text) => wrap('mo', escaped(text));

function tokens(written) {
  const text = written.replace(/[αβμσε→∞≤≥≠≈·−½⅓¼]/g, (sign) => PAPER[sign]).replace(/\.\.\.$|\.\.\.(?=\s)/g, '…'), found = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const match = TOKEN.exec(text);
    if (!match) throw new Error('not typeset');
    found.push({ number: match[1], name: match[2], sign: match[3] });
  }
  return found;
}

class Line {
  constructor(text) {
    this.list = tokens(text);
    this.at = 0;
  }

  get next() {
    return this.list[this.at] ?? {};
  }

  is(...signs) {
    return signs.includes(this.next.sign);
  }

  take(sign) {
    if (!this.is(sign)) throw new Error('not typeset');
    this.at++;
  }

  /** Expressions, relations and words, one after the other. */
  all() {
    const made = [];
    while (this.at < this.list.length) {
      const { name, sign } = this.next;
      if (WORDS.has(name)) made.push(`<mspace width="0.4em"/>${wrap('mtext', name)}<mspace width="0.4em"/>`);
      else if (sign in SIGNS) made.push(operator(SIGNS[sign]));
      else if (sign === ',' || sign === ':' || sign === '..' || sign === '…') made.push(operator(sign === '..' ? '…' : sign));
      else {
        made.push(this.sum().text);
        continue;
      }
      this.at++;
    }
    return made.join('');
  }

  begins() {
    return this.next.number !== undefined || (this.next.name !== undefined && !WORDS.has(this.next.name)) || this.is('(', '{', '|');
  }

  /** Parts are {text, inner}: inner is without the brackets around it, for fractions and powers. */
  sum() {
    let text = '';
    if (this.is('-', '+')) text += operator(this.list[this.at++].sign === '-' ? '−' : '+');
    text += this.product().text;
    while (this.is('+', '-')) text += operator(this.list[this.at++].sign === '-' ? '−' : '+') + this.product().text;
    return { text };
  }

  product() {
    let left = this.power();
    for (;;) {
      if (this.is('/')) {
        this.at++;
        const right = this.power();
        left = { text: wrap('mfrac', wrap('mrow', left.inner ?? left.text), wrap('mrow', right.inner ?? right.text)) };
      } else if (this.is('*')) {
        this.at++;
        left = { text: `${left.text}<mo>⁢</mo>${this.power().text}` };
      } else if (this.begins()) left = { text: `${left.text}<mo>⁢</mo>${this.power().text}` };
      else return left;
    }
  }

  power() {
    const base = this.primary();
    if (!this.is('^')) return base;
    this.at++;
    if (this.is('-')) {
      this.at++;
      const raised = this.power();
      return { text: wrap('msup', wrap('mrow', base.text), wrap('mrow', operator('−'), raised.inner ?? raised.text)) };
    }
    const raised = this.power();
    return { text: wrap('msup', wrap('mrow', base.text), wrap('mrow', raised.inner ?? raised.text)) };
  }

  primary() {
    const { number, name, sign } = this.next;
    if (number !== undefined) {
      this.at++;
      return { text: wrap('mn', number) };
    }
    if (sign === '(' || sign === '{' || sign === '|' || sign === '[') return this.bracket(sign);
    if (name === undefined) throw new Error('not typeset');
    this.at++;
    const text = name in GREEK ? wrap('mi', GREEK[name]) : name === 'inf' ? wrap('mi', '∞')
      : name.length > 1 || ROMAN.has(name) ? `<mi mathvariant="normal">${escaped(name.replace('_', ' '))}</mi>` : wrap('mi', name);
    return { text: this.suffixes(text) };
  }

  /** k[a], c.weight[a], k[a].q, f(x), x' */
  suffixes(text) {
    for (;;) {
      if (this.is('[')) text = wrap('msub', wrap('mrow', text), wrap('mrow', this.bracket('[').inner));
      else if (this.is('(') && />sum<\/mi>$/.test(text)) text = this.sumOver();
      else if (this.is('(') && />(?:attend|mean|softmax|sum|ln|P|E|Var|Cov|normal|att|file)<\/mi>$/.test(text)) text += this.bracket('(').text;
      else if (this.is('.')) {
        this.at++;
        const dotted = ROMAN.has(this.next.name) ? '.' : '·';
        text += (dotted === '.' ? '<mo lspace="0" rspace="0">.</mo>' : operator(dotted)) + this.primary().text;
      } else if (this.is("'")) {
        this.at++;
        text = wrap('msup', wrap('mrow', text), operator('⊤'));
      } else return text;
    }
  }

  /** sum(v[i] for i not in {a, b}): what i runs over goes below the sign. */
  sumOver() {
    this.take('(');
    const body = this.sum().text;
    if (this.next.name !== 'for') throw new Error('not typeset');
    const under = [wrap('mi', this.list[this.at + 1].name)];
    for (this.at += 2; !this.is(')');) {
      if (this.at >= this.list.length) throw new Error('not typeset');
      if (this.next.name === 'not') under.push(operator('∉'));
      else if (this.next.name === 'in') under.push(this.list[this.at - 1].name === 'not' ? '' : operator('∈'));
      else if (this.is('..', ',')) under.push(operator(this.is(',') ? ',' : '…'));
      else {
        under.push(this.sum().text);
        continue;
      }
      this.at++;
    }
    this.take(')');
    return wrap('mrow', wrap('munder', operator('∑'), wrap('mrow', ...under)), body);
  }

  bracket(open) {
    const close = { '(': ')', '[': ']', '{': '}', '|': '|' }[open];
    this.take(open);
    const parts = [];
    while (!this.is(close)) {
      if (this.at >= this.list.length) throw new Error('not typeset');
      if (this.is(',', '..', ':') || this.next.sign in SIGNS || WORDS.has(this.next.name)) {
        const { sign, name } = this.list[this.at++];
        parts.push(name ? `<mspace width="0.3em"/>${wrap('mtext', name)}<mspace width="0.3em"/>` : operator(SIGNS[sign] ?? (sign === '..' ? '…' : sign)));
      } else parts.push(this.sum().text);
    }
    this.take(close);
    const inner = parts.join('');
    const fence = inner.includes('<mfrac>') ? operator : (sign) => `<mo stretchy="false">${sign}</mo>`;
    return { text: wrap('mrow', fence(open), inner, fence(close)), inner };
  }
}

/** Whether the fonts here leave an index on the line of what it belongs to, as those not made for mathematics do. */
export function isFlat() {
  const probe = document.createElement('div');
  probe.innerHTML = '<math><msub><mi>x</mi><mi>x</mi></msub></math>';
  document.body.append(probe);
  const [base, index] = [...probe.querySelectorAll('mi')].map((part) => part.getBoundingClientRect().bottom);
  probe.remove();
  return index < base + 1;
}

/** MathML of a line, or undefined where it is not understood. */
export function typeset(text) {
  try {
    const made = new Line(text).all();
    return made === '' ? undefined : `<math>${made}</math>`;
  } catch {
    return undefined;
  }
}

const PLAIN = { cdot: '.', times: '*', to: '->', rightarrow: '->', infty: 'inf', le: '<=', leq: '<=', ge: '>=', geq: '>=', ne: '!=', neq: '!=', approx: '~', sim: '~' };
const GREEK_COMMAND = new RegExp(String.raw`(?<!frac\s*)\\(${Object.keys(GREEK).join('|')})(?![A-Za-z])\s?`, 'g');
const LETTERS = String.raw`\\(?:mathrm|mathbf|mathit|mathsf|boldsymbol|bm|text|operatorname)`;
const bracketed = (text) => (/^\w+$/.test(text) ? text : `(${text})`);

/** A fraction, in brackets if the text next to it would otherwise bind more tightly. */
function quotient(over, under, at, whole, length) {
  const made = `${bracketed(over)}/${bracketed(under)}`, before = whole.slice(0, at).trimEnd().slice(-1), behind = whole.slice(at + length).trimStart()[0] ?? '';
  return /[\w^)\]}'.]/.test(before) || /[\w^'\\([{.]/.test(behind) ? `(${made})` : made;
}

/** LaTeX in the words of the claim language: fractions, powers, indexes, Greek. The checker reads LaTeX too, so that the rest can stay. */
export function fromLatex(text) {
  let made = text.replace(/\$+/g, '').replace(/\\(?:,|;|!|displaystyle|(?:left|right)(?=\s*[()[\]]))/g, '')
    .replace(new RegExp(String.raw`${LETTERS}\{\s*(\\?[A-Za-z]+)\s*\}(?=([A-Za-z])?)`, 'g'), (_, name, letter) => (letter ? `${name} ` : name));
  const fraction = (match, over, under, at, whole) => quotient(over.trim(), under.trim(), at, whole, match.length);
  for (let before = ''; before !== made;) {
    before = made;
    made = made.replace(/\\[tdc]?frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}/g, fraction).replace(/\\[tdc]?frac\s*(\d)\s*(\d)(?![\d.])/g, fraction)
      .replace(/\^\{([^{}\\]*|\\(?!top)[^{}]*)\}/g, '^($1)').replace(/(?<!\\[a-z]+)_\{([^{}]*)\}/g, '[$1]').replace(/(?<!\\[a-z]+)_(\w)(?!\w)/g, '[$1]');
    made = made.replace(GREEK_COMMAND, (match, name, at, whole) => (/\w/.test(whole[at - 1] ?? '') ? ` ${name} ` : `${name} `));
    made = made.replace(/(?<=\w) (?=[_^])/g, '');
  }
  made = made.replace(/\\(exp|ln|log|max|min|cos|sin|tanh)\s*\(/g, '$1(').replace(/\\([A-Za-z]+)\s?/g, (match, name) => (PLAIN[name] ? ` ${PLAIN[name]} ` : match));
  return made.replace(/ +/g, ' ').replace(/\s+([)\]}])/g, '$1').replace(/([[(^])\s+/g, '$1').trim();
}
