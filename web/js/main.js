// The page: starts the library, keeps the state and the address in step, and switches between the
// three parts.
import { Engine, hasVectors, unpack } from './engine.js';
import { Thread } from './thread.js';
import { fromHash, isState, toHash } from './state.js';
import { Playground } from './playground.js';
import { Controls } from './controls.js';
import { Tour, stepCount, stepSettings } from './tour.js';
import { Checker } from './checker.js';
import { setUpTips } from './tip.js';

const stored = (id) => document.getElementById(id).textContent;
const page = { state: fromHash(location.hash) };
const $ = (id) => document.getElementById(id);

// ---- Appearance ------------------------------------------------------------------------------

const dark = matchMedia('(prefers-color-scheme: dark)');
let chosen; // 'dark' or 'light' once the button was used

function setTheme() {
  const name = chosen ?? (dark.matches ? 'dark' : 'light');
  document.documentElement.dataset.theme = name;
  $('theme').setAttribute('aria-pressed', String(name === 'dark'));
}

function changeTheme() {
  setTheme();
  if (page.playground) show();
  if (page.state.view === 'tour') page.tour?.draw();
}

// ---- The checker's thread ------------------------------------------------------------------------

/** The module with everything, for browsers without vectors. The worker unpacks its own. */
const whole = () => WebAssembly.compile(unpack(stored('whole')));

const ask = (...request) => (page.thread ??= new Thread(stored('whole'), stored('worker'))).ask(...request);

// ---- State -------------------------------------------------------------------------------------------

function keepAddress() {
  clearTimeout(page.keeping);
  page.keeping = setTimeout(() => {
    const hash = toHash(page.state);
    if (hash !== location.hash) history.replaceState(null, '', hash);
  }, 150);
}

function show() {
  page.playground.show(page.state);
  page.controls.show(page.state);
  keepAddress();
}

function move(kind, index, at) {
  const list = { key: 'keys', query: 'queries', value: 'values' }[kind], old = page.state[list][index];
  page.state[list][index] = [...at, ...old.slice(2)];
  show();
}

function view(name) {
  const { state } = page;
  state.view = name;
  $('tour').hidden = name !== 'tour';
  $('playground').hidden = name === 'check';
  $('check').hidden = name !== 'check';
  for (const link of document.querySelectorAll('nav a'))
    if (link.dataset.view === name) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  if (name === 'tour') page.tour.show(state.step);
  if (name === 'check' && !page.checked) {
    page.checked = true;
    page.checker.set(state.text ?? page.examples[0].text);
  }
  show();
}

function step(index) {
  if (index < 0 || index >= stepCount) return;
  if (!page.touring) page.play = page.state;
  page.touring = true;
  page.state = { ...stepSettings(index), view: 'tour', step: index, text: page.state.text };
  view('tour');
}

function check(text) {
  page.state.text = text;
  page.checked = true;
  page.checker.set(text);
  view('check');
  $('text').focus();
}

/** Space and arrows move the tour on, unless something else has a use for them. */
function onKey(event) {
  if (page.state.view !== 'tour' || event.altKey || event.ctrlKey || event.metaKey) return;
  if (event.target.closest('input, textarea, select, summary, [role=slider]')) return;
  if (event.key === ' ' && event.target.closest('button, a')) return;
  const by = { ' ': 1, ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  step(page.state.step + by);
}

function readAddress() {
  if (!isState(location.hash)) return;
  const state = fromHash(location.hash), changed = toHash(page.state) !== location.hash;
  if (!changed) return;
  const text = page.state.text;
  page.state = state;
  page.touring = state.view === 'tour';
  page.state.step = Math.min(Math.max(Math.round(state.step), 0), stepCount - 1);
  if (state.text !== null && state.text !== text && page.checked) page.checker.set(state.text);
  state.text ??= text;
  view(state.view);
}

/** The playground as it was before the tour set it. */
function play() {
  if (page.touring && page.play) page.state = { ...page.play, step: page.state.step, text: page.state.text };
  page.touring = false;
  view('play');
}

function follow(event) {
  const link = event.target.closest('nav a');
  if (!link) return;
  event.preventDefault();
  if (link.dataset.view === 'tour' && page.state.view !== 'tour') step(page.state.step);
  else if (link.dataset.view === 'play' && page.state.view !== 'play') play();
  else view(link.dataset.view);
}

// ---- The start -------------------------------------------------------------------------------------------

async function start() {
  setTheme();
  setUpTips();
  const vectors = hasVectors() && !new URLSearchParams(location.search).has('plain');
  const module = vectors ? await WebAssembly.compile(unpack(stored('vectors'))) : await whole();
  const engine = await Engine.make(module);
  page.engine = engine;
  $('engine').textContent = vectors ? 'The playground runs on vectors of WebAssembly.' : 'The playground runs without vectors.';
  page.examples = JSON.parse(new TextDecoder().decode(unpack(stored('examples-data'))));
  page.playground = new Playground(engine, $('playground'), { onMove: move, onEnd: keepAddress });
  page.controls = new Controls($('controls'), show);
  page.tour = new Tour(engine, $('tour'), {
    onStep: step,
    onCheck: check,
    onChange: (act) => { act(page.state); show(); },
  });
  page.checker = new Checker($('check'), ask, page.examples, (text) => {
    page.state.text = text;
    keepAddress();
  });
  page.state.step = Math.min(Math.max(Math.round(page.state.step), 0), stepCount - 1);
  page.touring = page.state.view === 'tour';
  if (page.state.view === 'tour' && !/[#&](beta|n|queries|space)=/.test(location.hash)) step(page.state.step);
  else view(page.state.view);
  $('theme').addEventListener('click', () => {
    chosen = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    changeTheme();
  });
  dark.addEventListener('change', changeTheme);
  document.addEventListener('keydown', onKey);
  document.querySelector('nav').addEventListener('click', follow);
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
