import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { encode } from "jpeg-js";
import { PNG } from "pngjs";
import { describe, expect, it } from "vitest";
import { unfairExamples } from "../learning/testing/examples.js";
import type { TrainResult } from "../learning/types.js";
import { uniform } from "../solver/seeded-chance.js";
import { stoppedByHand, Workplace } from "./testing/command.js";

const work = new Workplace();

/** People whose label is more frequent in one group, with an id, a category and a place. */
function peopleTable(n: number, seed: number): string {
  const { features, labels, groups } = unfairExamples(n, seed);
  const lines = Array.from({ length: n }, (_, i) => {
    const [a, b, c] = features.subarray(i * 4, i * 4 + 3);
    const job = ["clerk", "nurse", "cook"][i % 3];
    return `p${i},${a},${b},${c},${job},${["F", "M"][groups[i]]},${["no", "yes"][labels[i]]},${["north", "south"][i % 2]}`;
  });
  return `person,a,b,c,job,sex,hired,place\n${lines.join("\n")}\n`;
}

work.write("people.csv", peopleTable(1500, 1));
work.write("others.csv", peopleTable(300, 2));
const basic = ["--label", "hired", "--protect", "sex", "--id", "person", "--rounds", "8", "--parties", "3"];

async function trained(...args: string[]): Promise<TrainResult> {
  const { code, stdout, stderr } = await work.run("train", "people.csv", ...basic, "--json", ...args);
  // Few rounds are too few to settle, and sometimes to learn anything.
  expect(stderr).toMatch(/^(warning: (Not settled|Near the commoner class|No better than chance|One answer).*\n)*$/);
  expect(code).toBe(0);
  return JSON.parse(stdout) as TrainResult;
}

const timeless = ({ seconds, ...rest }: TrainResult) => {
  expect(seconds.total).toBeGreaterThan(0);
  return rest;
};

