/** The bytes that a base64 text stands for. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

/** Bytes that become characters at a time: a call has only so many arguments. */
const bytesAtOnce = 1 << 13;

export function base64Of(bytes: Uint8Array): string {
  let text = "";
  for (let from = 0; from < bytes.length; from += bytesAtOnce) {
    text += String.fromCharCode(...bytes.subarray(from, from + bytesAtOnce));
  }
  return btoa(text);
}
