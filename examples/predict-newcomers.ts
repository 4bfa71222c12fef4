// Trains on one population and labels people who came later; nobody has to tell their group for that.
import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cluster, generateTable, parseModel, predict, preparePeople, toModel } from "moiety";

const people = preparePeople(generateTable("people", { n: 2000, seed: 1 }), {
  features: ["age", "income", "education"],
  categorical: ["housing"],
  protect: ["sex"],
});
const clustering = await cluster(people, { k: 3 });

const path = join(tmpdir(), `moiety-example-${process.pid}.json`);
await writeFile(path, JSON.stringify(toModel(people, clustering)));
const model = parseModel(JSON.parse(await readFile(path, "utf8")));
await rm(path);

const newcomers = generateTable("people", { n: 10, seed: 2 });
const { labels } = await predict(model, newcomers, { id: "person" });
console.log(`ten newcomers: ${labels.join(" ")}`);
