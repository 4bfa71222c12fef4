import { signal } from "@preact/signals";

/** The one thing that this browser keeps, and only where somebody asked for it: a file, in the page's own private folder. */
const keptName = "kept";

export interface KeptFile {
  readonly name: string;
  readonly bytes: number;
}

/** What is kept here now. */
export const kept = signal<KeptFile | undefined>(undefined);

/** Browsers give private folders to pages of a web server only. */
export const canKeep = typeof navigator.storage?.getDirectory === "function" && location.protocol !== "file:";

async function folder(create: boolean): Promise<FileSystemDirectoryHandle | undefined> {
  const root = await navigator.storage.getDirectory();
  return root.getDirectoryHandle(keptName, { create }).catch(() => undefined);
}

/** The file that is kept here, if one is. */
export async function keptFile(): Promise<File | undefined> {
  if (!canKeep) return undefined;
  const place = await folder(false);
  if (!place) return undefined;
  for await (const handle of (place as unknown as { values(): AsyncIterable<FileSystemHandle> }).values()) {
    if (handle.kind === "file") return (handle as FileSystemFileHandle).getFile();
  }
  return undefined;
}

export async function lookForKept(): Promise<void> {
  const file = await keptFile().catch(() => undefined);
  kept.value = file && { name: file.name, bytes: file.size };
}

/** Keeps a file in place of the one before. */
export async function keep(file: File): Promise<void> {
  await forget();
  const place = await folder(true);
  try {
    const handle = await place?.getFileHandle(file.name, { create: true });
    const writing = await handle?.createWritable();
    await writing?.write(file);
    await writing?.close();
  } catch (error) {
    // A part of a file is no file.
    await forget();
    throw error;
  }
  await lookForKept();
}

export async function forget(): Promise<void> {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry(keptName, { recursive: true }).catch(() => undefined);
  kept.value = undefined;
}
