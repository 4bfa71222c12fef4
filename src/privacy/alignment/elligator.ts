import { createHash } from "node:crypto";
import { power } from "../modular.js";

/** Curve25519: v^2 = u^3 + A u^2 + u over the numbers mod p. */
const p = 2n ** 255n - 19n;
const A = 486662n;

/**
 * Every text becomes the u-coordinate (32 bytes each, little-endian) of a point of Curve25519, by the Elligator 2 map of
 * RFC 9380 over SHA-512.
 *
 * Promise: nobody knows how one text's point is a multiple of another's, which is what hides texts once a secret factor is
 * on them; and all points lie on the curve, none on its twist. (A plain digest taken as a coordinate would lie on either,
 * and which of them stays visible under any number of factors: one bit of every id.)
 */
export function pointsOf(texts: readonly string[]): Uint8Array {
  const roots = texts.map((text) => {
    const digest = createHash("sha512").update("moiety id 1\0").update(text).digest("hex");
    return BigInt(`0x${digest}`) % p;
  });
  // 1 + 2 r^2 is never 0, since -1/2 is no square.
  const inverses = invertAll(roots.map((r) => (1n + 2n * r * r) % p));
  const points = Buffer.alloc(32 * texts.length);
  inverses.forEach((inverse, at) => {
    const u = p - ((A * inverse) % p);
    const onCurve = jacobi((u * ((u * u + A * u + 1n) % p)) % p) >= 0 ? u : 2n * p - A - u;
    writeNumber(points, 32 * at, onCurve % p);
  });
  return points;
}

/** All inverses with one inversion (Montgomery's trick). */
function invertAll(values: readonly bigint[]): bigint[] {
  const products: bigint[] = [];
  let product = 1n;
  for (const value of values) {
    products.push(product);
    product = (product * value) % p;
  }
  const inverses = new Array<bigint>(values.length);
  let inverse = power(product, p - 2n, p);
  for (let at = values.length - 1; at >= 0; at--) {
    inverses[at] = (inverse * products[at]) % p;
    inverse = (inverse * values[at]) % p;
  }
  return inverses;
}

/** 1 for squares mod p, -1 for the others, 0 for 0: the Jacobi symbol, ten times faster than Euler's power. */
function jacobi(value: bigint): number {
  let sign = 1;
  let a = value;
  let n = p;
  while (a > 0n) {
    let twos = 0;
    while ((a & 1n) === 0n) {
      const low = Number(BigInt.asUintN(32, a));
      const zeros = low === 0 ? 32 : 31 - Math.clz32(low & -low);
      a >>= BigInt(zeros);
      twos += zeros;
    }
    const eighth = Number(n & 7n);
    if (twos % 2 === 1 && (eighth === 3 || eighth === 5)) sign = -sign;
    if (Number(a & 3n) === 3 && eighth % 4 === 3) sign = -sign;
    [a, n] = [n % a, a];
  }
  return n === 1n ? sign : 0;
}

function writeNumber(target: Buffer, at: number, value: bigint): void {
  for (let word = 0, rest = value; word < 4; word++, rest >>= 64n) {
    target.writeBigUInt64LE(BigInt.asUintN(64, rest), at + 8 * word);
  }
}
