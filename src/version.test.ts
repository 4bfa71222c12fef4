import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { version } from "./version.js";

it("is the version of package.json", () => {
  const { version: published } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  expect(version).toBe(published);
});
