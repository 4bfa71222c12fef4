import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { lockFolder } from "./lock.js";

const root = mkdtempSync(join(tmpdir(), "moiety-lock-"));
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(root, { recursive: true, force: true });
});
const place = () => mkdtempSync(join(root, "state-"));
const beat = 20;

/** A process that takes a folder, says so or why not, and stays. */
const taker = `import { lockFolder } from ${JSON.stringify(pathToFileURL(join(process.cwd(), "dist/federation/store/lock.js")).href)};
try { await lockFolder(process.argv[1], { beat: ${beat} }); console.log("mine"); setInterval(() => undefined, 1000); }
catch (error) { console.log(error.message); }`;

async function another(folder: string): Promise<{ said: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", taker, folder], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  const said = await new Promise<string>((resolve) =>
    child.stdout.once("data", (text) => resolve(String(text).trim())),
  );
  return { said, child };
}

async function killed(child: ChildProcess): Promise<void> {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await gone;
}

/** The lock as another owner left it. */
function rewrite(folder: string, change: object): void {
  const [name] = readdirSync(folder);
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, "utf8")), ...change }));
}

describe("the lock of a folder", () => {
  it("is held by one process, and by the next one after it", async () => {
    const folder = place();
    const first = await lockFolder(folder, { beat });
    await expect(lockFolder(folder, { beat })).rejects.toMatchObject({
      code: "usage",
      message: `${folder} is in use by another process (pid ${process.pid}): stop it first, or name another folder with \`state\``,
    });
    expect((await another(folder)).said).toMatch(/in use by another process/);
    await first.release();
    expect(readdirSync(folder)).toEqual([]);
    await (await lockFolder(folder, { beat })).release();
  });

  it("of a process that was killed is taken over, by one of all who come", async () => {
    const folder = place();
    const { said, child } = await another(folder);
    expect(said).toBe("mine");
    await killed(child);
    const all = await Promise.all(Array.from({ length: 4 }, () => another(folder)));
    expect(all.map((each) => each.said === "mine").filter(Boolean)).toHaveLength(1);
    expect(readdirSync(folder).filter((name) => name.endsWith(".lock"))).toHaveLength(1);
  });

  it("of a dead process is taken over where another process has its pid by now", async () => {
    const folder = place();
    await lockFolder(folder, { beat: 1 << 30 });
    // As after a restart of a container: this very pid, of a process that began at another time.
    rewrite(folder, { began: "1" });
    await (await lockFolder(folder, { beat })).release();
  });

  it("of an owner in another container is respected while it gives signs of life, and no longer", async () => {
    const folder = place();
    const lines: string[] = [];
    const owner = await lockFolder(folder, { beat });
    rewrite(folder, { place: "elsewhere", pid: 999_999_999 });
    await expect(lockFolder(folder, { beat: 10 * beat, log: (line) => lines.push(line) })).rejects.toThrow(/in use/);
    expect(lines).toEqual([`waiting to see whether the last owner of ${folder} is alive`]);
    await owner.release();
    await lockFolder(folder, { beat: 1 << 30 });
    rewrite(folder, { place: "elsewhere" });
    const heir = await lockFolder(folder, { beat });
    await heir.release();
  });

  it("that is damaged is judged by its signs of life", async () => {
    const folder = place();
    const owner = await lockFolder(folder, { beat });
    writeFileSync(join(folder, readdirSync(folder)[0]), "{");
    await expect(lockFolder(folder, { beat: 10 * beat })).rejects.toThrow(/in use/);
    await owner.release();
  });

  it("that was taken over all the same stops its owner", async () => {
    const folder = place();
    const { lost } = await lockFolder(folder, { beat });
    rmSync(join(folder, readdirSync(folder)[0]));
    await expect(lost).rejects.toThrow(/another process has taken over .*: this one stops/);
  });
});
