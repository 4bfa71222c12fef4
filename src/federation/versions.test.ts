import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { generateTable } from "../table/index.js";
import { version } from "../version.js";
import type { PartyOptions } from "./party/options.js";
import { MemoryFederation, type Site } from "./testing/in-memory.js";
import { workplace } from "./testing/sites.js";
import { fromJson, toJson, wireVersions } from "./transport/frame.js";
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

/** Says other versions when it greets. */
function saying(said: object, link: Link): Link {
  return {
    peer: link.peer,
    close: () => link.close(),
    send: (frame) =>
      link.send(
        frame.method === "hello"
          ? { ...frame, meta: toJson({ ...(fromJson(frame.meta) as object), ...said, more: "of a later version" }) }
          : frame,
      ),
    frames: () => link.frames(),
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

class WireVersions extends MemoryFederation {
  newest = 2;

  protected override async partyOptions(name: string, site: Site): Promise<PartyOptions> {
    const options = await super.partyOptions(name, site);
    if (name !== "b") return options;
    const wire = { oldest: 1, newest: this.newest };
    return { ...options, dialling: { dial: async () => saying({ wire }, await options.dialling.dial()) } };
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

describe("a site that speaks a version of the wire contract from before masks depended on the question", () => {
  const policy =
    "approval: automatic\nanalysts: [alice]\nalgorithms: [fkm]\nfeatures: [age]\nprotection: means\nminimum: { rows: 1, clusterSize: 1 }";
  const sites = Object.fromEntries(
    ["a", "b", "c"].map((name, seed) => [name, { table: generateTable("people", { n: 60, seed }), policy }]),
  );
  const federation = new WireVersions(sites);

  it("is refused, and told what to do", async () => {
    federation.start(join(workplace(), "kits")).catch(() => undefined);
    await federation.until(() =>
      federation.logs.some((line) => line.includes("install a newer version of moiety there")),
    );
    federation.newest = wireVersions.newest;
    await federation.join("b");
  });
});
