// The page: starts the library, keeps the state and the address in step, and switches between the
// four parts.
import { Engine, hasVectors, unpack } from './engine.js';
import { Thread } from './thread.js';
import { MOST_BETA, REACH, clamp, fromHash, initial, isState, round, toHash } from './state.js';
import { Playground } from './playground.js';
import { Toolbar } from './toolbar.js';
import { Undo } from './history.js';
import { AVERAGED, setting } from './presets.js';
import { Controls } from './controls.js';
import { Tour, stepCount, stepSettings } from './tour.js';
import { glide } from './glide.js';
import { Checker } from './checker.js';
import { isFlat } from './typeset.js';
import { Words } from './words.js';
import { readable, setUpTips } from './tip.js';

const stored = (id) => document.getElementById(id).textContent;
const page = { state: fromHash(location.hash), stages: new Map(), address: location.hash };
const $ = (id) => document.getElementById(id);

// ---- Appearance ------------------------------------------------------------------------------

const dark = matchMedia('(prefers-color-scheme: dark)');
const THEME = 'qkv-theme';

/** 'dark' or 'light' once the button was used, kept where the browser lets us. */
function chosenTheme(name = undefined) {
  try {
    if (name) localStorage.setItem(THEME, name);
    return name ?? localStorage.getItem(THEME);
  } catch {
    return name;
  }
}

let chosen = chosenTheme();

function setTheme() {
  const name = chosen ?? (dark.matches ? 'dark' : 'light');
  document.documentElement.dataset.theme = name;
  $('theme').textContent = name === 'dark' ? 'Light' : 'Dark';
}

function changeTheme() {
  setTheme();
  if (page.playground) show();
  page.tour?.redraw();
  page.checker?.redraw();
}

// ---- The checker's thread ------------------------------------------------------------------------

/** The module with everything, for browsers without vectors. The worker unpacks its own. */
const whole = () => WebAssembly.compile(unpack(stored('whole')));

const ask = (...request) => (page.thread ??= new Thread(stored('whole'), stored('worker'))).ask(...request);

// ---- State -------------------------------------------------------------------------------------------

const undos = new Map(); // for the playground, for Words, and for each step of the tour

/** What was changed where the reader is. */
function undo() {
  const { view: name, step: index } = page.state, place = name === 'tour' ? index : name;
  if (!undos.has(place)) undos.set(place, new Undo());
  return undos.get(place);
}

const IN_WORDS = ['sentence', 'head', 'token', 'jitter', 'noisy'];
const ASIDE = ['view', 'step', 'text', ...IN_WORDS];
const only = (state, chosen) => Object.fromEntries(Object.entries(state).filter(([name]) => chosen(name)));

/** What is not the stage's: where the reader is, what is written, and what Words shows. */
const aside = (state) => only(state, (name) => ASIDE.includes(name));

/** What can be changed where the reader is. */
const here = (state) => only(state, (name) => (state.view === 'words' ? IN_WORDS.includes(name) : !ASIDE.includes(name)));

/** Before a change, so that it can be undone. */
const remember = () => undo().keep(here(page.state));

function settleAddress() {
  clearTimeout(page.keeping);
  if (location.hash !== page.address) return; // Back was pressed, and readAddress is about to hear of it
  const hash = toHash(page.state);
  if (hash !== location.hash) history.replaceState(null, '', hash);
  page.address = location.hash;
}

function keepAddress() {
  clearTimeout(page.keeping);
  page.keeping = setTimeout(settleAddress, 150);
}

/** A place of its own in the browser's history: Back returns to what was before. */
function pushAddress() {
  clearTimeout(page.keeping);
  const hash = toHash(page.state);
  if (hash !== location.hash) history.pushState(null, '', hash);
  page.address = location.hash;
}

function show() {
  if (page.state.view === 'words') {
    page.words ??= new Words(page.engine, $('words'), stored('heads'), { onChange: (act, keep = true) => (keep ? change(act) : alter(act)) });
    page.words.show(page.state);
    keepAddress();
    return;
  }
  page.playground.show(page.state);
  page.controls.show(page.state);
  page.toolbar.show(page.state, undo().has(here(page.state)));
  keepAddress();
}

/** Changes the state by a function; change: so that it can be undone. */
function alter(act) {
  act(page.state);
  show();
}

function change(act) {
  remember();
  alter(act);
}

/** at: where on the screen. A query keeps its direction in the state; its length is beta. */
function move(kind, index, at) {
  const { state } = page;
  if (kind === 'query') page.playground.keys.inviting = false;
  if (kind === 'query') moveQuery(index, page.playground.keys.queryAt(index, at));
  else state[{ key: 'keys', value: 'values' }[kind]][index] = at.map((x) => round(clamp(x, -REACH, REACH)));
  show();
}

