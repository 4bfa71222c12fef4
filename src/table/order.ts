/**
 * The one order of texts: that of their UTF-8 bytes. It needs no locale, and every institution's database, language
 * and tool can reproduce it, so parties that sort by id agree on who is person number i.
 *
 * JavaScript's own order is by UTF-16 unit, which differs from bytes only where a surrogate pair (U+10000 and above)
 * meets a unit of U+E000 to U+FFFF.
 */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return byteRank(left) - byteRank(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for code points above all other units, so they go last. */
function byteRank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

const surrogate = /[\ud800-\udfff]/;

/** Sorts in place by UTF-8 bytes. The engine's own sort is several times faster, and right unless there are surrogates. */
export function sortBytes(texts: string[]): string[] {
  return texts.some((text) => surrogate.test(text)) ? texts.sort(compareBytes) : texts.sort();
}
