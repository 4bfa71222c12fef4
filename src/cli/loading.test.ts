import { readdirSync, readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { smallTable, Workplace } from "./testing/command.js";

const work = new Workplace();
let runs = 0;

/** The files of dist/ and the packages that a command loads: V8 lists them when it is asked for coverage. */
async function loaded(...args: string[]): Promise<{ files: string[]; packages: string[] }> {
  const folder = work.path(`loaded-${runs++}`);
  const { code, stderr } = await work.start({ env: { ...process.env, NODE_V8_COVERAGE: folder } }, ...args).done;
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const urls = readdirSync(folder).flatMap((name) => {
    const { result } = JSON.parse(readFileSync(`${folder}/${name}`, "utf8")) as { result: { url: string }[] };
    return result.map(({ url }) => url);
  });
  const found = (pattern: RegExp) => [...new Set(urls.flatMap((url) => pattern.exec(url)?.[1] ?? []))].sort();
  return {
    files: found(/^(?!.*\/node_modules\/).*\/dist\/(.*)$/),
    packages: found(/.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/),
  };
}

/** The folders of files; a file in no folder stands for itself. */
function roomsOf({ files }: { readonly files: readonly string[] }): string[] {
  return [...new Set(files.map((file) => file.split("/")[0]))].filter((room) => !room.endsWith(".js"));
}

beforeAll(() => {
  work.write("people.csv", smallTable());
  work.write(
    "federation.yaml",
    "coordinator: { host: localhost, port: 7443 }\nparties: [bank-a, bank-b]\nanalysts: [alice]\n",
  );
});

// A command that loads more than it needs makes everybody wait. What is added to these lists should be needed there.

it("--version loads the version", async () => {
  const { files, packages } = await loaded("--version");
  expect(files).toEqual(["cli/interruption.js", "cli/main.js", "version.js"]);
  expect(packages).toEqual([]);
});

it("--help loads no command and no room", async () => {
  const help = await loaded("--help");
  expect(help.files.filter((file) => !/^(cli|table)\//.test(file))).toEqual([
    "defined.js",
    "errors.js",
    "report/costs.js",
    "report/format.js",
    "report/language.js",
    "version.js",
  ]);
  expect(help.files.filter((file) => file.startsWith("table/"))).toEqual([
    "table/disk/atomic.js",
    "table/disk/engine.js",
    "table/formats.js",
    "table/suggest.js",
  ]);
  expect(help.packages).toEqual(["commander"]);
});

const core = [
  "algorithms",
  "cli",
  "constraints",
  "embedded",
  "host",
  "kernels",
  "metrics",
  "parties",
  "privacy",
  "report",
  "table",
];
const reading = ["@duckdb/node-api", "@duckdb/node-bindings", "commander", "detect-libc", "pure-rand"];

it("cluster loads no other method, no classifier, no federation, and no checker of formats", async () => {
  const cluster = await loaded("cluster", "people.csv", "--k", "2");
  const rooms = core.filter((room) => room !== "privacy");
  expect(roomsOf(cluster)).toEqual([...rooms, "engines", "solver"].sort());
  expect(cluster.files.filter((file) => file.startsWith("engines/"))).toEqual([
    "engines/address.js",
    "engines/read-source.js",
    "engines/streamed/memory.js",
  ]);
  expect(cluster.files.filter((file) => /^algorithms\/.*\/(?!method\.js$)/.test(file))).toEqual([
    "algorithms/lloyd/lloyd.js",
  ]);
  expect(cluster.packages).toEqual(reading);
});

it("predict loads no solver and, for clusters, no classifier", async () => {
  await work.run("cluster", "people.csv", "--k", "2", "--model", "model.json");
  const predict = await loaded("predict", "people.csv", "--model", "model.json", "--labels", "labels.csv");
  expect(roomsOf(predict)).toEqual([...core, "engines", "learning"].sort());
  expect(predict.files.filter((file) => file.startsWith("learning/"))).toEqual(["learning/format.js"]);
  expect(predict.files.filter((file) => file.startsWith("algorithms/"))).toEqual([
    "algorithms/model-promises.js",
    "algorithms/model.js",
    "algorithms/reach.js",
  ]);
  expect(predict.packages).toEqual([...reading, "zod"]);
});

it("job, at a site, loads no solver, and neither the reader of tables nor the network", async () => {
  await work.run("provision", "federation.yaml", "-o", "kits");
  const job = await loaded("job", "list", "--kit", "kits/bank-a");
  const idle = ["kernels", "parties"];
  const rooms = [...core.filter((room) => !idle.includes(room)), "engines", "federation", "learning", "solver"];
  expect(roomsOf(job)).toEqual(rooms.sort());
  expect(job.files.filter((file) => file.startsWith("engines/"))).toEqual(["engines/address.js"]);
  expect(job.files.filter((file) => file.startsWith("metrics/"))).toEqual(["metrics/compared-classes.js"]);
  // Its numbers alone: how many passes a job seems to take.
  expect(job.files.filter((file) => file.startsWith("solver/"))).toEqual(["solver/tuning.js"]);
  expect(job.packages).toEqual(["commander", "pure-rand", "yaml", "zod"]);
});
