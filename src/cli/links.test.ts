import { beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const work = new Workplace();
const source =
  "SELECT *, 1 + visits % 3 AS weight, CASE WHEN person = 'P0000001' THEN 1e300 ELSE 1 END AS huge, 1e-300 AS tiny, CAST(substr(person, 2) AS INT) // 2 AS home, CAST(substr(person, 2) AS INT) // 3 AS class FROM 'people.csv'";
const columns = ["--features", "age,income", "--protect", "sex", "--id", "person"];

beforeAll(async () => {
  expect((await work.run("generate", "people", "--n", "600", "--seed", "5", "-o", "people.csv")).code).toBe(0);
});

/** The cluster of each person, in the order of their ids. */
function clusters(file: string): string[] {
  const lines = work.read(file).trimEnd().split("\n").slice(1).sort();
  return lines.map((line) => line.split(",")[1]!);
}

describe("weights and links", () => {
  it("evaluate measures what cluster says, in weight, and finds households whole", async () => {
    const links = ["--weights", "weight", "--together", "home"];
    const files = ["--labels", "labels.csv", "--model", "model.json", "--report", "report.html"];
    const found = await work.run("cluster", source, "--k", "3", ...columns, ...links, ...files, "--json");
    const { sizes, sse, tolerance, maxViolation, weights, atoms, fair } = JSON.parse(found.stdout);
    expect([fair, atoms.feasible, atoms.largest]).toEqual([true, "witnessed", tolerance]);
    expect(sizes.reduce((sum: number, size: number) => sum + size, 0)).toBe(weights.total);
    const judged = await work.run("evaluate", source, ...columns, ...links, "--labels", "labels.csv", "--json");
    expect(JSON.parse(judged.stdout)).toMatchObject({ sizes, sse, tolerance, maxViolation, together: { split: 0 } });
    expect(work.read("report.html")).toContain("People with the same home share a cluster");
    // Five of the heaviest would weigh as much as each cluster, and not as each group in it: a weight may be that of one person.
    expect(JSON.parse(work.read("model.json")).people).toEqual(sizes);
    expect(work.read("model.json")).not.toContain("counts");
  });

  it("rows split over parties are clustered in weight, whoever holds them, and evaluate agrees", async () => {
    const asked = ["cluster", source, "--k", "3", ...columns, "--weights", "weight", "--json"] as const;
    const found = await work.run(...asked, "--split-by", "region", "--labels", "rows.csv", "--report", "rows.html");
    const { sizes, sse, tolerance, maxViolation, weights, fair } = JSON.parse(found.stdout);
    expect([fair, tolerance]).toEqual([true, 3]);
    expect(sizes.reduce((sum: number, size: number) => sum + size, 0)).toBe(weights.total);
    expect(work.read("rows.html")).toContain("Everybody counts as often as weight says");
    const judged = await work.run(
      ...["evaluate", source, ...columns, "--weights", "weight"],
      ...["--labels", "rows.csv", "--json"],
    );
    expect(JSON.parse(judged.stdout)).toMatchObject({ sizes, sse, tolerance, maxViolation });
    expect((await work.run(...asked, "--split", "rows", "--parties", "2", "--labels", "two.csv")).code).toBe(0);
    expect(clusters("two.csv")).toEqual(clusters("rows.csv"));
  });

  it("people apart are apart", async () => {
    const found = await work.run(
      "cluster",
      source,
      "--k",
      "4",
      ...columns,
      "--apart",
      "class",
      "--labels",
      "apart.csv",
    );
    expect(found.stdout).toContain("No two people with the same class share a cluster.");
    const labels = clusters("apart.csv");
    for (let i = 2; i < labels.length; i += 3)
      expect(new Set(labels.slice(i, i + 3)).size).toBe(Math.min(3, labels.length - i));
  });

  it.each([
    [["--weights", "sex"], "column 'sex' is named both among the protected attributes and as the weights"],
    [["--weights", "region"], "column 'region' is not numeric"],
    [["--weights", "balance"], /column 'balance' is 0 or less in \d+ of 600 rows; weights are numbers above 0/],
    [
      ["--weights", "huge"],
      /the weights of 'huge' add up to 1\.00e\+300, where 0\.000001 to 1000000000000000 is possible/,
    ],
    [["--weights", "tiny"], /the weights of 'tiny' add up to 6\.00e-298, where/],
    [["--together", "home", "--split", "rows"], "--together is not for rows split over parties"],
    [["--apart", "class", "--split-by", "region"], "--apart is not for rows split over parties"],
    [["--weights", "weight", "--algorithm", "kfed"], "--weights does nothing with kfed: use f3km"],
    [["--together", "home", "--algorithm", "fcfc"], /--together does nothing with fcfc: use [^:]*lloyd(?!.*fkm)/],
    [["--weights", "weight", "--algorithm", "fkm-plus", "--epsilon", "1"], "--weights is not for private clusters"],
    [["--together", "home", "--algorithm", "fair-lp"], "--together does nothing with fair-lp"],
    [["--together", "home", "--solver", "admm"], "--together is for prices"],
    [["--weights", "weight", "--balance", "hard"], "sizes cannot differ by one at most where weights move as a whole"],
    [["--weights", "weight", "--distance", "manhattan"], "--weights is for squared distances"],
    [["--weights", "weight", "--algorithm", "dp-fair", "--epsilon", "1"], "--weights is not for private clusters"],
    [["--weights", "weight", "--max-size", "2"], "have a size of at most 2 with tolerance 3"],
    [
      ["--weights", "weight", "--notion", "social"],
      "--weights is for shares, and everybody counts alone and once with --notion social",
    ],
    [["--apart", "sex2"], "unknown column 'sex2'"],
  ])("refuses %s", async (given, why) => {
    const { code, stderr } = await work.run("cluster", source, "--k", "3", ...columns, ...given);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(stderr).toMatch(why);
    expect([2, 3]).toContain(code);
  });
});
