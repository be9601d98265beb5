// The C library as WebAssembly: how a module gets out of the page and runs, and how numbers and
// texts go in and out of it. Knows nothing of what they mean.
import { expand } from './lzma.js';

/** What bundle.py has packed into a script element: lengths, a parameter, and signs. */
export function unpack(text) {
  const [head, length, packed, context] = /^(\d+):(\d+):(\d+):/.exec(text);
  return expand(decode(text.slice(head.length), Number(packed)), Number(length), Number(context));
}

/** Seven bits to a sign, the first bits first. Three signs stand for those that a page cannot hold. */
export function decode(body, length) {
  const bytes = new Uint8Array(length), others = { 192: 0, 193: 13, 194: 60 };
  let bits = 0, count = 0;
  for (let at = 0, to = 0; to < length; at++) {
    const sign = body.charCodeAt(at);
    bits = ((bits << 7) | (sign < 128 ? sign : others[sign])) & 0xffff;
    count += 7;
    if (count < 8) continue;
    count -= 8;
    bytes[to++] = bits >> count;
  }
  return bytes;
}

/** Whether this browser runs WebAssembly's vectors: one function that makes one. */
export function hasVectors() {
  return WebAssembly.validate(new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0,
    65, 0, 253, 15, 253, 98, 11]));
}

/** What wasi-libc asks of its host: a clock, random bytes, a place for messages, and no files. */
export function host(memory) {
  const SUCCESS = 0, BAD_DESCRIPTOR = 8, NOT_OFFERED = 52;
  const view = () => new DataView(memory().buffer);
  const offers = {
    clock_time_get(clock, precision, result) {
      view().setBigUint64(result, BigInt(Math.round(performance.now() * 1e6)), true);
      return SUCCESS;
    },
    random_get(at, length) {
      crypto.getRandomValues(new Uint8Array(memory().buffer, at, length));
      return SUCCESS;
    },
    environ_sizes_get(count, size) {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return SUCCESS;
    },
    environ_get: () => SUCCESS,
    fd_write(descriptor, parts, count, written) {
      let text = '', total = 0;
      for (let i = 0; i < count; i++) {
        const at = view().getUint32(parts + 8 * i, true), length = view().getUint32(parts + 8 * i + 4, true);
        text += new TextDecoder().decode(new Uint8Array(memory().buffer, at, length));
        total += length;
      }
      console.warn(text);
      view().setUint32(written, total, true);
      return SUCCESS;
    },
    fd_prestat_get: () => BAD_DESCRIPTOR,
    proc_exit(code) { throw new Error(`the module ended with ${code}`); },
  };
  return new Proxy(offers, { get: (all, name) => all[name] ?? (() => NOT_OFFERED) });
}

export class Engine {
  static async make(module) {
    const engine = new Engine();
    const instance = await WebAssembly.instantiate(module, {
      wasi_snapshot_preview1: host(() => engine.exports.memory),
    });
    engine.exports = instance.exports;
    engine.exports._initialize();
    return engine;
  }

  /** Puts numbers where the next call looks for them. */
  give(numbers) {
    const at = this.exports.numbers(numbers.length);
    new Float64Array(this.exports.memory.buffer, at, numbers.length).set(numbers);
  }

  /** Puts a text where the next call looks for it. */
  tell(text) {
    const bytes = new TextEncoder().encode(text);
    const at = this.exports.input(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  /** Calls an export; its message is thrown where it fails, as an error that was told: the module is sound. */
  call(name, ...parameters) {
    if (!this.exports[name](...parameters)) throw Object.assign(new Error(this.answer()), { told: true });
  }

  /** The first numbers that the last call left; valid until the next one. */
  results(count) {
    return new Float64Array(this.exports.memory.buffer, this.exports.results(), count);
  }

  /** The text that the last call left. */
  answer() {
    const bytes = new Uint8Array(this.exports.memory.buffer, this.exports.answer(), this.exports.answer_length());
    return new TextDecoder().decode(bytes);
  }
}
