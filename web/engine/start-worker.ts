export interface StartedWorker {
  readonly worker: Worker;
  /** Settled by its first message, which says that it can be told something. */
  readonly ready: Promise<void>;
}

/** A worker starts from a blob, which is under the page's own policy, and loads its script from beside the page. */
export function startWorker(script: URL): StartedWorker {
  const url = URL.createObjectURL(new Blob([`import(${JSON.stringify(script.href)});`], { type: "text/javascript" }));
  const worker = new Worker(url, { type: "module" });
  const ready = new Promise<void>((resolve) => {
    worker.addEventListener("message", () => resolve(), { once: true });
  });
  return { worker, ready };
}
