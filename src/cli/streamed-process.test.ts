import { mkdirSync, readdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { stoppedByHand, Workplace } from "./testing/command.js";

const work = new Workplace();
const temporary = work.path("temporary");
const env = { ...process.env, MOIETY_STREAM: "always", TMPDIR: temporary };
const outputs = ["--labels", "labels.csv", "--model", "model.json"];
/** Says on standard error how much memory the process has held at most. */
const telling = `import { writeSync } from "node:fs"; process.on("exit", () => writeSync(2, "held " + process.resourceUsage().maxRSS + "\\n"))`;

beforeAll(async () => {
  mkdirSync(temporary);
  for (const n of ["150000", "600000"]) {
    expect((await work.run("generate", "census", "--n", n, "-o", `${n}.parquet`)).code).toBe(0);
  }
  expect((await work.run("generate", "census", "--n", "20000", "-o", "few.csv")).code).toBe(0);
});

/** All that is in a folder, and below it. */
function within(folder: string): string[] {
  return readdirSync(folder, { recursive: true }).map(String);
}

describe("a streamed run", () => {
  it("holds no more memory for four times the people", async () => {
    const held = async (n: string) => {
      const asked = ["cluster", `${n}.parquet`, "--k", "5", "--protect", "sex", "--memory", "1GB", "--threads", "2"];
      const options = { env: { ...env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(telling)}` } };
      const { code, stderr } = await work.start(options, ...asked, ...outputs).done;
      expect(code).toBe(0);
      return Math.max(...Array.from(stderr.matchAll(/^held (\d+)$/gm), ([, kilobytes]) => Number(kilobytes) * 1024));
    };
    const [few, many] = [await held("150000"), await held("600000")];
    // As 32-bit numbers alone 450,000 more people would take 95 MB, and in memory several times as much.
    expect(many - few).toBeLessThan(95e6);
    expect(within(temporary)).toEqual([]);
  });

  it.each([/rows\.parquet$/, /points-0$/])("that is stopped by hand when there is %s leaves nothing", async (begun) => {
    const before = work.files();
    const source = "SELECT * FROM '600000.parquet'";
    const { process, done } = work.start({ env }, "cluster", source, "--k", "50", "--starts", "20", ...outputs);
    let ended = false;
    const finished = done.finally(() => {
      ended = true;
    });
    while (!ended && !within(temporary).some((name) => begun.test(name))) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    process.kill("SIGINT");
    expect(await finished).toSatisfy(stoppedByHand);
    expect(within(temporary)).toEqual([]);
    expect(work.files()).toEqual(before);
  });

  it.each([
    ["few.csv", 400, "a copy of few.csv"],
    ["SELECT * FROM 'few.csv'", 400, "a copy of the query"],
    ["150000.parquet", 4000, "the people's points"],
  ])("of %s says in one line that the disk is full, and leaves nothing", async (source, blocks, what) => {
    const before = work.files();
    const { code, stderr } = await work.start({ env, blocks }, "cluster", source, "--k", "3", ...outputs).done;
    const advice = "make room there, or let TMPDIR name another folder";
    expect(stderr).toBe(`moiety: no room for ${what} in ${temporary}: ${advice}\n`);
    expect(code).toBe(1);
    expect(within(temporary)).toEqual([]);
    expect(work.files()).toEqual(before);
  });

  it("names the option where memory is too little for what is read", async () => {
    const query = "SELECT len(list(i)) AS a, count(*) AS b FROM range(60000000) t(i)";
    const { code, stderr } = await work.start({ env }, "cluster", query, "--k", "2", "--memory", "1GB").done;
    expect(stderr).toBe("moiety: --memory is 1GB, too little for what is read: allow more --memory\n");
    expect(code).toBe(2);
    expect(within(temporary)).toEqual([]);
  });
});
