import { beforeAll, describe, expect, it } from "vitest";
import { LocalFederation } from "./testing/federation.js";

const federation = new LocalFederation();
const parties = ["bank-a", "bank-b", "hospital"];
const features = "age,income,balance,visits";
const policy = `approval: automatic
analysts: [alice]
algorithms: [ffalm-global, fairfed]
ids: [person]
idsTo: [analyst]
features: [${features}]
protect: [sex]
learn: [housing, owner]
`;
const housing = "label: housing, classes: [family, mortgage, own, rent]";
const owner = 'label: owner, classes: ["no", "yes"]';
const card = (algorithm: string, label: string) => `algorithm: ${algorithm}
split: rows
groups: { sex: [F, M] }
train: { ${label}, rounds: 40, batch: 16, fairness: dp }
parties:
${parties.map((party) => `  ${party}: { features: [${features}], protect: [sex] }`).join("\n")}
`;

beforeAll(async () => {
  await federation.work.run("generate", "people", "--n", "900", "--seed", "5", "-o", "all.csv");
  await federation.prepare(federation.work.read("all.csv"));
  const [names, ...lines] = federation.work.read("people.csv").trim().split("\n");
  const columns = names.split(",");
  const header = `${names},owner`;
  const at = (name: string) => columns.indexOf(name);
  const kept = lines
    .map((line) => line.split(","))
    .filter((row) => ["F", "M"].includes(row[at("sex")]))
    .map((row) => [...row, row[at("housing")] === "own" ? "yes" : "no"]);
  const placed = kept.map((row, i) => [...row, parties[i % 3]].join(","));
  federation.work.write("placed.csv", `${[`${header},place`, ...placed].join("\n")}\n`);
  parties.forEach((party, index) => {
    const own = kept.filter((_, i) => i % 3 === index).map((row) => row.join(","));
    federation.work.write(`${party}.csv`, `${[header, ...own].join("\n")}\n`);
    federation.work.write(`${party}.yaml`, policy);
  });
  federation.startAll();
  await federation.until("coordinator", /is here.*is here.*is here/s);
});

const parametersOf = (file: string) => (JSON.parse(federation.work.read(file)) as { parameters: string }).parameters;
const atSite = (party: string, id: string) => `kits/${party}/results/${id}/model.json`;

describe("a training over separate processes", () => {
  it("has the model of one process, of four classes, which predicts; and a page", async () => {
    const id = await federation.submit(card("ffalm-global", housing));
    expect((await federation.job("watch", id)).stderr).toMatch(/done/);
    const options = ["--features", features, "--label", "housing", "--protect", "sex"];
    const terms = ["--split-by", "place", "--rounds", "40", "--batch", "16", "--fairness", "dp", "--seed", "1"];
    const alone = await federation.work.run("train", "placed.csv", ...options, ...terms, "--model", "own.json");
    expect(alone.code, alone.stderr).toBe(0);
    const fetched = await federation.job("result", id, "--model", "model.json", "--report", "page.html", "--json");
    expect(fetched.code, fetched.stderr).toBe(0);
    expect(parametersOf("model.json")).toBe(parametersOf("own.json"));
    for (const party of parties) {
      expect(federation.work.read(atSite(party, id))).toBe(federation.work.read("model.json"));
    }
    const result = JSON.parse(fetched.stdout);
    expect(result).toMatchObject({ algorithm: "ffalm-global", fairness: "dp", job: id, parties: 3, epochs: 1 });
    const page = federation.work.read("page.html");
    for (const part of ["Accuracy against DPD", "Learning curves", "What left each site", "hospital"]) {
      expect(page).toContain(part);
    }
    expect(page).not.toMatch(/NaN|undefined/);
    const predicted = await federation.work.run(
      "predict",
      "bank-a.csv",
      ...["--model", "model.json", "--labels", "answers.csv"],
    );
    expect(predicted.code, predicted.stderr).toBe(0);
  });

  it("has the same bytes after kill -9 of a site and of the coordinator", async () => {
    const whole = await federation.submit(card("fairfed", owner));
    expect((await federation.job("watch", whole)).stderr).toMatch(/done/);
    const id = await federation.submit(card("fairfed", owner));
    for (const victim of ["hospital", "coordinator"]) {
      const said = federation.log("bank-b").length;
      await federation.until("bank-b", new RegExp(`job ${id}: (running|going on)`), {
        after: victim === "hospital" ? 0 : said - 200,
      });
      await federation.kill(victim);
      federation.start(victim);
    }
    expect((await federation.job("watch", id)).stderr).toMatch(/done/);
    const { stdout } = await federation.job("result", id, "--json");
    expect(JSON.parse(stdout).epochs).toBeGreaterThan(1);
    expect(federation.work.read(atSite("bank-b", id))).toBe(federation.work.read(atSite("bank-b", whole)));
  });
});
