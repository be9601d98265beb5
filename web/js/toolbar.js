// The row of tools below the stage: scenes, noise and its draws, undo, reset, links, pictures and the
// full screen. What they do to the state is main.js's business.
import { PRESETS, setting } from './presets.js';
import { initial } from './state.js';
import { lowered } from './tip.js';
import { asPdf, photograph, rasterise, save } from './download.js';

const OWN = ['view', 'step', 'text', 'turn', 'sentence', 'head', 'token', 'jitter', 'noisy']; // of the page, not of a scene
const SAME = ['space', 'n', 'heads', 'stretch']; // where the words about a scene still hold
const SCENES = PRESETS.map(({ changes }) => Object.fromEntries(Object.entries(setting(changes)).map(([name, value]) => [name, JSON.stringify(value)])));
const NOISE = 0.5; // of the length of k_a, when it is switched on

export class Toolbar {
  constructor(root, playground, { onPreset, onChange, onUndo, onReset }) {
    Object.assign(this, { root, playground, onChange });
    const on = (id, act) => this.at(id).addEventListener('click', act);
    this.presets = this.at('presets');
    playground.listen(({ state }) => this.showHeads(state)); // it chooses the head
    this.presets.append(new Option('Scenes …', '', true, true), ...PRESETS.map(({ name }, i) => new Option(name, String(i))));
    this.presets.addEventListener('change', () => {
      if (this.presets.value !== '') onPreset(PRESETS[this.presets.value]);
    });
    on('noise-switch', () => this.switchNoise());
    on('pace-draw', () => { this.setPace('hold'); playground.drawOne(); });
    on('pace-slow', () => this.setPace(playground.pace === 'slow' ? 'hold' : 'slow'));
    on('pace-run', () => this.setPace(playground.pace === 'run' ? 'hold' : 'run'));
    on('pace-clear', () => { if (playground.pace === 'run') this.setPace('hold'); playground.clear(); });
    on('undo', onUndo);
    on('reset', onReset);
    on('save-svg', () => save('qkv.svg', this.photograph().text));
    on('save-png', async () => save('qkv.png', await rasterise(this.photograph())));
    on('save-pdf', async () => save('qkv.pdf', await asPdf(this.photograph())));
    document.addEventListener('fullscreenchange', () => { this.at('full').textContent = document.fullscreenElement ? 'Leave full screen' : 'Full screen'; });
    on('full', () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()));
    on('above', () => onChange((state) => { state.turn = state.turn.every((x) => x === 0) ? initial().turn : [0, 0]; }));
  }

  at(id) {
    return document.getElementById(id);
  }

  setPace(pace) {
    this.playground.setPace(pace);
    if (this.playground.state) this.show(this.playground.state);
  }

  switchNoise() {
    const on = this.playground.state.stretch[0] === 0;
    if (on) this.playground.pace = 'slow';
    this.onChange((state) => {
      state.stretch[0] = on ? NOISE : 0;
      if (on && state.target === 'none') state.target = 'average';
    });
  }

  show(state) {
    this.showScene(state);
    const { pace } = this.playground, noisy = state.alpha > 0 || state.stretch.some((s) => s > 0);
    this.at('noise-switch').setAttribute('aria-pressed', String(state.stretch[0] > 0));
    this.at('paces').classList.toggle('unused', !noisy);
    for (const id of ['draw', 'slow', 'run', 'clear']) this.at(`pace-${id}`).disabled = !noisy;
    this.at('pace-slow').setAttribute('aria-pressed', String(noisy && pace === 'slow'));
    this.at('pace-run').setAttribute('aria-pressed', String(noisy && pace === 'run'));
    this.showHeads(state);
    this.at('above').hidden = state.space === 'plane' || state.n < 3;
    this.at('above').textContent = state.turn.every((x) => x === 0) ? 'From the side' : 'From above';
  }

  /** The name of the scene, as long as it is one, and what there is to see. */
  showScene(state) {
    const now = SCENES.findIndex((scene) => Object.entries(scene).every(([name, value]) => OWN.includes(name) || JSON.stringify(state[name]) === value));
    if (now >= 0) this.scene = now;
    this.presets.value = now >= 0 ? String(now) : '';
    const kept = this.scene ?? 0, same = SAME.every((name) => JSON.stringify(state[name]) === SCENES[kept][name]);
    const [, strong, rest] = /^\*\*(.*)\*\*(.*)$/.exec(PRESETS[same ? kept : 0].told);
    if (this.told === strong) return;
    this.told = strong;
    const bold = document.createElement('b');
    bold.append(lowered(strong));
    this.at('sentence').replaceChildren(bold, lowered(rest));
  }

  /** With several heads: which of them the table shows. */
  showHeads({ heads }) {
    const choice = this.at('head-choice'), shown = Math.min(this.playground.head ?? 0, heads - 1);
    if (choice.childElementCount !== (heads > 1 ? heads : 0))
      choice.replaceChildren(...(heads > 1 ? ['head '] : []), ...Array.from({ length: heads > 1 ? heads : 0 }, (_, h) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = String(h + 1);
        button.setAttribute('aria-label', `head ${h + 1}`);
        button.addEventListener('click', () => {
          this.playground.setHead(h);
          this.showHeads(this.playground.state);
        });
        return button;
      }));
    [...choice.children].forEach((button, h) => button.setAttribute('aria-pressed', String(h === shown)));
  }

  async copyLink(button) {
    const link = location.href;
    try {
      await navigator.clipboard.writeText(link);
      this.tell(button, 'Copied');
    } catch {
      window.prompt('The link to what you see:', link);
    }
  }

  /** Says so on the button for a while, and to screen readers. */
  tell(button, text) {
    const before = button.dataset.name ?? button.textContent;
    button.dataset.name = before;
    button.textContent = this.at('told').textContent = text;
    setTimeout(() => { button.textContent = before; }, 1500);
  }

  photograph() {
    return photograph([...['keys-figure', 'weights-figure', 'values-figure', 'law-figure'].map((id) => this.at(id)), document.querySelector('.facts')]);
  }
}
