// What a site computes in a sum over many sites: masks that it has in common with its neighbours, and shares of its secret.

/** Bytes of a key, of a pad and of a share. */
const EACH: usize = 32;
/** Blocks of the stream that are made at once, one in each part of a vector, and their bytes. */
const BLOCKS: i32 = 4;
const MADE: usize = 64 * <usize>BLOCKS;

/** v128 [16]: the words of the blocks while they are mixed; and the bytes of these blocks. One thread alone masks. */
const words = memory.data(256, 16);
const stream = memory.data(256, 16);

/** Room for what is behind the numbers: they are masked in whole groups of blocks. */
export function slack(): usize {
  return MADE;
}

/**
 * Masks numbers (i64 [count], and room behind them) together with `near` neighbours: adds the masks, or where `adds` (u8 [near]) is 0 subtracts
 * them. Each pair's stream is XChaCha20's, of its key (u8 [near][32]) and of `nonce` (u8 [24]). It begins with two pads: the first one of the lower
 * id's share, which adds, the second one of the higher one's. A neighbour's place among the holders is in `places` (u8 [near]); the pads go
 * there, this site's own to `own`, and those of the shares that it holds to `held` (u8 [holders][32] both).
 */
export function maskAmong(
  numbers: usize,
  count: i32,
  keys: usize,
  adds: usize,
  places: usize,
  near: i32,
  nonce: usize,
  own: usize,
  held: usize,
): void {
  for (let i = 0; i < near; i++, keys += EACH) {
    const plus = load<u8>(adds + <usize>i) != 0;
    const place = <usize>load<u8>(places + <usize>i) * EACH;
    const key = keyFor(keys, nonce);
    mix(key, 0, nonce + 16);
    memory.copy(own + place, stream + (plus ? 0 : EACH), EACH);
    memory.copy(held + place, stream + (plus ? EACH : 0), EACH);
    apply(numbers, stream + 2 * EACH, MADE - 2 * EACH, plus);
    let to = numbers + MADE - 2 * EACH;
    const end = numbers + (<usize>count << 3);
    for (let block = BLOCKS; to < end; block += BLOCKS, to += MADE) {
      mix(key, block, nonce + 16);
      apply(to, stream, MADE, plus);
    }
  }
}

// @ts-ignore: decorator
@inline
function apply(numbers: usize, masks: usize, bytes: usize, adds: bool): void {
  for (let at: usize = 0; at < bytes; at += 16) {
    const number = v128.load(numbers + at);
    const mask = v128.load(masks + at);
    v128.store(numbers + at, adds ? i64x2.add(number, mask) : i64x2.sub(number, mask));
  }
}

/** u8 [32]: the key of one nonce. */
const derived = memory.data(32, 16);

/** HChaCha20 of a key and the first 16 bytes of the nonce. */
function keyFor(key: usize, nonce: usize): usize {
  begin(key);
  for (let i: usize = 0; i < 4; i++) v128.store(words + ((12 + i) << 4), i32x4.splat(load<i32>(nonce + (i << 2))));
  rounds();
  for (let i: usize = 0; i < 4; i++) {
    store<i32>(derived + (i << 2), load<i32>(words + (i << 4)));
    store<i32>(derived + 16 + (i << 2), load<i32>(words + ((12 + i) << 4)));
  }
  return derived;
}

/** The constants, and the key. */
function begin(key: usize): void {
  v128.store(words, i32x4.splat(0x61707865));
  v128.store(words + 16, i32x4.splat(0x3320646e));
  v128.store(words + 32, i32x4.splat(0x79622d32));
  v128.store(words + 48, i32x4.splat(0x6b206574));
  for (let i: usize = 0; i < 8; i++) v128.store(words + ((4 + i) << 4), i32x4.splat(load<i32>(key + (i << 2))));
}

/** Blocks of ChaCha20 from this one on, with the last 8 bytes of the nonce, into `stream`. */
function mix(key: usize, block: i32, nonce: usize): void {
  const counter = i32x4.add(i32x4.splat(block), i32x4(0, 1, 2, 3));
  begin(key);
  v128.store(words + (12 << 4), counter);
  v128.store(words + (13 << 4), i32x4.splat(0));
  v128.store(words + (14 << 4), i32x4.splat(load<i32>(nonce)));
  v128.store(words + (15 << 4), i32x4.splat(load<i32>(nonce + 4)));
  rounds();
  write(0, i32x4.splat(0x61707865), i32x4.splat(0x3320646e), i32x4.splat(0x79622d32), i32x4.splat(0x6b206574));
  write(4, word(key), word(key + 4), word(key + 8), word(key + 12));
  write(8, word(key + 16), word(key + 20), word(key + 24), word(key + 28));
  write(12, counter, i32x4.splat(0), word(nonce), word(nonce + 4));
}

