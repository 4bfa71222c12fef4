import { MoietyError } from "../errors.js";

/** Loads a package that only those install who use it. */
export async function optionalPackage<T>(name: string, load: () => Promise<T>, what: string): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new MoietyError(
      "usage",
      `${what} needs the package ${name}, which is not installed: run npm install ${name}`,
    );
  }
}
