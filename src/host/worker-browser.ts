interface WorkerScope {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown, transfer: readonly ArrayBuffer[]): void;
}

const scope = globalThis as unknown as WorkerScope;

/** Handles every message from whoever started this thread. */
export function serve(handle: (message: unknown) => void): void {
  scope.onmessage = ({ data }) => handle(data);
}

/** What is transferred is no longer this thread's. */
export function answer(message: unknown, transfer: readonly ArrayBuffer[] = []): void {
  scope.postMessage(message, transfer);
}
