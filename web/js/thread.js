// The checker's thread. It has one request at a time; others wait here, so that one that nobody wants
// any longer can be taken back: what runs cannot be interrupted, so the thread is ended and another
// one started with the module that is compiled already. Knows nothing of what is asked.
import { Engine, decode, host, unpack } from './engine.js';
import { expand } from './lzma.js';

export class Thread {
  /** packed: the module as it is in the page; script: what the thread runs. */
  constructor(packed, script) {
    this.packed = packed;
    this.source = [expand, decode, unpack, host, Engine, script].join('\n'); // functions are text too
    this.queue = []; // the first is running, if one is
  }

  /** The answer, parsed unless raw. Where the signal is aborted, the promise is rejected by an AbortError. */
  ask(name, text, line = 0, raw = false, signal = undefined, settings = {}) {
    return new Promise((resolve, reject) => {
      const request = { name, text, line, raw, settings, resolve, reject };
      signal?.addEventListener('abort', () => this.drop(request), { once: true });
      this.queue.push(request);
      this.next();
      if (signal?.aborted) this.drop(request);
    });
  }

  next() {
    if (this.queue.length === 0) return;
    try {
      this.worker ??= this.start();
    } catch (error) {
      this.fail(error.message);
      return;
    }
    if (!this.ready || this.running) return;
    this.running = this.queue[0];
    const { name, text, line, settings } = this.running;
    this.worker.postMessage({ name, text, line, settings });
  }

  start() {
    const url = URL.createObjectURL(new Blob([this.source], { type: 'text/javascript' }));
    const worker = new Worker(url);
    worker.onmessage = ({ data }) => worker === this.worker && this.take(data);
    worker.onmessageerror = () => worker === this.worker && this.fail('its answer could not be read');
    worker.onerror = (event) => {
      event.preventDefault();
      if (worker === this.worker) this.fail(event.message || 'its thread could not start');
    };
    worker.postMessage(this.module ? { module: this.module } : { packed: this.packed });
    this.url = url;
    return worker;
  }

  take({ module, broken, answer, error }) {
    if (broken !== undefined) {
      this.fail(broken);
      return;
    }
    if (module) {
      this.module = module;
      this.ready = true;
    } else {
      this.settle(answer, error);
    }
    this.next();
  }

  settle(answer, error) {
    const { raw, resolve, reject } = this.queue.shift();
    this.running = undefined;
    try {
      if (error !== undefined) throw new Error(error);
      resolve(raw ? answer : JSON.parse(answer));
    } catch (wrong) {
      reject(wrong);
    }
  }

  drop(request) {
    const at = this.queue.indexOf(request);
    if (at < 0) return;
    this.queue.splice(at, 1);
    if (request === this.running) this.end();
    request.reject(new DOMException('stopped', 'AbortError'));
    this.next();
  }

  /** Nothing more comes from this thread: all who wait are told, and the next request starts another. */
  fail(message) {
    this.end();
    for (const { reject } of this.queue.splice(0)) reject(new Error(message));
  }

  end() {
    this.worker?.terminate();
    if (this.url) URL.revokeObjectURL(this.url);
    this.worker = this.running = this.url = undefined;
    this.ready = false;
  }
}
