// Slow: recorded labels once more.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import { MoietyError } from "../errors.js";
import { requests } from "../testing/recorded/requests.js";
import { engineRelaxes, kernelBuild, kernelModule } from "./module.js";

const before = process.env.MOIETY_KERNELS;

function ask(build: string | undefined): void {
  if (build === undefined) delete process.env.MOIETY_KERNELS;
  else process.env.MOIETY_KERNELS = build;
}

afterEach(() => ask(before));

describe("the build of the kernels", () => {
  it("is the one with relaxed SIMD where the engine has it, else the plain one", () => {
    ask(undefined);
    expect(kernelBuild()).toBe(engineRelaxes() ? "relaxed" : "plain");
  });

  it("can be asked for by its name alone, and only where it runs", () => {
    ask("plain");
    expect(kernelBuild()).toBe("plain");
    ask("fast");
    expect(kernelBuild).toThrow(
      new MoietyError("usage", "MOIETY_KERNELS is fast: it can be plain or relaxed, or not be set"),
    );
    ask("relaxed");
    if (engineRelaxes()) expect(kernelBuild()).toBe("relaxed");
    else expect(kernelBuild).toThrow(/no relaxed SIMD: use Node.js 22/);
  });

  it("compiles for memory of either kind", () => {
    for (const build of engineRelaxes() ? ["plain", "relaxed"] : ["plain"]) {
      ask(build);
      for (const shared of [true, false]) expect(kernelModule(shared)).toBe(kernelModule(shared));
    }
    expect(kernelModule(false)).not.toBe(kernelModule(true));
  });
});

// `src/recorded-labels.test.ts` has the labels of the build that runs by itself; here are those of the other one.
const title = engineRelaxes()
  ? "the plain build gives the labels of the relaxed one"
  : "labels of the relaxed build: skipped, this engine has no relaxed SIMD (Node.js has it from version 22 on)";

describe.skipIf(!engineRelaxes())(title, () => {
  const recorded = JSON.parse(readFileSync(new URL("../testing/recorded/labels.json", import.meta.url), "utf8"));
  const some = requests.filter(([name], index) => index % 3 === 0 || name.includes("many"));
  it.each(some)("%s", async (name, answer) => {
    ask("plain");
    expect(kernelBuild()).toBe("plain");
    const { bytes } = await answer();
    expect(createHash("sha256").update(bytes).digest("hex").slice(0, 12)).toBe(recorded[name][0]);
  });
});