describe("train", () => {
  it("takes a target as a number: models with thresholds of groups are written, and other words refused", async () => {
    const terms = ["people.csv", ...basic, "--use-group", "--target"];
    const { code, stderr } = await work.run("train", ...terms, "0.05", "--model", "thresholds.json");
    expect(stderr).not.toContain("unexpected failure");
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(work.path("thresholds.json"), "utf8")).useGroup.target).toBe(0.05);
    const wrong = await work.run("train", ...terms, "little");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/^moiety: --target .*little.*\n$/)]);
  });

  it("has the fields of the contract, and is the same for any number of threads", async () => {
    const one = await trained("--threads", "1", "--skew", "0.5");
    const fields = ["accuracy", "auc", "dpd", "eod", "apd", "positiveRate", "perGroup", "control", "rounds", "seconds"];
    for (const field of fields) expect(one).toHaveProperty(field);
    for (const field of fields.slice(0, 7)) expect(one.control).toHaveProperty(field);
    expect(Math.abs(one.control.positiveRate! - one.positiveRate!)).toBeLessThan(0.01);
    expect(one.partySizes.reduce((sum, size) => sum + size, 0)).toBe(one.trained);
    expect(one.trained + one.n).toBe(1500);
    expect(one.curve.length).toBe(9);
    const three = await trained("--threads", "3", "--skew", "0.5");
    expect(timeless(three)).toEqual(timeless(one));
  });

  it.each(["ffalm", "fairfed", "fpfl", "fedavg"])("runs %s", async (algorithm) => {
    const result = await trained("--algorithm", algorithm, "--net", "mlp");
    expect(result.algorithm).toBe(algorithm);
    expect(result.accuracy).toBeGreaterThan(0.6);
  });

  it("writes a model that answers without the protected attribute, and a page", async () => {
    const result = await trained("--model", "model.json", "--report", "page.html", "--test-file", "others.csv");
    const withoutSex = peopleTable(300, 2).replace(/,(sex|F|M),/g, ",");
    work.write("newcomers.csv", withoutSex);
    const args = ["newcomers.csv", "--model", "model.json", "--labels", "answers.csv", "--id", "person"];
    expect((await work.run("predict", ...args)).code).toBe(0);
    expect(work.read("answers.csv").split("\n")[0]).toBe("person,prediction,score");
    const measures = [
      "others.csv",
      "--labels",
      "answers.csv",
      "--id",
      "person",
      "--label",
      "hired",
      "--protect",
      "sex",
    ];
    const { stdout } = await work.run("evaluate", ...measures, "--json");
    const { n, accuracy, auc, dpd, eod, apd, positiveRate } = JSON.parse(stdout) as TrainResult;
    const told = result;
    expect({ n, accuracy, dpd, eod, apd, positiveRate }).toEqual({
      n: told.n,
      accuracy: told.accuracy,
      dpd: told.dpd,
      eod: told.eod,
      apd: told.apd,
      positiveRate: told.positiveRate,
    });
    expect(auc).toBeCloseTo(told.auc!, 6);
    const page = work.read("page.html");
    for (const part of ["Accuracy against EOD", "Learning curves", "Group by group", "control", "in one place"])
      expect(page).toContain(part);
    expect(page).not.toMatch(/NaN|undefined|p12\b/);
    const { provenance } = JSON.parse(work.read("model.json")) as { provenance: Record<string, unknown> };
    expect(provenance).toMatchObject({
      algorithm: "ffalm-global",
      fairness: "eo",
      seed: 1,
      protected: "sex",
      trained: 1500,
    });
  });

  it("is fair for several attributes, by the model that does best among people set aside, at each party", async () => {
    const several = ["--protect", "sex,job", "--split-by", "place", "--fairness-level", "party"];
    const args = [
      "people.csv",
      "--label",
      "hired",
      "--id",
      "person",
      "--rounds",
      "6",
      "--validation",
      "0.2",
      ...several,
    ];
    const files = ["--report", "several.html", "--model", "several.json"];
    const { code, stdout } = await work.run("train", ...args, ...files, "--json");
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as TrainResult;
    expect(Object.keys(result.perAttribute!)).toEqual(["sex", "job"]);
    expect(result.trained + result.validation!.people + result.n).toBe(1500);
    expect(result.perParty!.map(({ party }) => party)).toEqual(["north", "south"]);
    expect(result.perParty!.reduce((sum, { people }) => sum + people, 0)).toBe(result.n);
    const page = work.read("several.html");
    for (const part of ["Party by party", "Attribute by attribute", "looked at once, in the end", "sex, job"])
      expect(page).toContain(part);
    expect(page).not.toMatch(/NaN|undefined/);
    const answered = ["--labels", "several.csv", "--id", "person"];
    await work.run("predict", "people.csv", "--model", "several.json", ...answered);
    const measures = ["people.csv", ...answered, "--label", "hired", "--protect", "sex,job", "--json"];
    const { perAttribute, dpd } = JSON.parse((await work.run("evaluate", ...measures)).stdout) as TrainResult;
    expect(dpd).toBe(Math.max(perAttribute!.sex!.dpd!, perAttribute!.job!.dpd!));
  });

  it("takes parties from a column", async () => {
    const args = ["--label", "hired", "--protect", "sex", "--id", "person", "--rounds", "3", "--split-by", "place"];
    const { stdout } = await work.run("train", "people.csv", ...args, "--json");
    const { parties, partySizes } = JSON.parse(stdout) as TrainResult;
    expect(parties).toBe(2);
    expect(Math.min(...partySizes)).toBeGreaterThan(400);
  });

  it("goes on after kill -9 to the same result", async () => {
    const long = ["people.csv", ...basic, "--rounds", "400", "--threads", "1", "--json", "--model", "whole.json"];
    const whole = await work.run("train", ...long);
    const args = [...long.slice(0, -1), "resumed.json", "--checkpoint", "run.ckpt"];
    const { process: child, done } = work.start("train", ...args);
    let ended = false;
    void done.then(() => {
      ended = true;
    });
    while (!ended && !existsSync(work.path("run.ckpt"))) await new Promise((resolve) => setTimeout(resolve, 20));
    child.kill("SIGKILL");
    await done;
    expect(existsSync(work.path("resumed.json"))).toBe(false);
    const other = await work.run("train", ...args, "--rate", "0.01");
    expect(other.code).toBe(2);
    expect(other.stderr).toMatch(/other people or other options/);
    const resumed = await work.run("train", ...args);
    expect(resumed.code).toBe(0);
    expect(timeless(JSON.parse(resumed.stdout))).toEqual(timeless(JSON.parse(whole.stdout)));
    expect(work.read("resumed.json")).toBe(work.read("whole.json"));
    expect(existsSync(work.path("run.ckpt"))).toBe(false);
  });

  it("stops on Ctrl-C with nothing written", async () => {
    const args = ["people.csv", ...basic, "--rounds", "20000", "--model", "never.json", "--report", "never.html"];
    const { process: child, done } = work.start("train", ...args);
    await new Promise((resolve) => setTimeout(resolve, 3000));
    child.kill("SIGINT");
    expect(await done).toSatisfy(stoppedByHand);
    expect(work.files().filter((name) => name.includes("never"))).toEqual([]);
  });

  it("stops and says so when training diverges, with the best model written", async () => {
    const args = ["people.csv", ...basic, "--rate", "1000", "--clip", "1000", "--model", "wild.json", "--json"];
    const { code, stdout, stderr } = await work.run("train", ...args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/Diverged: /);
    const { ended, modelRound, rounds } = JSON.parse(stdout) as TrainResult;
    expect(ended).toBe("diverged");
    expect(modelRound).toBeLessThan(rounds);
    expect(existsSync(work.path("wild.json"))).toBe(true);
  });

  it("says first that a model is of no use, and never that it is fairer then", async () => {
    const rows = Array.from({ length: 900 }, (_, i) => {
      const [a, b, sex, hired] = [1, 2, 3, 4].map((seed) => uniform(seed, i));
      return `${a},${b},${sex < 0.5 ? "F" : "M"},${hired < 0.5 ? "no" : "yes"}`;
    });
    work.write("chance.csv", `a,b,sex,hired\n${rows.join("\n")}\n`);
    const args = ["train", "chance.csv", "--label", "hired", "--protect", "sex", "--parties", "3"];
    const { code, stdout } = await work.run(...args, "--report", "chance.html");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^(Near the commoner class|One answer): .*\nNo better than chance: .* AUC of 0\.[45]\d\d,/);
    expect(stdout).not.toMatch(/[Ff]airer than the control/);
    const page = work.read("chance.html");
    expect(page).not.toMatch(/[Ff]airer than the control/);
    expect(page.indexOf("No better than chance")).toBeLessThan(page.indexOf("<section"));
    const { stdout: json, stderr } = await work.run(...args, "--json");
    expect(JSON.parse(json)).toMatchObject({ useful: false, fairer: null, baseline: { answer: expect.any(String) } });
    expect(stderr).toMatch(/^warning: (Near the commoner class|One answer)/);
  });

  it("goes on until it settles, or as long as it may, and says which", async () => {
    const open = ["train", "people.csv", "--label", "hired", "--protect", "sex", "--id", "person", "--parties", "3"];
    const { stdout, stderr } = await work.run(...open);
    expect(stderr).toBe("");
    expect(stdout).toMatch(/^ffalm-global for equal opportunity/);
    expect(stdout).toMatch(/\nFairer than the control.*\nAt each party by itself, EOD is .*\n\d+ rounds, settled;/);
    const capped = await work.run(...open, "--max-rounds", "25");
    expect(capped.stdout).toMatch(/^Not settled, as far as 25 rounds can tell: give more --max-rounds/);
    const exact = await work.run(...open, "--rounds", "70", "--json");
    expect(JSON.parse(exact.stdout)).toMatchObject({ rounds: 70, ended: "rounds", settled: false, fairer: null });
  });

  it("explains DPD, EOD and APD where they first stand, and speaks of labels rather than of deserts", async () => {
    const { stdout } = await work.run("train", "people.csv", ...basic);
    const help = (await work.run("train", "--help")).stdout;
    for (const text of [stdout, help]) {
      for (const [name, meaning] of [
        ["DPD", /DPD \(demographic parity difference\): the share that gets a yes\n/],
        ["EOD", /EOD \(equal opportunity difference\): the share that gets a yes among those whose label is yes/],
        ["APD", /APD \(accuracy parity difference\): the share that gets a wrong answer/],
      ] as const) {
        expect(text).toMatch(meaning);
        expect(text.indexOf(name)).toBeGreaterThan(0);
      }
      expect(text).not.toMatch(/deserve/);
    }
  });

  it("warns of the printed schedule", async () => {
    const { stderr } = await work.run("train", "people.csv", ...basic, "--algorithm", "ffalm", "--schedule", "printed");
    expect(stderr).toMatch(/may diverge/);
  });
});

