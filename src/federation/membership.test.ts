import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { generateTable } from "../table/index.js";
import { loadKit, recognise } from "./identity/kit.js";
import { signMembers } from "./identity/members-list.js";
import { addMember, removeMember, renewMember } from "./membership.js";
import { MemoryFederation } from "./testing/in-memory.js";
import { provisioned, workplace } from "./testing/sites.js";

const folder = workplace();
const at = (...path: string[]) => join(folder, "kits", ...path);
const options = { authority: at("authority"), now: new Date(), days: 30 };
const list = () => readFileSync(at("authority", "members.json"), "utf8");

describe("a member at a time", () => {
  beforeAll(async () => {
    await provisioned(join(folder, "kits"), ["a", "b", "c"], {});
  });

  it("is added with a kit of its own, and everybody else's stays", async () => {
    await addMember({ role: "party", name: "d" }, at("d"), options);
    const newcomer = await loadKit(at("d"), "party");
    expect(newcomer.members.map(({ name }) => name)).toEqual(["coordinator", "a", "b", "c", "alice", "d"]);
    const { roster } = await loadKit(at("a"));
    expect(() => recognise({ roster }, newcomer.roster.members[5].fingerprint, "")).toThrow(/no member/);
    expect(roster.take(list())).toBe(true);
    expect(recognise({ roster }, newcomer.roster.members[5].fingerprint, "")).toEqual({ role: "party", name: "d" });
    await expect(addMember({ role: "party", name: "a" }, at("e"), options)).rejects.toThrow(/the name 'a' is taken/);
    expect(existsSync(at("e"))).toBe(false);
  });

  it("is renewed without a gap, or at once", async () => {
    const { roster } = await loadKit(at("coordinator"));
    const [before] = (await loadKit(at("b"))).members.filter(({ name }) => name === "b");
    await renewMember("b", at("b-new"), { ...options, atOnce: false });
    roster.take(list());
    expect(recognise({ roster }, before.fingerprint, "")).toEqual({ role: "party", name: "b" });
    for (const file of ["certificate.pem", "key.pem", "members.json"]) copyFileSync(at("b-new", file), at("b", file));
    const after = (await loadKit(at("b"), "party")).roster.members.find(({ name }) => name === "b")!;
    expect(after).toMatchObject({ signing: before.signing, agreement: before.agreement, former: before.fingerprint });
    expect(recognise({ roster }, after.fingerprint, "")).toEqual({ role: "party", name: "b" });
    await renewMember("b", at("b-again"), { ...options, atOnce: true });
    roster.take(list());
    for (const old of [before, after]) expect(() => recognise({ roster }, old.fingerprint, "")).toThrow(/no member/);
  });

  it("is removed, and everybody who has the list refuses it", async () => {
    const { roster } = await loadKit(at("a"));
    const gone = roster.members.find(({ name }) => name === "c")!;
    await removeMember("c", options);
    roster.take(list());
    expect(() => recognise({ roster }, gone.fingerprint, "")).toThrow(/party 'c' is no member since/);
    expect(roster.everybody.map(({ name }) => name)).toContain("c");
    await expect(removeMember("coordinator", options)).rejects.toThrow(/cannot be without its coordinator/);
    await expect(removeMember("nobody", options)).rejects.toThrow(/no member 'nobody'; there are: coordinator, a, b/);
  });

  it("is on lists that only the authority can sign, and never on an older one", async () => {
    const { roster } = await loadKit(at("a"));
    roster.take(list());
    const { signature: _, ...newest } = JSON.parse(list());
    const forged = JSON.stringify({ ...JSON.parse(list()), number: newest.number + 1 });
    expect(() => roster.take(forged)).toThrow(/not signed by this federation's authority/);
    const key = readFileSync(at("authority", "key.pem"), "utf8");
    expect(roster.take(signMembers({ ...newest, number: newest.number - 1 }, key))).toBe(false);
    expect(() => roster.take(signMembers({ ...newest, number: 99, federation: "other" }, key))).toThrow(/not signed/);
    expect(() => roster.take("{}")).toThrow(/no list of members/);
    writeFileSync(at("a", "members.json"), forged);
    await expect(loadKit(at("a"))).rejects.toThrow(/the kit .* cannot be used: members.json: the list/);
  });
});

describe("a list of members", () => {
  const policy = `approval: automatic\nanalysts: [alice]\nalgorithms: [f3km, lloyd]\nfeatures: [age, income, debts]\nprotection: masked\nminimum: { rows: 1, clusterSize: 1 }`;
  const table = generateTable("people", { n: 60, seed: 1 });
  const federation = new MemoryFederation({ a: { table, policy }, b: { table, policy }, c: { table, policy } });
  const kits = (...path: string[]) => join(folder, "running", ...path);
  const job = (third: string) =>
    `algorithm: lloyd\nk: 2\nprotection: masked\nparties:\n  a: { features: [age] }\n  b: { features: [income] }\n${third}`;
  beforeAll(() => federation.start(kits()));

  it("reaches every site through the coordinator, which cannot change it; sites keep it", async () => {
    expect((await federation.run(job("  c: { features: [debts] }\n"))).result.n).toBe(60);
    await removeMember("c", { authority: kits("authority"), now: new Date() });
    copyFileSync(kits("authority", "members.json"), kits("coordinator", "members.json"));
    const everywhere = async (number: number) => {
      const rosters = await Promise.all(["a", "b"].map(async (name) => (await federation.kit(name)).roster));
      return rosters.every((roster) => roster.number === number);
    };
    while (!(await everywhere(2))) await new Promise((resolve) => setTimeout(resolve, 20));
    await expect(federation.run(job("  c: { features: [debts] }\n"))).rejects.toThrow(/has no party 'c'/);
    expect((await federation.run(job(""))).result.n).toBe(60);
    expect(federation.logs.join("\n")).toMatch(/party 'c' is no member since/);
    expect(Buffer.from((await federation.storeOf("a").read("members"))!).toString()).toContain("moiety-members");
    const { roster } = await federation.kit("coordinator");
    // A connection comes before the coordinator looks into its folder, and the list is read for it.
    await addMember({ role: "party", name: "d" }, kits("d"), {
      authority: kits("authority"),
      now: new Date(),
      days: 30,
    });
    copyFileSync(kits("authority", "members.json"), kits("coordinator", "members.json"));
    roster.take(readFileSync(kits("coordinator", "members.json"), "utf8"));
    while (!(await everywhere(3))) await new Promise((resolve) => setTimeout(resolve, 20));
    roster.text = roster.text.replace('"number": 3', '"number": 4');
    roster.number = 4;
    await federation.stopCoordinator();
    await federation.startCoordinator();
    await federation.until(() => federation.logs.some((line) => /did not take the list of members/.test(line)));
    expect(await everywhere(3)).toBe(true);
  });
});
