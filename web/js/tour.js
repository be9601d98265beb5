// The tour: a story that moves past the stage. The step in the middle of the window sets the stage.
// Questions cover what they ask about until they are answered; challenges follow what is done on the
// stage.
import { steps } from './tour_steps.js';
import { made, question } from './question.js';
import { Builder } from './builder.js';
import { lowered, number } from './tip.js';
import { isDark, save } from './download.js';
import { describe } from './playground.js';

const SETTING = 800; // milliseconds

export const stepCount = steps.length;
export const stepSettings = (index) => structuredClone(steps[index].set);

/** Keys and values move on by one place. */
function shuffle(state) {
  for (const list of ['keys', 'values', 'stretch']) {
    const moved = state[list].slice(0, state.n);
    moved.push(moved.shift());
    state[list] = [...moved, ...state[list].slice(state.n)];
  }
}

const mathematics = (text, block) => {
  const math = made('span', block ? 'display' : '');
  math.innerHTML = `<math${block ? ' display="block"' : ''}>${text}</math>`;
  return math;
};

const button = (text, className, act) => {
  const element = made('button', className, text);
  element.type = 'button';
  element.addEventListener('click', act);
  return element;
};

/** Without what a telephone's browser hides when one scrolls. */
const windowSize = () => `${document.documentElement.clientWidth} ${document.documentElement.clientHeight}`;

export class Tour {
  constructor(engine, root, playground, { onStep, onGo, onCheck, onChange, onGlide, onPace, onPlay, onWords }) {
    Object.assign(this, { engine, root, playground, onStep, onGo, onCheck, onChange, onGlide, onPace, onPlay, onWords });
    this.answered = new Set(); // steps whose question is answered
    this.met = new Set(); // steps whose challenge is met
    this.helped = new Set(); // steps whose challenge the tour was asked to show
    this.predicted = 0; // rightly
    this.right = 0; // of the questions at the end
    this.tally = made('p', 'quiet tally');
    this.cards = steps.map((step, i) => this.card(step, i));
    root.querySelector('#story').append(...this.cards);
    root.querySelector('#step-list').append(...steps.map(({ title }, i) => {
      const dot = button('', '', () => onGo(i));
      dot.setAttribute('aria-label', `Step ${i + 1}: ${title}`);
      return made('li', '', dot);
    }));
    document.addEventListener('scroll', () => this.scrolled(), { passive: true });
    window.addEventListener('resize', () => this.size !== windowSize() && this.keepPlace());
    document.addEventListener('fullscreenchange', () => this.keepPlace());
    new ResizeObserver(() => this.measureStage()).observe(playground.root);
    playground.listen((stage) => this.follow(stage));
  }

  // ---- Cards -----------------------------------------------------------------------------------

  card(step, i) {
    const title = made('h2', '', step.title), body = made('div', 'body'), card = made('article', 'card', made('p', 'count', `Step ${i + 1} of ${steps.length}`), title, body);
    title.tabIndex = -1;
    card.dataset.step = i;
    for (const part of step.text) body.append(this.paragraph(part));
    if (step.ask) body.append(this.asked(step, i));
    if (step.builder) this.build(i);
    if (step.challenge) body.append(this.challenge(step, i));
    if (step.quiz) body.append(this.tally, ...this.quiz(step));
    if (step.picture) body.append(this.picture(step, i));
    body.append(this.ways(step, i));
    return card;
  }

  paragraph(part) {
    if (part.block) return mathematics(part.math, true);
    const paragraph = made('p');
    for (const piece of Array.isArray(part) ? part : [part]) {
      if (typeof piece === 'string') paragraph.append(lowered(piece));
      else if (piece.math) paragraph.append(mathematics(piece.math));
      else paragraph.append(number(...piece((...of) => this.law(...of), (keys) => this.crossing(keys))));
    }
    return paragraph;
  }

  asked({ ask, challenge }, i) {
    const root = made('div', 'prediction');
    const asked = question(ask.question, ask.options, (right) => {
      this.answered.add(i);
      this.predicted += right ? 1 : 0;
      this.cover();
      this.mark();
      const after = this.paragraph(ask.after);
      if (ask.math) after.append(mathematics(ask.math, true));
      root.append(after);
      if (challenge) this.cards[i].querySelector('.challenge').hidden = false;
      this.reveal(ask.reveal ?? {});
      this.bringIn(this.cards[i].querySelector(challenge ? '.challenge .options' : '.steps'), after, root.querySelector('.reply'));
    });
    root.append(made('p', 'label', 'Predict'), asked);
    return root;
  }

  reveal({ changes, pace, act }) {
    if (changes) this.onGlide(changes);
    if (act === 'shuffle') this.onChange(shuffle);
    if (pace) this.onPace(pace);
  }

