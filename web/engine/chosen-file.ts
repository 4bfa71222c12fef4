import { MoietyError } from "../../src/errors.js";

/** What a file holds that somebody chose: browsers look at it only now, when it may be gone. */
export async function bytesOf(name: string, content: Blob): Promise<Uint8Array> {
  try {
    return new Uint8Array(await content.arrayBuffer());
  } catch (cause) {
    const why = "it is a folder, or was moved, changed or removed since it was chosen";
    throw new MoietyError("input", `cannot read ${name}: ${why}`, { cause });
  }
}