// @ts-ignore: decorator
@inline
function word(at: usize): v128 {
  return i32x4.splat(load<i32>(at));
}

/** Four words of all blocks, with what they began as, to their places: blocks lie one after the other. */
// @ts-ignore: decorator
@inline
function write(first: usize, one: v128, two: v128, three: v128, four: v128): void {
  const at = words + (first << 4);
  const a = i32x4.add(v128.load(at), one);
  const b = i32x4.add(v128.load(at, 16), two);
  const c = i32x4.add(v128.load(at, 32), three);
  const d = i32x4.add(v128.load(at, 48), four);
  const ab = i32x4.shuffle(a, b, 0, 4, 1, 5);
  const cd = i32x4.shuffle(c, d, 0, 4, 1, 5);
  const abLast = i32x4.shuffle(a, b, 2, 6, 3, 7);
  const cdLast = i32x4.shuffle(c, d, 2, 6, 3, 7);
  const to = stream + (first << 2);
  v128.store(to, i64x2.shuffle(ab, cd, 0, 2));
  v128.store(to, i64x2.shuffle(ab, cd, 1, 3), 64);
  v128.store(to, i64x2.shuffle(abLast, cdLast, 0, 2), 128);
  v128.store(to, i64x2.shuffle(abLast, cdLast, 1, 3), 192);
}

function rounds(): void {
  for (let round = 0; round < 10; round++) {
    quarter(0, 4, 8, 12);
    quarter(1, 5, 9, 13);
    quarter(2, 6, 10, 14);
    quarter(3, 7, 11, 15);
    quarter(0, 5, 10, 15);
    quarter(1, 6, 11, 12);
    quarter(2, 7, 8, 13);
    quarter(3, 4, 9, 14);
  }
}

// @ts-ignore: decorator
@inline
function quarter(first: usize, second: usize, third: usize, fourth: usize): void {
  let a = v128.load(words + (first << 4));
  let b = v128.load(words + (second << 4));
  let c = v128.load(words + (third << 4));
  let d = v128.load(words + (fourth << 4));
  a = i32x4.add(a, b);
  d = v128.xor(d, a);
  d = i8x16.shuffle(d, d, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
  c = i32x4.add(c, d);
  b = v128.xor(b, c);
  b = v128.or(i32x4.shl(b, 12), i32x4.shr_u(b, 20));
  a = i32x4.add(a, b);
  d = v128.xor(d, a);
  d = i8x16.shuffle(d, d, 3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
  c = i32x4.add(c, d);
  b = v128.xor(b, c);
  b = v128.or(i32x4.shl(b, 7), i32x4.shr_u(b, 25));
  v128.store(words + (first << 4), a);
  v128.store(words + (second << 4), b);
  v128.store(words + (third << 4), c);
  v128.store(words + (fourth << 4), d);
}

/**
 * Sums of shares (u8 [count][32]), each times its weight in the field of 256 elements: one sum (u8 [32]) for each of `sums` lists of
 * weights (u8 [count]). `products` has for each weight its products with 0 to 15, and then those with 16 times 0 to 15 (u8 [256][32]).
 */
export function combineShares(shares: usize, count: u32, weights: usize, sums: u32, products: usize, out: usize): void {
  for (let sum: u32 = 0; sum < sums; sum++, out += 32) {
    let first = i8x16.splat(0);
    let second = i8x16.splat(0);
    let share = shares;
    for (let i: u32 = 0; i < count; i++, share += 32, weights++) {
      const low = v128.load(products + ((load<u8>(weights) as usize) << 5));
      const high = v128.load(products + ((load<u8>(weights) as usize) << 5) + 16);
      first = v128.xor(first, times(v128.load(share), low, high));
      second = v128.xor(second, times(v128.load(share + 16), low, high));
    }
    v128.store(out, first);
    v128.store(out + 16, second);
  }
}

/** Sixteen elements times one, of which the products with lower and upper halves of bytes are given. */
// @ts-ignore: decorator
@inline
function times(elements: v128, low: v128, high: v128): v128 {
  const lower = v128.swizzle(low, v128.and(elements, i8x16.splat(15)));
  return v128.xor(lower, v128.swizzle(high, v128.shr<u8>(elements, 4)));
}