  challenge({ challenge, ask }, i) {
    const meter = made('div', 'meter', made('span')), told = made('p', 'told'), after = made('p', 'reply');
    const hint = button('Hint', '', () => { hint.replaceWith(made('p', 'hint', lowered(challenge.hint))); });
    const show = button('Show me', '', () => {
      this.helped.add(i);
      if (challenge.show === 'build') this.builder.solve();
      else this.onGlide(challenge.show);
    });
    after.setAttribute('role', 'status');
    const root = made('div', 'challenge', made('p', 'label', 'Challenge'), made('p', 'asked', lowered(challenge.task)), meter, told, made('div', 'options', hint, show), after);
    root.hidden = Boolean(ask);
    root.dataset.challenge = i;
    return root;
  }

  /** A challenge's meter, and what is said once it is met. */
  score(i, { done, part, told }) {
    const root = this.cards[i].querySelector('.challenge'), { challenge } = steps[i];
    if (root.hidden) return;
    root.querySelector('.meter span').style.width = `${100 * (done ? 1 : Math.min(part, 0.97))}%`;
    root.querySelector('.told').replaceChildren(lowered(`${done ? '✓ ' : ''}${told}`));
    root.classList.toggle('met', done);
    if (!done || this.met.has(i)) return;
    this.met.add(i);
    root.querySelector('.reply').append(lowered(`✓ ${challenge.after}`));
    if (challenge.math) root.querySelector('.reply').append(mathematics(challenge.math, true));
    root.querySelector('.options').hidden = true;
    this.bringIn(this.cards[i].querySelector('.steps'), root.querySelector('.reply'));
    this.mark();
  }

  /** Scrolls no more than needed to see the way on and what was just written; the last, if there is not room for all. */
  bringIn(...parts) {
    const from = scrollY;
    this.aim(() => parts.forEach((part) => part.scrollIntoView({ block: 'nearest', behavior: 'instant' })));
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const to = scrollY;
    scrollTo({ top: from, behavior: 'instant' });
    scrollTo({ top: to, behavior: 'smooth' });
  }

  /** Scrolls now, and again while the stage is being set: its height on narrow screens moves the text. */
  aim(scroll) {
    this.aimed = scroll;
    this.arrived = performance.now();
    this.measureStage();
  }

  build(i) {
    this.builder = new Builder(this.engine, (measure) => {
      this.built = measure;
      if (this.cards?.[i]) this.score(i, measure);
    });
    document.getElementById('bench').replaceChildren(this.builder.root);
  }

  quiz({ quiz }) {
    const total = made('p', 'told total');
    total.setAttribute('role', 'status');
    return [...quiz.map(({ question: text, options, why, step }) => {
      const asked = question(text, options.map((option) => ({ ...option, reply: why })), (right) => {
        this.right += right ? 1 : 0;
        total.textContent = `${this.right} of ${quiz.length} right`;
        if (!right) asked.append(button(`Back to step ${step + 1}`, 'again', () => this.onGo(step)));
        this.bringIn(asked.lastElementChild, asked.querySelector('.reply'));
      });
      return asked;
    }), total];
  }

  picture(step, i) {
    const details = made('details', 'figure', made('summary', '', 'The whole picture')), place = made('div', 'picture');
    details.addEventListener('toggle', () => details.open && this.draw(i, place));
    details.append(place, made('p', 'quiet', lowered(step.picture.caption)), button('SVG', 'save', () => save(`qkv-tour-${i + 1}.svg`, place.dataset.svg)));
    return details;
  }

  draw(i, place) {
    const { picture, title } = steps[i], { keys = [], betas = [] } = picture, width = Math.min(720, Math.max(320, place.clientWidth || 400));
    this.engine.tell(picture.name);
    this.engine.give([0.5, 0, 20000, ...keys, ...betas]);
    this.engine.call('picture', isDark(), width, keys.length, betas.length);
    place.dataset.svg = place.innerHTML = this.engine.answer();
    describe(place, `${title}: ${picture.caption}`);
    this.playground.show(this.playground.state); // numbers of the stage's scene were in the same memory
  }

  redraw() {
    this.cards.forEach((card, i) => {
      const figure = card.querySelector('details.figure[open] .picture');
      if (figure) this.draw(i, figure);
    });
  }

  ways(step, i) {
    const bar = made('div', 'steps');
    if (step.ending) bar.append(button('Play on', 'main', this.onPlay), button('See real heads', 'words', this.onWords));
    if (!step.ending) bar.append(button('Next', 'main next', () => this.onGo(i + 1)));
    if (step.extra) bar.append(button(step.extra.name, 'extra', () => this.onChange(shuffle)));
    bar.append(button('Check the claims', 'claims', () => this.onCheck(step.claims)));
    return bar;
  }

