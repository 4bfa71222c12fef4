// The process behind the Python package: it answers one request after the other until its pipe is closed.
import { MoietyError } from "../errors.js";
import { version } from "../version.js";
import { answers, readFirst } from "./answers.js";
import { asParameters, parameterOf } from "./parameters.js";
import { type PythonCall, PythonPipe } from "./pipe.js";

/** Standard output is the pipe, and nothing else may be written to it. */
const pipe = new PythonPipe(0, 1);

async function answer(message: PythonCall): Promise<void> {
  try {
    const ask = answers[String(message.header.ask)];
    if (ask === undefined)
      throw new MoietyError("usage", "this worker does not know the request: install moiety again");
    const { header, arrays } = await ask(message);
    const warnings = ((header.warnings ?? []) as string[]).map(asParameters);
    pipe.write({ ...header, warnings }, arrays);
  } catch (error) {
    const { code, nearest: found } = error instanceof MoietyError ? error : { code: "failed", nearest: [] };
    const nearest = found.map((request) =>
      Object.fromEntries(Object.entries(request).map(([option, value]) => [parameterOf(option), value])),
    );
    const text = error instanceof Error ? error.message : String(error);
    pipe.write({ error: { code, message: asParameters(text), nearest } });
  }
}

pipe.write({ version });
for (;;) {
  const message = await pipe.read(readFirst);
  if (message === undefined) break;
  await answer(message);
}
process.exit(0);
