/** The bytes that a base64 text stands for. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Bytes that become text at a time: a call has only so many arguments, and three bytes are four digits. */
const bytesAtOnce = 3 << 11;

export function base64Of(bytes: Uint8Array): string {
  let base64 = "";
  for (let from = 0; from < bytes.length; from += bytesAtOnce) {
    // Spread arguments would take six times as long.
    base64 += btoa(Reflect.apply(String.fromCharCode, undefined, bytes.subarray(from, from + bytesAtOnce)));
  }
  return base64;
}