  // ---- Which step is shown -----------------------------------------------------------------------

  /** Brings a step's text to where it is read. */
  show(index) {
    const card = this.cards[index];
    this.set(index);
    this.size = windowSize();
    this.read = 0;
    this.aim(() => card.scrollIntoView({ block: 'start', behavior: 'instant' }));
    card.querySelector('h2').focus({ preventScroll: true });
  }

  /** On narrow screens the stage stands above the text. While it is being set, the text keeps below it. */
  measureStage() {
    this.root.style.setProperty('--stage', `${this.playground.root.offsetHeight}px`);
    if (performance.now() - this.arrived < SETTING && !this.root.hidden) this.aimed();
  }

  /** In a window of another size the reader is where they were in the step. */
  keepPlace() {
    if (this.root.hidden || this.index === undefined) return;
    const card = this.cards[this.index], read = this.read ?? 0;
    this.size = windowSize();
    this.aim(() => {
      card.scrollIntoView({ block: 'start', behavior: 'instant' });
      if (read > 0) scrollBy({ top: read * card.offsetHeight, behavior: 'instant' });
    });
  }

  /** How much of the step has gone past the place where its text begins. */
  readSoFar() {
    const card = this.cards[this.index], { top, height } = card.getBoundingClientRect();
    return Math.max(0, (parseFloat(getComputedStyle(card).scrollMarginTop) - top) / height);
  }

  scrolled() {
    if (this.root.hidden || (this.size !== undefined && this.size !== windowSize())) return;
    const phone = innerWidth <= 980, line = innerHeight * (phone ? 0.8 : 0.45);
    const index = this.cards.findLastIndex((card) => card.getBoundingClientRect().top <= line);
    if (index < 0 || index === this.index) {
      this.read = this.readSoFar();
      return;
    }
    this.read = 0;
    this.aimed = () => this.cards[this.index].scrollIntoView({ block: 'start', behavior: 'instant' }); // where the reader went
    this.set(index);
    this.onStep(index);
  }

  set(index) {
    if (index !== this.index) this.onPace(steps[index].pace ?? 'run');
    this.index = index;
    this.playground.root.classList.toggle('building', Boolean(steps[index].builder) && !this.root.hidden);
    this.cover();
    this.mark();
    this.cards.forEach((card, i) => { // Tab goes from the step that is shown to the stage
      for (const part of card.querySelectorAll('button, summary, .number')) part.tabIndex = i === index ? 0 : -1;
    });
  }

  /** What a question asks about is covered until it is answered. */
  cover() {
    const open = Boolean(steps[this.index].ask) && !this.answered.has(this.index);
    this.playground.root.classList.toggle('covered', open && !this.root.hidden);
  }

  uncover() {
    this.playground.root.classList.remove('covered', 'building');
  }

  mark() {
    this.tellTally();
    this.cards.forEach((card, i) => card.classList.toggle('now', i === this.index));
    [...this.root.querySelectorAll('#step-list button')].forEach((dot, i) => {
      dot.classList.toggle('met', steps[i].challenge ? this.met.has(i) : this.answered.has(i));
      dot.tabIndex = i === this.index ? 0 : -1; // arrow keys lead to the others
      if (i === this.index) dot.setAttribute('aria-current', 'step');
      else dot.removeAttribute('aria-current');
    });
  }

  /** What was predicted and met on the way, once there is anything to tell. */
  tellTally() {
    const count = (kind) => steps.filter((step) => step[kind]).length, own = [...this.met].filter((i) => !this.helped.has(i)).length;
    this.tally.hidden = this.answered.size + this.met.size === 0;
    this.tally.textContent = `On the way: ${this.predicted} of ${count('ask')} predictions right, ${own} of ${count('challenge')} challenges met without help.`;
  }

  follow(stage) {
    const challenge = steps[this.index]?.challenge;
    if (this.root.hidden || !challenge) return;
    this.score(this.index, challenge.measure ? challenge.measure(stage) : this.built);
  }

  // ---- Numbers -------------------------------------------------------------------------------------

  /** Numbers of a law by name. */
  law(design, keys, wanted, beta, noise) {
    this.engine.call('law', design, keys, wanted, beta, noise, 0.01);
    const [mean, variance, covariance, leak, bias, error, failure] = this.engine.results(7);
    return { mean, variance, covariance, leak, bias, error, failure };
  }

  /** The beta where one head and two are equally good. */
  crossing(keys) {
    this.engine.call('crossing', keys, 0.5);
    return this.engine.results(1)[0];
  }
}
