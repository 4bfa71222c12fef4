/**
 * Memory that nobody uses any more is freed by the garbage collector, which comes when much was needed since it came last; it
 * does not know of what an engine holds for us, or of memory that was taken long ago. An array of so many bytes, which is
 * never used and so takes no memory, has it come in time.
 */
export function expectGarbage(bytes: number): void {
  new ArrayBuffer(bytes);
}

/** Has memory of our own freed in the next turn of the process: the garbage collector may come when as much was needed elsewhere. */
export function free(memory: ArrayBuffer): void {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(undefined, [memory]);
  port1.close();
  port2.close();
}
