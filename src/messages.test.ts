import { describe, expect, it } from "vitest";
import { asFlags } from "./cli/flags.js";
import { sources, textsIn, textsOf } from "./testing/sources.js";

it("texts between quotes are found, and nothing else", () => {
  const code = `import { a } from "./a.js"; // "b"\nf("c", /"d/, \`e \${g({ h: \`i \${"j"}\` })} k\`, 'l'); import("./m.js")`;
  expect(textsIn(code).map((text) => text.replace(/`|\$\{$/, "").trim())).toEqual(["c", "e", "i", "j", "", "k", "l"]);
});

describe("messages of the library", () => {
  /** These write reports of commands, put reports into other words, start commands, or tell operators of sites which to type. */
  const commandLine =
    /^(cli|report)\/|^python\/parameters\.ts|^federation\/(local\/|party\/(service|lost-state)\.ts|garbage-collector\.ts)/;

  it("name options as callers write them, and no flags", () => {
    const flags = sources
      .filter((path) => !commandLine.test(path))
      .flatMap((path) => textsOf(path).map((text) => `${path}: ${text}`))
      .filter((text) => /(^|[\s(`])--[a-z]/.test(text));
    expect(flags).toEqual([]);
  });

  it("have flags on the command line", () => {
    expect(asFlags("`rule` does nothing with it: use `minSize: meaningful`, or more `maxIterations`")).toBe(
      "--rule does nothing with it: use --min-size meaningful, or more --max-iter",
    );
    expect(asFlags("column 'a`b' of people.csv")).toBe("column 'a`b' of people.csv");
  });
});
