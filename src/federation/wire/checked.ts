import type * as z from "zod";
import { failed } from "../../errors.js";
import type { PartyHandle } from "../transport/types.js";

/** What arrived, from the member of this name, if it has the shape that it should have. */
export function checked<Shape extends z.ZodType>(schema: Shape, value: unknown, from?: string): z.infer<Shape> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw failed(`a message${from ? ` of ${from}` : ""} has not the shape of this version's contract`);
}

/** Asks all parties at once, each its own question, and waits so many milliseconds. Returns their answers by name. */
export async function askAll<Shape extends z.ZodType>(
  handles: readonly PartyHandle[],
  method: string,
  question: (name: string) => object,
  { answer, patience }: { readonly answer: Shape; readonly patience: number },
): Promise<Map<string, z.infer<Shape>>> {
  const answers = handles.map(async (handle) => {
    const { meta } = await handle.ask(method, question(handle.name), { patience });
    return [handle.name, checked(answer, meta, handle.name)] as const;
  });
  return new Map(await Promise.all(answers));
}