describe("pictures", () => {
  it("are generated, learnt from and predicted, on any number of threads alike", async () => {
    expect((await work.run("generate", "faces", "--n", "40", "--size", "8", "-o", "faces")).code).toBe(0);
    const args = ["faces", "--label", "smiles", "--protect", "sex", "--parties", "2", "--rounds", "1", "--batch", "8"];
    const run = async (threads: string) => {
      const { code, stdout, stderr } = await work.run(
        "train",
        ...args,
        "--json",
        "--threads",
        threads,
        "--model",
        "net.json",
      );
      expect(code, stderr).toBe(0);
      return timeless(JSON.parse(stdout));
    };
    const one = await run("1");
    expect(one).toMatchObject({ net: "resnet18" });
    expect(one.parameters).toBeGreaterThan(11_000_000);
    expect(await run("2")).toEqual(one);
    const predicted = await work.run("predict", "faces", "--model", "net.json", "--labels", "smiles.csv");
    expect(predicted.code, predicted.stderr).toBe(0);
    expect(work.read("smiles.csv").trim().split("\n").length).toBe(41);
  });
});

describe("pictures of other kinds", () => {
  it("JPEG files among PNG files, and pixels in columns", async () => {
    expect((await work.run("generate", "faces", "--n", "60", "--size", "8", "-o", "mixed")).code).toBe(0);
    // Every other face becomes a JPEG.
    const lines = work.read("mixed/people.csv").trim().split("\n");
    const pixels: string[] = [];
    const named = lines.slice(1).map((line, i) => {
      const [file, ...rest] = line.split(",");
      const { data, width, height } = PNG.sync.read(readFileSync(work.path(`mixed/${file}`)));
      const greys = Array.from({ length: width * height }, (_, at) => data[at * 4]);
      pixels.push([...greys, ...rest].join(","));
      if (i % 2 === 0) return line;
      const jpeg = file.replace(".png", ".jpg");
      writeFileSync(work.path(`mixed/${jpeg}`), encode({ data, width, height }, 95).data);
      return [jpeg, ...rest].join(",");
    });
    work.write("mixed/people.csv", `${[lines[0], ...named].join("\n")}\n`);
    const columns = [...Array.from({ length: 64 }, (_, i) => `p${i}`), ...lines[0].split(",").slice(1)];
    work.write("pixels.csv", `${[columns.join(","), ...pixels].join("\n")}\n`);
    const terms = [
      "--label",
      "smiles",
      "--protect",
      "sex",
      "--parties",
      "2",
      "--rounds",
      "2",
      "--net",
      "mlp",
      "--json",
    ];
    const files = await work.run("train", "mixed", ...terms, "--model", "mixed.json");
    expect(files.code, files.stderr).toBe(0);
    expect(JSON.parse(files.stdout).parameters).toBeGreaterThan(8 * 8 * 3 * 64);
    const grey = await work.run("train", "pixels.csv", ...terms, "--image-shape", "8x8x1", "--model", "grey.json");
    expect(grey.code, grey.stderr).toBe(0);
    expect(JSON.parse(work.read("grey.json")).input).toMatchObject({ kind: "pixels", shape: { width: 8, height: 8 } });
    for (const [source, model] of [
      ["mixed", "mixed.json"],
      ["pixels.csv", "grey.json"],
    ]) {
      const predicted = await work.run("predict", source, "--model", model, "--labels", "smiling.csv");
      expect(predicted.code, predicted.stderr).toBe(0);
      expect(work.read("smiling.csv").trim().split("\n").length).toBe(61);
    }
    const folder = await work.run("predict", "mixed", "--model", "mixed.json", "--labels", "smiling.csv");
    expect(folder.code, folder.stderr).toBe(0);
    const asked = ["--labels", "smiling.csv", "--label", "smiles", "--protect", "sex", "--json"];
    const measured = await work.run("evaluate", "mixed", ...asked);
    expect(JSON.parse(measured.stdout).n).toBe(60);
    const wrong = await work.run("train", "pixels.csv", ...terms, "--image-shape", "9x9x1");
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toMatch(/has 81 numbers, and there are 64 columns/);
    const odd = await work.run("train", "pixels.csv", ...terms, "--image-shape", "8by8");
    expect(odd.stderr).toMatch(/give width x height x channels/);
    await work.run("generate", "faces", "--n", "3", "--size", "9", "-o", "larger");
    const larger = await work.run("predict", "larger", "--model", "mixed.json", "--labels", "smiling.csv");
    expect(larger.code).toBe(2);
    expect(larger.stderr).toMatch(/9 x 9 x 3 where the model has seen 8 x 8 x 3/);
  });
});