function moveQuery(h, query) {
  const { state } = page, length = Math.hypot(...query), old = state.queries[h].slice(0, query.length);
  const size = Math.hypot(...old) || 1;
  if (length > 0) state.queries[h] = [...query.map((x) => round((x / length) * size)), ...state.queries[h].slice(query.length)];
  state.beta = round(clamp(length / size, 0, MOST_BETA));
}

function view(name) {
  const { state } = page;
  state.view = name;
  $('main').dataset.view = name;
  $('tour').hidden = name !== 'tour';
  if (name !== 'tour') page.tour.uncover();
  $('sentence').hidden = name !== 'play';
  $('remark').hidden = $('from-tour').hidden = true;
  page.playground.sides = false;
  page.playground.pipeline.light(undefined);
  delete $('heads-grid').dataset.lit;
  $('scene').hidden = name === 'check' || name === 'words';
  $('words').hidden = name !== 'words';
  $('check').hidden = name !== 'check';
  for (const link of document.querySelectorAll('header nav a'))
    if (link.dataset.view === name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  if (name === 'check' && !page.checked) {
    page.checked = true;
    page.checker.set(state.text ?? page.examples[0].text);
  }
  show();
}

/** Sets the stage for a step of the tour, as the reader left it. */
function setStage(index) {
  page.state = { ...(page.stages.get(index) ?? stepSettings(index)), ...aside(page.state), view: 'tour', step: index };
  page.touring = true;
  page.playground.head = undefined;
  view('tour');
}

/** Remembers the stage of a step, or the playground before the tour. */
function leave() {
  if (page.touring) page.stages.set(page.state.step, page.state);
  else page.play = page.state;
}

function step(index) {
  leave();
  setStage(index);
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  for (const name of ['keys', 'values', 'weights']) $(name).animate([{ opacity: 0.15 }, { opacity: 1 }], { duration: 350, easing: 'ease-out' });
}

/** Goes to a step by a link or a key: a place in the history. */
function go(index) {
  if (index < 0 || index >= stepCount) return;
  settleAddress(); // Back returns to what is there now
  step(index);
  page.tour.show(index);
  pushAddress();
}

function check(text) {
  settleAddress();
  if (!page.checked) page.checker.set(page.state.text ?? '');
  page.checked = true;
  view('check');
  page.checker.load(text);
  page.state.text = text;
  $('from-tour').hidden = false;
  pushAddress();
  $('text').focus({ preventScroll: true });
  scrollTo(0, 0);
}

/** To the step whose claims are shown, with the stage as it was left. */
function backToTour() {
  go(page.state.step);
}

/** A counterexample in the playground, with a way back. */
function showClaim({ sides, ...changes }, { claim, reason }) {
  settleAddress();
  leave();
  page.state = { ...(page.touring && page.play ? page.play : page.state), ...aside(page.state), view: 'play' };
  page.touring = false;
  remember();
  page.playground.head = undefined;
  page.playground.keys.inviting = false;
  page.state = { ...setting({ ...AVERAGED, ...changes }), ...aside(page.state) };
  view('play');
  page.toolbar.nameScene('');
  page.playground.sides = sides;
  $('remark').hidden = false;
  $('remark-claim').textContent = claim;
  $('remark-reason').replaceChildren(readable(reason));
  $('sentence').hidden = true;
  pushAddress();
  $('remark-back').focus({ focusVisible: false, preventScroll: true });
  scrollTo(0, 0);
}

/** Space and arrows move the tour on, unless something else has a use for them; Ctrl-Z undoes, Ctrl-Y does it again. */
function onKey(event) {
  const forth = event.key === 'y' || (event.shiftKey && event.key.toLowerCase() === 'z');
  if ((event.ctrlKey || event.metaKey) && (event.key === 'z' || forth) && !event.target.closest('input, textarea')) {
    event.preventDefault();
    if (page.state.view === 'check') page.checker.undo(forth);
    else takeBack(forth);
  }
  if (page.state.view !== 'tour' || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest('input, textarea, select, summary, [role=slider]')) return;
  if (event.key === ' ' && event.target.closest('button, a')) return;
  const by = { ' ': 1, ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  go(page.state.step + by);
}

function takeBack(forth = false) {
  const before = forth ? undo().forth(here(page.state)) : undo().back(here(page.state));
  if (!before) return;
  page.toolbar.nameScene('');
  page.state = { ...page.state, ...before };
  show();
}

function reset() {
  const { view: name, step: index } = page.state;
  remember();
  page.toolbar.nameScene('');
  page.playground.head = undefined;
  page.state = { ...(name === 'tour' ? stepSettings(index) : initial()), ...aside(page.state) };
  show();
}

/** Whether an address says what is on the stage, or only which step is shown. */
const setsStage = (hash) => /[#&](beta|n|queries|space)=/.test(hash);

function readAddress() {
  page.address = location.hash;
  if (!isState(location.hash)) return;
  const state = fromHash(location.hash), changed = toHash(page.state) !== location.hash;
  if (!changed) return;
  const text = page.state.text;
  leave();
  page.state = state;
  page.touring = state.view === 'tour';
  page.state.step = Math.min(Math.max(Math.round(state.step), 0), stepCount - 1);
  if (state.text !== null && state.text !== text && page.checked) page.checker.set(state.text);
  state.text ??= text;
  page.toolbar.nameScene('');
  if (state.view === 'tour' && !setsStage(location.hash)) setStage(page.state.step);
  else view(state.view);
  if (state.view === 'tour') page.tour.show(page.state.step);
}

/** The playground as it was before the tour set it. */
function play() {
  settleAddress();
  if (page.touring && page.play) page.state = { ...page.play, ...aside(page.state) };
  page.touring = false;
  view('play');
  pushAddress();
}

function follow(event) {
  const link = event.target.closest('header nav a');
  if (!link) return;
  event.preventDefault();
  settleAddress();
  if (link.dataset.view === 'tour' && page.state.view !== 'tour') go(page.state.step);
  else if (link.dataset.view === 'play' && page.state.view !== 'play') play();
  else if (['words', 'check'].includes(link.dataset.view)) {
    view(link.dataset.view);
    pushAddress();
    scrollTo(0, 0);
  }
}

// ---- The start -------------------------------------------------------------------------------------------

async function start() {
  setTheme();
  setUpTips();
  document.documentElement.toggleAttribute('data-flat', isFlat());
  const vectors = hasVectors() && !new URLSearchParams(location.search).has('plain');
  const module = vectors ? await WebAssembly.compile(unpack(stored('vectors'))) : await whole();
  const engine = await Engine.make(module);
  page.engine = engine;
  $('engine').textContent = vectors ? 'The playground runs on vectors of WebAssembly.' : 'The playground runs without vectors.';
  page.examples = JSON.parse(new TextDecoder().decode(unpack(stored('examples-data'))));
  page.playground = new Playground(engine, $('playground'), {
    onMove: move,
    onBegin: remember,
    onEnd: keepAddress,
    onTurn: (turn) => { page.state.turn = turn; show(); },
  });
  page.controls = new Controls($('controls'), show, remember);
  page.toolbar = new Toolbar($('tools'), page.playground, {
    onPreset: ({ changes, pace = 'run' }) => {
      settleAddress();
      page.playground.pace = pace;
      page.playground.keys.inviting = false;
      page.playground.head = undefined;
      change((state) => Object.assign(state, setting(changes), aside(state)));
      pushAddress();
    },
    onChange: change,
    onUndo: () => takeBack(),
    onReset: reset,
  });
  page.tour = new Tour(engine, $('tour'), page.playground, {
    onStep: step,
    onGo: go,
    onCheck: check,
    onChange: change,
    onGlide: (changes) => {
      remember();
      glide(page.state, changes, show);
    },
    onPace: (pace) => page.toolbar.setPace(pace),
    onPlay: play,
    onWords: () => { view('words'); pushAddress(); scrollTo(0, 0); },
  });
  page.checker = new Checker($('check'), ask, page.examples, {
    onText: (text) => {
      page.state.text = text;
      keepAddress();
    },
    onShow: showClaim,
    onReplace: (own, text) => { // Back returns to what was written
      page.state.text = own;
      settleAddress();
      page.state.text = text;
      pushAddress();
    },
  });
  page.state.step = Math.min(Math.max(Math.round(page.state.step), 0), stepCount - 1);
  page.touring = page.state.view === 'tour';
  if (page.state.view === 'tour' && !setsStage(location.hash)) setStage(page.state.step);
  else view(page.state.view);
  if (page.state.view === 'tour') page.tour.show(page.state.step);
  $('theme').addEventListener('click', () => {
    chosen = chosenTheme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark');
    changeTheme();
  });
  dark.addEventListener('change', changeTheme);
  document.addEventListener('keydown', onKey);
  document.querySelector('header').addEventListener('click', follow);
  for (const button of document.querySelectorAll('.copy-link')) button.addEventListener('click', () => {
    settleAddress(); // what was just changed is in the link too
    page.toolbar.copyLink(button);
  });
  $('back-to-tour').addEventListener('click', backToTour);
  $('remark-back').addEventListener('click', () => {
    view('check');
    pushAddress();
  });
  document.querySelector('a.skip').addEventListener('click', (event) => {
    event.preventDefault(); // the address is the state's
    $('main').focus();
  });
  window.addEventListener('hashchange', readAddress);
  page.firstPicture = performance.now();
  window.qkvPage = { page, ask };
}

start().catch((error) => {
  console.error(error);
  $('main').prepend(Object.assign(document.createElement('p'), { textContent: `The page could not start: ${error.message}` }));
});
