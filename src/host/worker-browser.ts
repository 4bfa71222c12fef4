interface WorkerScope {
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  postMessage(message: unknown): void;
}

const scope = globalThis as unknown as WorkerScope;

/** Handles every message from whoever started this thread. */
export function serve(handle: (message: unknown) => void): void {
  scope.onmessage = ({ data }) => handle(data);
}

export function answer(message: unknown): void {
  scope.postMessage(message);
}