describe("groups and parties of all kinds", () => {
  it("many groups, and places that lack a group or a label", async () => {
    const rows = peopleTable(1500, 4).trim().split("\n");
    const parted = rows.map((row, i) => {
      if (i === 0) return row;
      const place = row.includes(",F,") ? "west" : row.includes(",no,") ? "east" : "north";
      const kinds = ["A", "B", "C", "D"];
      return row.replace(/[^,]+$/, place).replace(/,(F|M),/, (_, sex) => `,${kinds[(sex === "F" ? 0 : 2) + (i % 2)]},`);
    });
    work.write("parted.csv", `${parted.join("\n")}\n`);
    for (const algorithm of ["ffalm-global", "ffalm", "fairfed", "fpfl"]) {
      const args = ["--label", "hired", "--protect", "sex", "--id", "person", "--rounds", "6", "--split-by", "place"];
      const { code, stdout, stderr } = await work.run(
        "train",
        "parted.csv",
        ...args,
        "--algorithm",
        algorithm,
        "--json",
      );
      expect(code, stderr).toBe(0);
      const result = JSON.parse(stdout) as TrainResult;
      expect(Object.keys(result.perGroup)).toEqual(["A", "B", "C", "D"]);
      expect(result.parties).toBe(3);
      expect(result.rounds).toBe(6);
      expect(result.curve.every(({ train }) => Number.isFinite(train.loss))).toBe(true);
    }
  });

  it("stops early at the best model", async () => {
    const result = await trained("--rounds", "300", "--patience", "4");
    expect(result.ended).toBe("patience");
    expect(result.rounds - result.modelRound).toBe(4);
    expect(result.curve.length).toBe(result.rounds + 1);
  });

  it("predicts nobody of a category that was never seen", async () => {
    await trained("--categorical", "job", "--features", "a,b,c", "--model", "jobs.json");
    work.write("pilots.csv", peopleTable(200, 3).replaceAll("cook", "pilot"));
    const { code, stderr } = await work.run("predict", "pilots.csv", "--model", "jobs.json", "--labels", "never.csv");
    expect(code).toBe(2);
    expect(stderr).toMatch(/column 'job' has a category that the model has never seen in \d+ of 200 rows/);
    expect(existsSync(work.path("never.csv"))).toBe(false);
  });
});

