import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { rowQuestions } from "../parties/row-questions.js";
import { generateTable } from "../table/index.js";
import { version } from "../version.js";
import type { PartyOptions } from "./party/options.js";
import { MemoryFederation, type Site } from "./testing/in-memory.js";
import { workplace } from "./testing/sites.js";
import { type Frame, fromJson, toJson } from "./transport/frame.js";
import type { Link } from "./transport/types.js";
import { commonWire, computesAlike, worksWith } from "./wire/versions.js";

describe("versions", () => {
  it("of the wire contract: the newest that both speak", () => {
    expect(commonWire({ oldest: 1, newest: 3 }, { oldest: 2, newest: 5 })).toBe(3);
    expect(commonWire({ oldest: 1, newest: 1 }, { oldest: 1, newest: 1 })).toBe(1);
    expect(() => commonWire({ oldest: 3, newest: 4 }, { oldest: 1, newest: 2 })).toThrow(
      "the wire contract is 1 to 2 there and 3 to 4 here: install a newer version of moiety there",
    );
  });

  it("of moiety: one minor version apart works, and computes alike where it is none", () => {
    expect([worksWith("0.4.9", "0.5.0"), worksWith("0.4.0", "0.6.0"), worksWith("1.0.0", "0.9.0")]).toEqual([
      true,
      false,
      false,
    ]);
    expect([computesAlike("0.4.9", "0.4.0"), computesAlike("0.4.0", "0.5.0"), computesAlike("", "0.4.0")]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

const [major, minor] = version.split(".").map(Number);

/** Says other versions when it greets, and shows what it is asked. */
function saying(said: object, link: Link, onAsked: (frame: Frame) => void = () => undefined): Link {
  return {
    peer: link.peer,
    close: () => link.close(),
    send: (frame) =>
      link.send(
        frame.method === "hello"
          ? { ...frame, meta: toJson({ ...(fromJson(frame.meta) as object), ...said, more: "of a later version" }) }
          : frame,
      ),
    async *frames() {
      for await (const frame of link.frames()) {
        onAsked(frame);
        yield frame;
      }
    },
  };
}

class Versions extends MemoryFederation {
  software = `${major}.${minor + 1}.0`;

  protected override async partyOptions(name: string, site: Site): Promise<PartyOptions> {
    const options = await super.partyOptions(name, site);
    if (name !== "b") return options;
    const { software } = this;
    return { ...options, dialling: { dial: async () => saying({ software }, await options.dialling.dial()) } };
  }
}

/** Of the questions of one message, those whose answers leave. */
const answered = new Set(rowQuestions.filter(({ leaves }) => leaves !== "nothing").map(({ name }) => name));

class WireVersions extends MemoryFederation {
  newest = 1;
  readonly together: number[] = [];

  protected override async partyOptions(name: string, site: Site): Promise<PartyOptions> {
    const options = await super.partyOptions(name, site);
    if (name !== "b") return options;
    const wire = { oldest: 1, newest: this.newest };
    const onAsked = ({ method, meta }: Frame) => {
      if (method !== "batch") return;
      const { steps } = fromJson(meta) as { steps: { question: { name?: string } }[] };
      this.together.push(steps.filter(({ question }) => answered.has(question.name ?? "")).length);
    };
    return { ...options, dialling: { dial: async () => saying({ wire }, await options.dialling.dial(), onAsked) } };
  }
}

describe("a site one minor version ahead", () => {
  const policy =
    "approval: automatic\nanalysts: [alice]\nalgorithms: [fkm, lloyd]\nfeatures: [age, income]\nprotection: means\nminimum: { rows: 1, clusterSize: 1 }";
  const sites = Object.fromEntries(
    ["a", "b", "c"].map((name, seed) => [name, { table: generateTable("people", { n: 60, seed }), policy }]),
  );
  const federation = new Versions(sites);
  beforeAll(() => federation.start(join(workplace(), "kits")));

  it("takes part where rows are split; with columns split a job waits until it computes alike", async () => {
    const part = (columns: string) => `{ features: [${columns}] }`;
    const rows = `algorithm: fkm\nk: 2\nminCount: 5\nsplit: rows\nprotection: means\nparties: { a: ${part("age")}, b: ${part("age")}, c: ${part("age")} }\n`;
    expect((await federation.run(rows)).result.n).toBe(180);
    const columns = `algorithm: lloyd\nk: 2\nprotection: masked\nparties: { a: ${part("age")}, b: ${part("income")} }\n`;
    const running = federation.run(columns);
    // Where the job fails, its reason is the test's.
    running.catch(() => undefined);
    let reason = "";
    while (!reason.includes("install the same minor version")) {
      const looked = federation.asAnalyst(async (client) =>
        (await client.list()).map((view) => view.reason).join("; "),
      );
      reason = await Promise.race([looked, running.then(() => "done")]);
      expect(reason).not.toBe("done");
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(reason).toContain(`moiety is ${version} at a and ${federation.software} at b`);
    federation.software = `${major}.${minor}.7`;
    federation.leaveAt("b", "consider");
    await federation.join("b");
    expect((await running).result.n).toBe(60);
  });
});

describe("a site that speaks the wire contract's first version", () => {
  const policy =
    "approval: automatic\nanalysts: [alice]\nalgorithms: [f3km]\nfeatures: [age, income]\nprotect: [sex]\nprotection: masked\nminimum: { rows: 1, clusterSize: 1 }";
  const sites = Object.fromEntries(
    ["a", "b", "c"].map((name, seed) => [name, { table: generateTable("people", { n: 60, seed }), policy }]),
  );
  const federation = new WireVersions(sites);
  beforeAll(() => federation.start(join(workplace(), "kits")));

  it("is asked for one sum after the other, with the same result; as soon as it speaks the second, together", async () => {
    const part = "{ features: [age, income], protect: [sex] }";
    const card = `algorithm: f3km\nk: 3\nseed: 1\ngroups: { sex: [F, M, X] }\nsplit: rows\nparties: { a: ${part}, b: ${part}, c: ${part} }\n`;
    const before = (await federation.run(card)).result;
    expect(Math.max(...federation.together)).toBe(1);
    federation.together.length = 0;
    federation.newest = 2;
    federation.leaveAt("b", "consider");
    const running = federation.run(card);
    await federation.until(() => federation.logs.some((line) => line.includes("b is gone")));
    await federation.join("b");
    const after = (await running).result;
    expect(Math.max(...federation.together)).toBeGreaterThan(1);
    expect([after.sizes, after.groups, after.sse]).toEqual([before.sizes, before.groups, before.sse]);
  });
});
