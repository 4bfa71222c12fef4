import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { MoietyError } from "../../errors.js";
import { FileStore } from "./files.js";
import { MemoryStore } from "./memory.js";
import { readRecord } from "./records.js";
import type { Store } from "./types.js";

const folder = mkdtempSync(join(tmpdir(), "moiety-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const stores: readonly (readonly [string, () => Store])[] = [
  ["in memory", () => new MemoryStore()],
  ["in files", () => new FileStore(mkdtempSync(join(folder, "store-")))],
];

describe.each(stores)("a store %s", (_, make) => {
  it("gives back what was written last, byte for byte", async () => {
    const store = make();
    expect(await store.read("jobs/a")).toBeUndefined();
    await store.write("jobs/a", Uint8Array.of(1, 2, 3));
    await store.write("jobs/a", Uint8Array.of(0, 255));
    await store.write("jobs/b", new Uint8Array(0));
    expect(Array.from((await store.read("jobs/a"))!)).toEqual([0, 255]);
    expect((await store.read("jobs/b"))?.length).toBe(0);
  });

  it("keeps its own copy", async () => {
    const store = make();
    const value = Uint8Array.of(1);
    await store.write("a", value);
    value[0] = 2;
    expect((await store.read("a"))?.[0]).toBe(1);
  });

  it("adds to what there is, or begins it", async () => {
    const store = make();
    await store.append("jobs/a/answers", Uint8Array.of(1, 2));
    await store.append("jobs/a/answers", new Uint8Array(0));
    await store.append("jobs/a/answers", Uint8Array.of(3));
    expect(Array.from((await store.read("jobs/a/answers"))!)).toEqual([1, 2, 3]);
    await store.write("jobs/a/answers", Uint8Array.of(9));
    await store.append("jobs/a/answers", Uint8Array.of(8));
    expect(Array.from((await store.read("jobs/a/answers"))!)).toEqual([9, 8]);
    expect(await store.list("jobs/a/")).toEqual(["jobs/a/answers"]);
  });

  it("keeps the value before only for whoever asks for it, and no longer than that", async () => {
    const store = make();
    await store.write("a", Uint8Array.of(1), { copy: true });
    expect(await store.before("a")).toBeUndefined();
    await store.write("a", Uint8Array.of(2), { copy: true });
    await store.write("a", Uint8Array.of(3), { copy: true });
    expect(Array.from((await store.before("a"))!)).toEqual([2]);
    expect(await store.list()).toEqual(["a"]);
    await store.write("a", Uint8Array.of(4));
    expect(await store.before("a")).toBeUndefined();
    expect(Array.from((await store.read("a"))!)).toEqual([4]);
  });

  it("lists what there is, in order, and forgets what is removed", async () => {
    const store = make();
    for (const key of ["jobs/b/log/2", "jobs/b/log/1", "jobs/a/card", "other"])
      await store.write(key, Uint8Array.of(1));
    expect(await store.list("jobs/b/")).toEqual(["jobs/b/log/1", "jobs/b/log/2"]);
    expect(await store.list()).toEqual(["jobs/a/card", "jobs/b/log/1", "jobs/b/log/2", "other"]);
    await store.remove("jobs/a/card");
    await store.remove("jobs/a/card");
    expect(await store.list("jobs/a/")).toEqual([]);
  });

  it("takes many writes at once", async () => {
    const store = make();
    await Promise.all(Array.from({ length: 20 }, (_, i) => store.write(`many/${i % 4}`, new Uint8Array(1000).fill(i))));
    for (const key of await store.list("many/")) {
      const value = (await store.read(key))!;
      expect(value.every((byte) => byte === value[0])).toBe(true);
    }
  });

  it.each(["../a", "/a", "a//b", "a/..", ".", "", "a b", "ä", "a.now"])("refuses the key '%s'", async (key) => {
    await expect(make().write(key, new Uint8Array(1))).rejects.toThrow(RangeError);
    await expect(make().read(key)).rejects.toThrow(RangeError);
  });
});

describe("a store in files", () => {
  const place = () => {
    const at = mkdtempSync(join(folder, "files-"));
    return { at, store: new FileStore(at), file: (name: string) => join(at, name) };
  };

  it("finds any byte that was changed and any end that was cut off, and names the file", async () => {
    const { at, store, file } = place();
    const value = randomBytes(40);
    await store.write("jobs/a/epoch", value);
    const whole = readFileSync(file("jobs/a/epoch.now"));
    const damages = [
      ...Array.from(whole, (byte, i) => whole.with(i, byte ^ (1 << (i % 8)))),
      ...Array.from(whole, (_, i) => whole.subarray(0, i)),
    ];
    for (const damage of damages) {
      writeFileSync(file("jobs/a/epoch.now"), damage);
      const error = await new FileStore(at).read("jobs/a/epoch").catch((reason: MoietyError) => reason);
      expect(error).toBeInstanceOf(MoietyError);
      expect((error as MoietyError).message).toMatch(
        /^\S+jobs\/a\/epoch\.now is damaged: .* restore it from a backup$/,
      );
      expect((error as MoietyError).told).not.toContain(at);
    }
    writeFileSync(file("jobs/a/epoch.now"), whole);
    expect(await store.read("jobs/a/epoch")).toEqual(value);
  });

  it("finds a value that is another one's", async () => {
    const { store, file } = place();
    for (const job of ["a", "b"]) await store.write(`jobs/${job}/epoch`, Buffer.from(job));
    copyFileSync(file("jobs/a/epoch.now"), file("jobs/b/epoch.now"));
    await expect(store.read("jobs/b/epoch")).rejects.toThrow(/damaged/);
  });

  it("has the last good copy when the last value is damaged, also after it was written again", async () => {
    const { at, store, file } = place();
    for (const each of [1, 2, 3]) await store.write("record", Uint8Array.of(each), { copy: true });
    truncateSync(file("record.now"), 80);
    const next = new FileStore(at);
    await expect(next.read("record")).rejects.toThrow(/damaged/);
    expect(Array.from((await next.before("record"))!)).toEqual([2]);
    await next.write("record", Uint8Array.of(4), { copy: true });
    expect(Array.from((await next.read("record"))!)).toEqual([4]);
    expect(Array.from((await next.before("record"))!)).toEqual([2]);
    expect(readFileSync(file("record.damaged")).length).toBe(80);
    expect(await next.list()).toEqual(["record"]);
  });

  it("reads what earlier versions have written, without a digest, and gives it one when it is written again", async () => {
    const { store, file } = place();
    writeFileSync(file("old"), "[1]");
    expect(await readRecord(store, "old")).toEqual([1]);
    expect(await store.list()).toEqual(["old"]);
    await store.append("old", Buffer.from("!"));
    expect(Buffer.from((await store.read("old"))!).toString()).toBe("[1]!");
    await expect(readRecord(store, "old")).rejects.toThrow(/old is damaged/);
    expect(readdirSync(file("."))).toEqual(["old.now"]);
  });

  it("takes away what a killed process was writing", async () => {
    const { store, file } = place();
    await store.write("jobs/a/epoch", Uint8Array.of(1));
    writeFileSync(file("jobs/a/epoch.77-0.part"), "half");
    await store.tidy();
    expect(readdirSync(file("jobs/a"))).toEqual(["epoch.now"]);
  });

  it("survives kill -9 at any moment with whole values", async () => {
    const place = mkdtempSync(join(folder, "killed-"));
    const built = pathToFileURL(join(process.cwd(), "dist/federation/store/files.js")).href;
    const script = join(folder, "writer.mjs");
    writeFileSync(
      script,
      `import { FileStore } from "${built}";
const store = new FileStore(process.argv[2]);
for (let i = 0; ; i = (i + 1) % 256) { await store.write("value", new Uint8Array(200_000).fill(i)); if (i === 0) console.log("ready"); }`,
    );
    for (let round = 0; round < 5; round++) {
      const child = spawn(process.execPath, [script, place], { stdio: ["ignore", "pipe", "inherit"] });
      await new Promise((resolve) => child.stdout.once("data", resolve));
      await new Promise((resolve) => setTimeout(resolve, 7 * round));
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGKILL");
      await gone;
      const value = (await new FileStore(place).read("value"))!;
      expect(value.length).toBe(200_000);
      expect(value.every((byte) => byte === value[0])).toBe(true);
      expect(await new FileStore(place).list()).toEqual(["value"]);
    }
  });
});