describe("a label of several classes", () => {
  it("is learnt, predicted with a score for each class, measured the same by evaluate, and shown on the card and the page", async () => {
    const args = ["--label", "job", "--protect", "sex", "--id", "person", "--rounds", "6", "--parties", "2"];
    const files = ["--model", "jobs3.json", "--report", "jobs3.html", "--card", "jobs3.md"];
    const { code, stdout } = await work.run(
      "train",
      "people.csv",
      ...args,
      ...files,
      "--test-file",
      "others.csv",
      "--json",
    );
    expect(code).toBe(0);
    const told = JSON.parse(stdout) as TrainResult;
    expect(told).toMatchObject({ label: { classes: ["clerk", "cook", "nurse"] }, auc: null, positiveRate: null });
    const answers = ["--id", "person", "--labels", "jobs3.csv"];
    expect((await work.run("predict", "others.csv", "--model", "jobs3.json", ...answers)).code).toBe(0);
    const [head, first] = work.read("jobs3.csv").split("\n");
    expect(head).toBe("person,prediction,score_clerk,score_cook,score_nurse");
    const [, prediction, ...scores] = first.split(",");
    expect(scores.reduce((sum, score) => sum + Number(score), 0)).toBeCloseTo(1, 9);
    const best = scores.map(Number).reduce((a, b, i, all) => (b > all[a] ? i : a), 0);
    expect(prediction).toBe(["clerk", "cook", "nurse"][best]);
    const measured = await work.run(
      "evaluate",
      "others.csv",
      ...answers,
      "--label",
      "job",
      "--protect",
      "sex",
      "--json",
    );
    const { n, accuracy, dpd, eod, apd, perGroup, perClass } = JSON.parse(measured.stdout) as TrainResult;
    expect({ n, accuracy, dpd, eod, apd, perGroup, perClass }).toEqual(
      Object.fromEntries(
        Object.entries(told).filter(([key]) => /^(n|accuracy|dpd|eod|apd|perGroup|perClass)$/.test(key)),
      ),
    );
    for (const file of ["jobs3.html", "jobs3.md"]) {
      const text = work.read(file);
      for (const name of ["clerk", "cook", "nurse"]) expect(text).toContain(name);
      expect(text).not.toMatch(/NaN|undefined|null/);
    }
  });
});

