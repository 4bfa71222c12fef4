/**
 * Memory that nobody uses any more is freed by the garbage collector, which comes when much was needed since it came last; it
 * does not know of what an engine holds for us, or of memory that was taken long ago. An array of so many bytes, which is
 * never used and so takes no memory, has it come in time.
 */
export function expectGarbage(bytes: number): void {
  new ArrayBuffer(bytes);
}

/** Less than this is not worth a message: the garbage collector frees it. */
const fewBytes = 1e6;

const unshared = new WeakSet<ArrayBufferLike>();

/** Says that no other array is a view of the same memory, though this one is a view of a part of it. */
export function isOnlyView(array: ArrayBufferView): void {
  unshared.add(array.buffer);
}

/** The memory of an array, where no other array can be a view of it. */
export function ownMemory({ buffer, byteLength }: ArrayBufferView): ArrayBuffer | undefined {
  if (!(buffer instanceof ArrayBuffer)) return undefined;
  return byteLength === buffer.byteLength || unshared.has(buffer) ? buffer : undefined;
}

/** Has memory of our own freed in the next turn of the process: the garbage collector may come when as much was needed elsewhere. */
export function free(memory: ArrayBuffer): void {
  if (memory.byteLength < fewBytes) return;
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(undefined, [memory]);
  port1.close();
  port2.close();
}
