import { MoietyError } from "../../errors.js";

export function checkLength(body: Uint8Array, bytes: number): void {
  if (body.length !== bytes) throw new MoietyError("failed", `a body of ${body.length} bytes should have ${bytes}`);
}