const bad: [string, string[], RegExp][] = [
  ["no label", ["people.csv", "--protect", "sex"], /--label/],
  ["an unknown label", ["people.csv", "--label", "hire", "--protect", "sex"], /unknown column 'hire'.*hired/],
  [
    "a label of too many values",
    ["people.csv", "--label", "a", "--protect", "sex"],
    /'a' has \d+ classes, and at most 20 are allowed: merge some, or name the one to learn with --positive/,
  ],
  [
    "thresholds by group of three classes",
    ["people.csv", "--label", "job", "--protect", "sex", "--use-group"],
    /thresholds by group are of a yes, and the label has 3 classes: leave --use-group out/,
  ],
  ["nothing protected", ["people.csv", "--label", "hired"], /--protect names no attribute/],
  [
    "two attributes for a method of one",
    ["people.csv", "--label", "hired", "--protect", "sex,place", "--algorithm", "ffalm"],
    /'sex\*place', or use --algorithm ffalm-global/,
  ],
  [
    "a share of nobody to choose on",
    ["people.csv", ...basic, "--validation", "0"],
    /--validation is .0.: give a number above 0/,
  ],
  ["a level that is none", ["people.csv", ...basic, "--fairness-level", "site"], /fairness level.*all, party/],
  [
    "a level that a method has not",
    ["people.csv", ...basic, "--algorithm", "fpfl", "--fairness-level", "party"],
    /fpfl cannot hold .* use --algorithm ffalm-global, or --fairness-level all/,
  ],
  ["a wrong fairness", ["people.csv", ...basic, "--algorithm", "ffalm", "--fairness", "dp"], /ap alone/],
  ["a net of pictures for a table", ["people.csv", ...basic, "--net", "resnet18"], /--images/],
  ["the label as a feature", ["people.csv", ...basic, "--categorical", "hired"], /is the label/],
  ["the label protected", ["people.csv", "--label", "hired", "--protect", "sex*hired"], /is the label.*protected/],
  ["a step without end", ["people.csv", ...basic, "--rate", "1e30"], /above 0 and up to 1000000/],
  ["more parties than people", ["people.csv", ...basic, "--parties", "5000"], /should be >= parties=5000/],
  ["an option that would do nothing", ["people.csv", ...basic, "--algorithm", "fedavg", "--beta", "1"], /does nothing/],
  ["both kinds of rounds", ["people.csv", ...basic, "--max-rounds", "9"], /--max-rounds does nothing beside --rounds/],
  ["parties beside a column", ["people.csv", ...basic, "--split-by", "place"], /--parties does nothing beside/],
  ["a share beyond 1", ["people.csv", ...basic, "--test", "1.5"], /above 0 and below 1/],
];

