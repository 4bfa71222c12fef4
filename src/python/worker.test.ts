import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { cluster } from "../library/clustering.js";
import { generateTable, preparePeople } from "../library/tables.js";
import type { NumericColumn, TextColumn } from "../table/index.js";
import { version } from "../version.js";

const program = fileURLToPath(new URL("../../dist/python/main.js", import.meta.url));
const started: ChildProcess[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill();
});

interface Told {
  readonly header: Record<string, unknown> & { readonly arrays: readonly { type: string; length: number }[] };
  readonly bytes: readonly Buffer[];
}

/** The other side of the pipe, as the Python package is one. */
class Asker {
  private readonly child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
  private received = Buffer.alloc(0);

  constructor() {
    started.push(this.child);
  }

  send(header: object, arrays: readonly Buffer[] = []): void {
    const text = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(text.length);
    for (const bytes of [length, text, ...arrays]) this.child.stdin.write(bytes);
  }

  async next(): Promise<Told> {
    const header = JSON.parse((await this.take((await this.take(4)).readUInt32LE())).toString());
    const bytes: Buffer[] = [];
    for (const { type, length } of header.arrays) bytes.push(await this.take(length * (type === "float64" ? 8 : 4)));
    return { header, bytes };
  }

  /** Closes the pipe, and waits for the worker to end. */
  async close(): Promise<number> {
    this.child.stdin.end();
    const [code] = await once(this.child, "exit");
    return code;
  }

  private async take(length: number): Promise<Buffer> {
    while (this.received.length < length) {
      const [chunk] = await once(this.child.stdout, "data");
      this.received = Buffer.concat([this.received, chunk]);
    }
    const taken = this.received.subarray(0, length);
    this.received = this.received.subarray(length);
    return taken;
  }
}

const n = 3000;
const table = generateTable("people", { n, seed: 3 });
const features = ["age", "income", "hours"];
const columns = features.map((name) => {
  const { values } = table.columns.find((column) => column.name === name) as NumericColumn;
  return Float64Array.from(values);
});
const sex = table.columns.find(({ name }) => name === "sex") as TextColumn;
const request = {
  ask: "cluster",
  features,
  groups: [{ name: "sex", levels: sex.levels }],
  scale: "standard",
  parameters: { n_clusters: 5, delta: 0.1, random_state: 4 },
};
const codes = { type: "int32", rows: n, columns: 1, order: "rows" };
const bytesOf = ({ buffer, byteOffset, byteLength }: Float64Array | Int32Array) =>
  Buffer.from(buffer, byteOffset, byteLength);
const byRows = Float64Array.from({ length: n * 3 }, (_, at) => columns[at % 3][Math.floor(at / 3)]);

it("gives the labels of the library, for rows as for columns, and ends with its pipe", async () => {
  const people = preparePeople(table, { features, protect: ["sex"] });
  const expected = await cluster(people, { k: 5, delta: 0.1, seed: 4 });
  const asker = new Asker();
  expect((await asker.next()).header.version).toBe(version);
  for (const order of ["rows", "columns"]) {
    const numbers = order === "rows" ? [bytesOf(byRows)] : columns.map(bytesOf);
    const arrays = [{ type: "float64", rows: n, columns: 3, order }, codes];
    asker.send({ ...request, arrays }, [...numbers, bytesOf(sex.codes)]);
    const { header, bytes } = await asker.next();
    expect(new Int32Array(new Uint8Array(bytes[0]).buffer)).toEqual(expected.labels);
    expect(header.result).toMatchObject({ sse: expected.result.sse, fair: true, verdict: expected.result.verdict });
    const centres = new Float64Array(new Uint8Array(bytes[1]).buffer);
    const [first] = people.encodings;
    if (first.kind !== "numeric") throw new Error("numbers only");
    expect(centres[0]).toBeCloseTo(expected.centres[0][0] * first.scale + first.shift, 8);
  }
  expect(await asker.close()).toBe(0);
});

it("tells what is wrong in Python's words, and goes on", async () => {
  const asker = new Asker();
  await asker.next();
  const arrays = [{ type: "float64", rows: n, columns: 3, order: "rows" }, codes];
  const ask = (parameters: object) =>
    asker.send({ ...request, parameters, arrays }, [bytesOf(byRows), bytesOf(sex.codes)]);
  ask({ n_clusters: 0 });
  expect((await asker.next()).header.error).toMatchObject({
    code: "usage",
    message: expect.stringMatching(/^n_clusters is 0: /),
  });
  ask({ n_clusters: 5, max_size: 10 });
  expect((await asker.next()).header.error).toMatchObject({ code: "infeasible", nearest: [{ max_size: 600 }] });
  asker.send({ ask: "anything" });
  expect((await asker.next()).header.error).toMatchObject({ message: expect.stringContaining("install moiety again") });
  expect(await asker.close()).toBe(0);
});
