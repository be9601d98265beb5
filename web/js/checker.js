// Claims as they are typed: verdicts, reasons and derivations by the library in a worker, mistakes
// in the text underlined where they are.

import { fromLatex, typeset } from './typeset.js';
import { BLANK, Completion } from './complete.js';
import { counterexample } from './counterexample.js';
import { isDark } from './download.js';
import { describe } from './playground.js';
import { readable } from './tip.js';
import { replaceText } from './replace_text.js';

const element = (name, className, text) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};

const STOPPED = 'stopped'; // by the button, not by another text

/** Reasons of what takes linear programs, LAPACK or files, none of which the page has. */
const LACKING = /it is not known whether these keys can get such weights|no query was found, but it is not proved that there is none|built with|there are no files/;
const ENGINES = { exact: 'exact algebra', ball: 'interval arithmetic', search: 'search', sample: 'sampling' };
const hint = () => element('p', 'reason quiet', 'The page has no linear programs and reads no files: the command qkv check may decide it.');

/** What to write instead, where somebody writes as on paper: a test of the message, the line and the text, and advice. */
const ADVICE = [
  [(message) => /expected a comparison/.test(message), 'A claim compares two things, as in claim: c.weight[a] = 1/2, or claim: c ~ v[a] as beta -> inf.'],
  [(message, line) => /(?:^|[^.\w])(?:w|alpha|weights?)(?:_[\w{]|[[(])|\.weights?[_(]/.test(line) && /unknown name (?:w|alpha|weight)|no such index|cannot tell what|is an index/.test(message), 'The weight of key a in c is written c.weight[a].'],
  [(message, line) => /expected a statement/.test(message) && /\\|\$/.test(line), 'A line with a formula begins with claim:, and compares two things, as in claim: c.weight[a] = 1/2.'],
  [(message) => /no statement begins with '[A-Z]/.test(message), 'Keywords are lowercase: claim:, not Claim:. Sentences are not checked; begin a note with #.'],
  [(message) => /no statement begins with '[a-z]/.test(message), 'Sentences are not checked: begin a claim with claim:, and a note with #.'],
  [(message) => /or a label and ':'/.test(message), 'Put a colon after claim, or after its label: claim: c = v[a], or claim 1: c = v[a].'],
  [(message, line, text) => /unknown name [kqv](?:_|\b)/.test(message) && !/^\s*(?:keys|problem)\b/m.test(text), 'Introduce the keys and values first: the button “givens” does it.'],
  [(message) => /no index \w+ in this family/.test(message), 'Choose the keys on a line above: pick a, b distinct in 1..n.'],
  [(message, line) => /\b(?:when|if|lim|large|tends|goes|converges|approaches)\b/.test(line), 'Write the limit at the end of the line: claim: c ~ v[a] as beta -> inf.'],
  [(message) => /expected '~' for what approaches|needs 'as beta -> inf'/.test(message), 'For a limit: claim: c.weight[a] ~ 1/2 as beta -> inf. For an approximate value: claim: c.weight[a] = 0.5 within 0.01 at n = 10, beta = 10.'],
  [(message, line) => /\b(?:softmax|attention|attn)\b/i.test(line), 'Attention with one query is written attend(query, keys, values), as in c = attend(beta*k[a], k, v).'],
];

const KEYWORDS = /^(\s*)(given|keys|means|values|pick|matrix|permutation|problem|claim|find|as|note|expect|tokens)\b/;

/** What the buttons above the text put into it; … is where one goes on. */
const SNIPPETS = [
  ['givens', 'given   n >= 3, beta > 0\nkeys    k[1..n] orthonormal\nvalues  v[1..n]\npick    a, b distinct in 1..n\n'],
  ['c = attend(q, k, v)', 'c = attend(…, k, v)\n'], ['claim', 'claim: …\n'], ['limit', ' as beta -> inf'],
  ['weight', 'c.weight[a]'], ['e^β', 'e^beta'], ['kᵢ·q', 'k[i].q'], ['Σ', 'sum(v[i] for i not in {a, b})'], ['find least', 'find least beta: … for n = 10\n'],
  ['noise', 'keys    k[a] ~ normal(mu[a], 1/2*mu[a]*mu[a]\')\n'],
];

/** MathML of a line of the language, or of LaTeX in it. */
const typesetAny = (text) => typeset(/[\\$]/.test(text) ? fromLatex(text) : text);

/** Typeset where that is possible, with the source on hover. */
function shown(text) {
  const made = typesetAny(text);
  if (!made) return element('code', '', text);
  const span = element('span', 'typeset');
  span.innerHTML = made;
  span.title = text;
  return span;
}

export class Checker {
  /** ask(name, text, line, raw, signal, settings): the worker's answer, parsed. examples: {group, title, text} each. onShow: shows a counterexample. onReplace(own, text): an example takes the place of a text. */
  constructor(root, ask, examples, { onText, onShow, onReplace }) {
    Object.assign(this, { root, ask, examples, onText, onShow, onReplace });
    this.text = root.querySelector('#text');
    this.marks = root.querySelector('#marks');
    this.summary = root.querySelector('#summary');
    this.list = root.querySelector('#claims');
    this.stop = root.querySelector('#stop');
    this.stop.addEventListener('click', () => this.going.abort(STOPPED));
    this.back = root.querySelector('#own');
    this.back.addEventListener('click', () => this.backToOwn());
    this.text.addEventListener('input', () => this.later());
    this.text.addEventListener('paste', (event) => this.paste(event));
    root.querySelector('#palette').append(...SNIPPETS.map(([name, text]) => {
      const button = element('button', '', name);
      button.type = 'button';
      button.addEventListener('click', () => this.insert(text));
      return button;
    }));
    this.figures = new Map();
    this.gutter = root.querySelector('#gutter');
    this.completion = new Completion(this.text, root.querySelector('#offers'), () => this.later());
    this.text.addEventListener('scroll', () => this.follow());
    for (const event of ['input', 'keyup', 'click', 'focus']) this.text.addEventListener(event, () => this.preview());
    this.setUpFiles(root.querySelector('#open'), root.querySelector('#file'));
    this.menu = root.querySelector('#examples');
    this.fillMenu(this.menu);
  }

  /** A file that is chosen, or dropped on the text, takes its place; Back returns to what was there. */
  setUpFiles(button, input) {
    const read = async (file) => file && this.begin((await file.text()).replace(/\r\n?/g, '\n'));
    button.addEventListener('click', () => input.click());
    input.addEventListener('change', async () => {
      await read(input.files[0]);
      input.value = ''; // so that the same one can be opened again
    });
    const carries = (event) => event.dataTransfer?.types.includes('Files');
    this.root.addEventListener('dragover', (event) => carries(event) && event.preventDefault());
    this.root.addEventListener('drop', (event) => {
      if (!carries(event)) return;
      event.preventDefault();
      read(event.dataTransfer.files[0]);
    });
  }

  fillMenu(menu) {
    const groups = new Map();
    menu.append(new Option('an example or a common mistake …', '', true, true));
    this.examples.forEach(({ group, title }, i) => {
      if (!groups.has(group)) {
        const made = element('optgroup');
        made.label = group;
        groups.set(group, made);
        menu.append(made);
      }
      groups.get(group).append(new Option(title, String(i)));
    });
    menu.addEventListener('change', () => menu.value !== '' && this.begin(this.examples[menu.value].text));
  }

  /** An example, or a template, of which the first blank is selected. What somebody wrote before is kept. */
  begin(text) {
    const blank = text.indexOf(BLANK);
    this.onReplace(this.text.value, text);
    this.load(text);
    if (blank < 0) return;
    this.text.focus();
    this.text.setSelectionRange(blank, blank + 1);
  }

  /** A text that somebody else wrote. */
  load(text) {
    const own = this.text.value;
    if (own.trim() !== '' && own !== this.loaded && !this.examples.some((example) => example.text === own)) this.own = own;
    this.loaded = text;
    replaceText(this.text, text);
    this.text.scrollTop = this.text.scrollLeft = 0;
    this.back.hidden = this.own === undefined;
    this.later(0);
  }

  backToOwn() {
    replaceText(this.text, this.own);
    this.text.focus();
    this.later(0);
  }

  /** Takes the last change of the text back, or does it again, wherever the focus is. */
  undo(again) {
    this.text.focus();
    document.execCommand(again ? 'redo' : 'undo');
  }

  /** In the place of what is selected, as if typed; whole lines go below the line of the caret. A … in it is selected then. */
  insert(text) {
    const { text: area } = this, { value } = area, blank = text.indexOf('…');
    let from = area.selectionStart, to = area.selectionEnd, made = text;
    if (text.endsWith('\n')) {
      const begin = value.lastIndexOf('\n', from - 1) + 1, end = value.indexOf('\n', to);
      if (value.slice(begin, end < 0 ? value.length : end).trim() !== '') from = to = end < 0 ? value.length : end;
      if (value[from] === '\n') made = made.slice(0, -1);
      if (from > 0 && value[from - 1] !== '\n') made = `\n${made}`;
    }
    area.focus();
    replaceText(area, made, from, to);
    if (blank >= 0) {
      const at = from + made.indexOf('…');
      area.setSelectionRange(at, at + 1);
    }
    this.later();
  }

  /** LaTeX that is pasted becomes the language's; a formula on a line of its own, a claim. */
  paste(event) {
    const text = event.clipboardData?.getData('text/plain') ?? '', { value, selectionStart: at } = this.text;
    if (!/\\[A-Za-z]|\$/.test(text)) return;
    event.preventDefault();
    const made = fromLatex(text), alone = value.slice(value.lastIndexOf('\n', at - 1) + 1, at).trim() === '' && !/\n/.test(made) && !KEYWORDS.test(made);
    this.insert(alone ? `claim: ${made}` : made);
  }

  set(text) {
    this.text.value = text;
    this.later(0);
  }

  /** The menu names an example only while its text is there, and there is a way back only from another text. */
  forget() {
    const { value } = this.text;
    if (this.menu.value !== '' && this.examples[this.menu.value].text !== value) this.menu.value = '';
    if (this.own !== value) return;
    this.own = undefined;
    this.back.hidden = true;
  }

  /** From now on the verdicts belong to the previous text, until the new one is checked. */
  later(delay = 180) {
    clearTimeout(this.timer);
    this.going?.abort();
    this.forget();
    this.showMarks([]);
    this.root.setAttribute('aria-busy', 'true');
    this.root.toggleAttribute('data-stale', this.list.childElementCount > 0);
    this.timer = setTimeout(() => this.run(), delay);
  }

  /** A check and the derivations of its claims end when there is another text. */
  async run() {
    const text = this.text.value, going = (this.going = new AbortController());
    const replaced = () => going.signal.aborted && going.signal.reason !== STOPPED;
    this.onText(text);
    const slow = setTimeout(() => { this.summary.textContent = 'checking …'; }, 400);
    const slower = setTimeout(() => { this.stop.hidden = false; }, 1000);
    try {
      const { complaints, report } = await this.ask('check', text, 0, false, going.signal);
      const told = this.merged(complaints, text);
      this.showMarks(told.filter(({ blank }) => !blank));
      const about = { text, explain: (line) => this.ask('explain', text, line, false, going.signal),
        draw: (line, settings) => this.ask('figure', text, line, true, going.signal, settings) };
      const left = this.showClaims(told, report.claims, about), { claims, undecided } = report.summary;
      this.showSummary({ ...report.summary, claims: claims - left, undecided: undecided - left }, complaints.filter((c) => told.some(({ line, blank }) => blank && line === c.line)).length, told.filter(({ blank }) => blank).length);
    } catch (error) {
      if (!replaced()) this.showFailure(error, going.signal.aborted);
    } finally {
      clearTimeout(slow);
      clearTimeout(slower);
      if (document.activeElement === this.stop) this.text.focus();
      this.stop.hidden = true;
      if (!replaced()) this.root.removeAttribute('aria-busy');
      if (!replaced()) this.root.removeAttribute('data-stale');
    }
  }

  showFailure(error, stopped) {
    const text = stopped ? 'Stopped before it was decided.'
      : `The checker broke off: ${error.message}. The command qkv check may decide this text.`;
    const item = element('li', stopped ? 'undecided' : 'mistake', text), again = element('button', '', 'Check again');
    again.type = 'button';
    again.addEventListener('click', () => {
      this.text.focus();
      this.later(0);
    });
    item.append(' ', again);
    this.list.replaceChildren(item);
    this.summary.textContent = stopped ? 'stopped' : 'not checked';
  }

  /** filled: how many of the mistakes go with the blanks, which are on so many lines. */
  showSummary({ claims, proved, refuted, supported, undecided, mistakes: all }, filled, blanks) {
    const mistakes = all - filled;
    const counted = [[proved, 'proved'], [refuted, 'refuted'], [supported, 'supported'], [undecided, 'undecided']]
      .filter(([count]) => count > 0).map(([count, name]) => `${count} ${name}`);
    const wrong = mistakes > 0 ? `, ${mistakes} error${mistakes > 1 ? 's' : ''} in the text` : '';
    const open = blanks > 0 ? `, ${blanks} line${blanks > 1 ? 's' : ''} with blanks` : '';
    this.summary.textContent = `${claims} claim${claims === 1 ? '' : 's'}${counted.length ? `: ${counted.join(', ')}` : ''}${wrong}${open}`;
  }

  /** The text again, in colours, with a wave under the words that complaints point at. */
  showMarks(complaints) {
    const lines = this.text.value.split('\n'), made = document.createDocumentFragment();
    const many = lines.length > 5000; // colours would take too long
    lines.forEach((line, i) => {
      const here = many ? [] : complaints.filter((c) => c.line === i + 1);
      if (here.length > 0) made.append(...this.waves(line, here));
      else if (many) made.append(line);
      else made.append(...this.colours(line));
      made.append('\n');
    });
    this.marks.replaceChildren(made);
    this.gutter.textContent = many ? '' : lines.map((_, i) => i + 1).join('\n');
    this.follow();
  }

  waves(line, complaints) {
    const signs = [...line], parts = [];
    let done = 0;
    for (const { column } of complaints) {
      const from = Math.max(done, Math.min(column - 1, signs.length));
      const length = Math.max(1, signs.slice(from).join('').search(/[^\p{L}\p{N}_.]|$/u));
      parts.push(signs.slice(done, from).join(''), element('mark', '', signs.slice(from, from + length).join('') || ' '));
      done = from + length;
    }
    parts.push(signs.slice(done).join(''));
    return parts;
  }

  colours(line) {
    if (/^\s*#/.test(line)) return [element('span', 'comment', line)];
    const keyword = KEYWORDS.exec(line);
    if (!keyword) return [line];
    return [keyword[1], element('span', 'keyword', keyword[2]), line.slice(keyword[0].length)];
  }

  /** The line that is being written, typeset before it is checked. */
  preview() {
    const { value, selectionStart: at } = this.text, from = value.lastIndexOf('\n', at - 1) + 1, end = value.indexOf('\n', at);
    const line = value.slice(from, end < 0 ? value.length : end), made = /^\s*#/.test(line) ? undefined : typesetAny(line.replace(/^\s*claim[^:]*:/, ''));
    this.root.querySelector('#preview').innerHTML = made ?? '';
  }

  follow() {
    this.marks.scrollTop = this.gutter.scrollTop = this.text.scrollTop;
    this.marks.scrollLeft = this.text.scrollLeft;
  }

  /** One mistake is told once for each place, a line with blanks once. Blanks are no mistakes. */
  merged(complaints, text) {
    const lines = text.split('\n'), told = complaints.map((c) => ({ ...c, blank: Boolean(lines[c.line - 1]?.includes(BLANK)) }));
    return told.filter((c, i) => told.findIndex((other) => other.line === c.line && (c.blank || other.column === c.column)) === i);
  }

  /** How many claims are told as mistakes alone. about: the text that was checked, not what it is by then: explain(line), draw(line, settings). */
  showClaims(complaints, claims, about) {
    claims.forEach((c, i) => { c.index = claims.slice(0, i).filter((other) => other.line === c.line).length; });
    const twice = (claim) => claim.verdict === 'undecided' && complaints.some((c) => c.line === claim.line && claim.reason.includes(c.message));
    const entries = [...complaints.map((c) => [c.line, this.mistake(c, about.text)]), ...claims.filter((c) => !twice(c)).map((c) => [c.line, this.claim(c, about)])];
    entries.sort((a, b) => a[0] - b[0]);
    this.figures = new Map(); // each with what draws it
    this.list.replaceChildren(...entries.map(([, entry]) => entry));
    if (entries.length === 0) this.list.append(element('li', 'undecided', 'No claims yet. Press “givens”, then “c = attend(q, k, v)”, then “claim”, and fill the blanks.'));
    return claims.filter(twice).length;
  }

  /** What the library says of a place in the text, with advice; of a blank only that it is to be filled. */
  mistake({ line, column, message, blank }, text) {
    const written = text.split('\n')[line - 1] ?? '', item = element('li', blank ? 'undecided' : 'mistake'), head = element('p', 'found');
    head.append(element('span', 'verdict', blank ? 'blank' : 'not understood'), ` at line ${line}, column ${column}`);
    const go = element('button', '', 'Show');
    go.type = 'button';
    go.setAttribute('aria-label', `Show line ${line}, column ${column}`);
    go.addEventListener('click', () => this.select(line, column));
    const told = blank ? ['Fill the blank on this line. Tab goes from blank to blank.']
      : [message, ...ADVICE.filter(([fits]) => fits(message, written, text)).map(([, words]) => words)];
    item.append(head, ...told.map((words) => element('p', 'reason', words)), go);
    if (LACKING.test(message)) item.append(hint());
    return item;
  }

  select(line, column) {
    const lines = this.text.value.split('\n'), signs = [...(lines[line - 1] ?? '')]; // columns count characters
    const from = lines.slice(0, line - 1).join('\n').length + (line > 1 ? 1 : 0) + signs.slice(0, column - 1).join('').length;
    this.text.focus();
    this.text.setSelectionRange(from, from + (signs[column - 1] ?? ' ').length);
  }

  claim(claim, about) {
    const item = element('li', claim.verdict), head = element('p', 'found');
    const by = claim.engine === '' ? '' : ` (${ENGINES[claim.engine]})`;
    head.append(element('span', 'verdict', claim.verdict), element('span', 'quiet', `${by}, line ${claim.line}`));
    const [, label, statement] = /^\s*claim\s*([\w.-]*)\s*:(.*)$/s.exec(claim.claim) ?? [undefined, '', claim.claim];
    if (label) item.append(element('b', 'name', label), ' ');
    item.append(shown(statement.trim()));
    item.prepend(head);
    if (claim.found !== '') {
      const found = element('p', 'found');
      const ordered = /[^-]>|<|≥|≤/.test(statement) && !/^\s*find\b/.test(claim.claim);
      found.append(ordered ? 'The left side is ' : claim.verdict === 'refuted' ? 'In fact: ' : 'Found: ', shown(claim.found));
      if (!ordered || !/^[\d\s./]+[<>≤≥]/.test(statement)) item.append(found); // nobody asks what a number is
    }
    if (claim.reason !== '') {
      const reason = element('p', 'reason');
      reason.append(readable(claim.reason));
      item.append(reason);
    }
    if (claim.verdict === 'undecided' && LACKING.test(claim.reason)) item.append(hint());
    if (claim.verdict === 'refuted') item.append(...this.showMe(claim, about.text));
    if (claim.verdict !== 'undecided' || claim.found !== '') item.append(this.figure(claim, about), this.derivation(claim, about.explain));
    return item;
  }

  /** A button that loads the counterexample into the playground, where that is possible. */
  showMe(claim, text) {
    const changes = counterexample(text, claim);
    if (!changes) return [];
    const button = element('button', 'show-me', 'Show me');
    button.type = 'button';
    button.title = 'Loads the counterexample into the playground';
    button.addEventListener('click', () => this.onShow(changes, claim));
    return [button];
  }

  /** The claim's figure, drawn when it comes into view; nothing where it has none. */
  figure({ line, index, claim }, { draw }) {
    const place = element('div', 'picture claim-figure');
    const show = async () => {
      try {
        place.innerHTML = await draw(line, { index, dark: isDark(), width: Math.max(300, Math.min(560, place.clientWidth)) });
        describe(place, `Figure of ${claim}`);
      } catch {
        place.remove();
      }
    };
    const seen = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return;
      seen.disconnect();
      this.figures.set(place, show);
      show();
    }, { rootMargin: '1500px' });
    seen.observe(place);
    return place;
  }

  /** Figures that are there, in the colours of another theme. */
  redraw() {
    for (const show of this.figures.values()) show();
  }

  derivation({ line, claim }, explain) {
    const details = element('details'), summary = element('summary', '', 'Derivation');
    details.append(summary);
    details.addEventListener('toggle', async () => {
      if (!details.open || details.childElementCount > 1) return;
      const body = element('ol', 'steps-list');
      details.append(body);
      try {
        const { report } = await explain(line);
        const found = report.claims.find((other) => other.claim === claim);
        if (!found) throw new Error('There is no derivation of this claim.');
        body.append(...found.steps.map(({ title, lines }) => {
          const step = element('li', '', title);
          if (lines.length > 0) step.append(element('pre', '', lines.join('\n')));
          return step;
        }));
      } catch (error) {
        body.append(element('li', '', error.message));
      }
    });
    return details;
  }
}