describe("bad input", () => {
  it.each(bad)("%s is one line and exit 2", async (_, args, line) => {
    const { code, stdout, stderr } = await work.run("train", ...args);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toMatch(line);
    expect(stderr.trim().split("\n").length).toBe(1);
  });

  it("one class, unknown categories, strange groups", async () => {
    const rows = peopleTable(200, 3).split("\n");
    work.write("same.csv", rows.map((row) => row.replace(/,(no|yes),/, ",no,")).join("\n"));
    expect((await work.run("train", "same.csv", ...basic)).stderr).toMatch(/one class, and two are needed/);
    work.write("pilots.csv", peopleTable(200, 3).replaceAll("cook", "pilot"));
    const others = await work.run("train", "people.csv", ...basic, "--test-file", "pilots.csv");
    expect(others.stderr).toMatch(/column 'job' has a category that the model has never seen in 66 of 200 rows/);
    work.write("third.csv", peopleTable(200, 3).replaceAll(",F,", ",X,"));
    expect((await work.run("train", "people.csv", ...basic, "--test-file", "third.csv")).stderr).toMatch(
      /has a group of 'sex'/,
    );
  });

  it("pictures of different sizes, broken ones, and none", async () => {
    await work.run("generate", "faces", "--n", "3", "--size", "8", "-o", "small");
    await work.run("generate", "faces", "--n", "3", "--size", "9", "-o", "small/large");
    const table = (second: string) => `file,sex,smiles\n00001.png,F,yes\n${second},M,no\n00003.png,F,no\n`;
    const attempt = async (second: string) => {
      work.write("small/people.csv", table(second));
      return (await work.run("train", "small", "--label", "smiles", "--protect", "sex")).stderr;
    };
    expect(await attempt("large/00002.png")).toMatch(/row 2 has a picture of 8 x 8, row 3 one of 9 x 9/);
    writeFileSync(work.path("small/broken.png"), readFileSync(work.path("small/00001.png")).subarray(0, 60));
    work.write("small/text.png", "hello");
    expect(await attempt("broken.png")).toMatch(/row 3 is broken or too large/);
    expect(await attempt("text.png")).toMatch(/row 3 is neither PNG nor JPEG/);
    expect(await attempt("absent.png")).toMatch(/picture of row 3: there is no such file/);
    expect(await attempt("../people.csv")).toMatch(/outside the table's folder/);
  });
});
