// A decoder of raw LZMA streams, with which the modules are a sixth smaller than by what browsers
// bring along. Positions are not part of the contexts (lp = pb = 0), and the length is known.

/** source: the stream; size: of the result, in bytes; lc: bits of the last byte in a literal's context. */
export function expand(source, size, lc) {
  const result = new Uint8Array(size), fresh = (count) => new Uint16Array(count).fill(1024);
  let at = 5, range = 0xffffffff, pos = 0, state = 0;
  let code = ((source[1] << 24) | (source[2] << 16) | (source[3] << 8) | source[4]) >>> 0;
  let first = 0, second = 0, third = 0, fourth = 0; // the last distances, less 1

  function refill() {
    range = (range << 8) >>> 0;
    code = ((code << 8) | source[at++]) >>> 0;
  }

  function bit(odds, i) {
    const bound = (range >>> 11) * odds[i], is = code >= bound ? 1 : 0;
    if (is === 0) {
      range = bound;
      odds[i] += (2048 - odds[i]) >> 5;
    } else {
      range -= bound;
      code -= bound;
      odds[i] -= odds[i] >> 5;
    }
    if (range < 0x1000000) refill();
    return is;
  }

  function even(count) {
    let value = 0;
    for (; count > 0; count--) {
      range >>>= 1;
      const is = code >= range ? 1 : 0;
      if (is) code -= range;
      value = value * 2 + is;
      if (range < 0x1000000) refill();
    }
    return value;
  }

  function tree(odds, base, count) {
    let node = 1;
    for (let i = 0; i < count; i++) node = (node << 1) | bit(odds, base + node);
    return node - (1 << count);
  }

  function backwards(odds, base, count) {
    let node = 1, value = 0;
    for (let i = 0; i < count; i++) {
      const is = bit(odds, base + node);
      node = (node << 1) | is;
      value |= is << i;
    }
    return value;
  }

  const lengths = () => ({ choice: fresh(2), low: fresh(8), middle: fresh(8), high: fresh(256) });

  function length(of) {
    if (bit(of.choice, 0) === 0) return tree(of.low, 0, 3);
    if (bit(of.choice, 1) === 0) return 8 + tree(of.middle, 0, 3);
    return 16 + tree(of.high, 0, 8);
  }

  const isMatch = fresh(12), isRepeat = fresh(12), notFirst = fresh(12), notSecond = fresh(12);
  const notThird = fresh(12), isLong = fresh(12), literals = fresh(0x300 << lc);
  const slots = fresh(4 * 64), special = fresh(115), aligned = fresh(16);
  const matched = lengths(), repeated = lengths();

  function literal() {
    const base = 0x300 * (pos > 0 ? result[pos - 1] >> (8 - lc) : 0);
    let symbol = 1;
    if (state >= 7) {
      let other = result[pos - first - 1];
      do {
        const expected = (other >> 7) & 1, is = bit(literals, base + ((1 + expected) << 8) + symbol);
        other <<= 1;
        symbol = (symbol << 1) | is;
        if (is !== expected) break;
      } while (symbol < 0x100);
    }
    while (symbol < 0x100) symbol = (symbol << 1) | bit(literals, base + symbol);
    result[pos++] = symbol;
    state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
  }

  function recall() {
    let distance = second;
    if (bit(notSecond, state) !== 0) {
      if (bit(notThird, state) === 0) distance = third;
      else {
        distance = fourth;
        fourth = third;
      }
      third = second;
    }
    second = first;
    first = distance;
  }

  function distance(near) {
    const slot = tree(slots, 64 * near, 6), bits = (slot >> 1) - 1;
    if (slot < 4) return slot;
    const base = (2 | (slot & 1)) * 2 ** bits;
    if (slot < 14) return base + backwards(special, base - slot, bits);
    return base + even(bits - 4) * 16 + backwards(aligned, 0, 4);
  }

  function copy(count) {
    for (const end = Math.min(size, pos + count); pos < end; pos++) result[pos] = result[pos - first - 1];
  }

  while (pos < size) {
    if (bit(isMatch, state) === 0) {
      literal();
    } else if (bit(isRepeat, state) !== 0) {
      if (bit(notFirst, state) !== 0) recall();
      else if (bit(isLong, state) === 0) {
        state = state < 7 ? 9 : 11;
        copy(1);
        continue;
      }
      const count = length(repeated);
      state = state < 7 ? 8 : 11;
      copy(count + 2);
    } else {
      [fourth, third, second] = [third, second, first];
      const count = length(matched);
      state = state < 7 ? 7 : 10;
      first = distance(Math.min(count, 3));
      copy(count + 2);
    }
  }
  return result;
}
