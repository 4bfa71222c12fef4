import { MoietyError } from "./errors.js";

/** Loads a package that only those install who use it. Its name is a variable: bundlers would look for it in any case. */
export async function optionalPackage<T>(name: string, what: string): Promise<T> {
  try {
    return await import(/* @vite-ignore */ name);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new MoietyError(
      "usage",
      `${what} needs the package ${name}, which is not installed: run npm install ${name}`,
    );
  }
}
