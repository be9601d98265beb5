// The row of tools below the stage: scenes, noise and its draws, undo, reset, links, pictures and the
// full screen. What they do to the state is main.js's business.
import { PRESETS } from './presets.js';
import { initial } from './state.js';
import { lowered } from './tip.js';
import { asPdf, photograph, rasterise, save } from './download.js';

const NOISE = 0.5; // of the length of k_a, when it is switched on

export class Toolbar {
  constructor(root, playground, { onPreset, onChange, onUndo, onReset }) {
    Object.assign(this, { root, playground, onChange });
    const on = (id, act) => this.at(id).addEventListener('click', act);
    this.presets = this.at('presets');
    playground.listen(({ state }) => this.showHeads(state)); // it chooses the head
    this.presets.append(new Option('Scenes …', '', true, true), ...PRESETS.map(({ name }, i) => new Option(name, String(i))));
    this.opening = this.at('sentence').innerHTML;
    this.presets.addEventListener('change', () => {
      if (this.presets.value === '') return;
      onPreset(PRESETS[this.presets.value]);
      this.nameScene(this.presets.value);
    });
    on('noise-switch', () => this.switchNoise());
    on('pace-draw', () => { this.setPace('hold'); playground.drawOne(); });
    on('pace-slow', () => this.setPace(playground.pace === 'slow' ? 'hold' : 'slow'));
    on('pace-run', () => this.setPace(playground.pace === 'run' ? 'hold' : 'run'));
    on('pace-clear', () => { if (playground.pace === 'run') this.setPace('hold'); playground.clear(); });
    on('undo', onUndo);
    on('reset', onReset);
    on('stage-reset', onReset); // where there is no room for a row of tools
    on('save-svg', () => save('qkv.svg', this.photograph().text));
    on('save-png', async () => save('qkv.png', await rasterise(this.photograph())));
    on('save-pdf', async () => save('qkv.pdf', await asPdf(this.photograph())));
    this.setUpFullScreen(document.querySelectorAll('.full'));
    on('above', () => onChange((state) => { state.turn = state.turn.every((x) => x === 0) ? initial().turn : [0, 0]; }));
  }

  /** The scene that was chosen, in the menu and in a sentence; '' for none. */
  nameScene(value) {
    this.presets.value = value;
    if (value === '') this.at('sentence').innerHTML = this.opening;
    else this.at('sentence').replaceChildren(lowered(PRESETS[value].told));
  }

  /** Not where the browser has none, as on some telephones. */
  setUpFullScreen(buttons) {
    for (const button of buttons) {
      button.hidden = !document.fullscreenEnabled;
      button.addEventListener('click', () => (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen()));
    }
    document.addEventListener('fullscreenchange', () => {
      for (const button of buttons) button.textContent = document.fullscreenElement ? 'Leave' : 'Full screen';
    });
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

  /** undoable: whether there is anything to take back; unknown if it is left out. */
  show(state, undoable = undefined) {
    if (undoable !== undefined) this.at('undo').setAttribute('aria-disabled', String(!undoable));
    const { pace } = this.playground, noisy = state.alpha > 0 || state.stretch.some((s) => s > 0);
    this.at('noise-switch').setAttribute('aria-pressed', String(state.stretch[0] > 0));
    this.at('paces').classList.toggle('unused', !noisy);
    for (const id of ['draw', 'slow', 'run', 'clear']) this.at(`pace-${id}`).disabled = !noisy;
    this.at('pace-slow').setAttribute('aria-pressed', String(noisy && pace === 'slow'));
    this.at('pace-run').setAttribute('aria-pressed', String(noisy && pace === 'run'));
    this.showHeads(state);
    this.at('above').hidden = state.space === 'plane' || state.n < 3;
    const [from, where] = state.turn.every((x) => x === 0) ? ['From the ', 'side'] : ['From ', 'above'];
    this.at('above').innerHTML = `<span>${from}</span>${where}`; // narrow screens show the last word alone
    this.at('above').setAttribute('aria-label', from + where);
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
    return photograph(['keys-figure', 'weights-figure', 'values-figure', 'law-figure', 'facts'].map((id) => this.at(id)), this.playground.settings());
  }
}
