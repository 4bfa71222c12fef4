import { beforeAll, describe, expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const work = new Workplace();
const features = ["--features", "income,hours,tenure", "--protect", "sex,age:30,50"];

beforeAll(async () => {
  for (const [n, seed, file] of [
    ["12000", "3", "people.csv"],
    ["900", "4", "newcomers.csv"],
  ]) {
    expect((await work.run("generate", "people", "--n", n, "--seed", seed, "-o", file)).code).toBe(0);
  }
  const asked = ["cluster", "people.csv", "--k", "3", ...features, "--id", "person", "--model", "model.json"];
  expect((await work.run(...asked, "--labels", "labels.csv")).code).toBe(0);
});

describe("assign", () => {
  it("places newcomers within the bounds of the model, where predict says that the nearest centres are not", async () => {
    const asked = ["newcomers.csv", "--model", "model.json", "--id", "person", "--json"];
    const near = await work.run("predict", ...asked, "--protect", "sex", "--labels", "near.csv");
    expect(JSON.parse(near.stdout)).toMatchObject({ fair: false, k: 3, n: 900 });
    const { code, stdout } = await work.run("assign", ...asked, "--labels", "joined.csv");
    expect(code).toBe(0);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ fair: true, together: false, online: false, n: 900, k: 3 });
    expect(work.read("joined.csv")).toMatch(/^person,cluster\nP/);
    expect(work.read("joined.csv").trimEnd().split("\n")).toHaveLength(901);
    const labels = ["--labels", "joined.csv", "--id", "person", "--features", "income,hours,tenure"];
    const bounds = JSON.stringify(result.bounds);
    work.write("bounds.json", bounds);
    const judged = await work.run(
      "evaluate",
      "newcomers.csv",
      ...labels,
      "--protect",
      "sex,age:30,50",
      "--bounds",
      "bounds.json",
      "--json",
    );
    expect(JSON.parse(judged.stdout)).toMatchObject({ fair: true, sizes: result.sizes });
  });

  it("goes on from the model that it has written", async () => {
    const first = ["SELECT * FROM 'newcomers.csv' LIMIT 450", "--model", "model.json", "--online"];
    expect((await work.run("assign", ...first, "--updated-model", "next.json")).code).toBe(0);
    const { people } = JSON.parse(work.read("next.json"));
    expect(people.reduce((sum: number, count: number) => sum + count, 0)).toBe(12_450);
    const { code, stdout } = await work.run("assign", "newcomers.csv", "--model", "next.json", "--together-with");
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^900 people joined 3 clusters of the f3km model as one batch; the bounds hold for the people of the model and the newcomers together$/m,
    );
  });

  it("says of each who comes alone whether they were placed beyond a bound", async () => {
    work.write("tight.json", JSON.stringify({ sex: { M: { max: 0.3 } } }));
    const asked = ["newcomers.csv", "--model", "model.json", "--online", "--bounds", "tight.json", "--json"];
    const { stdout } = await work.run("assign", ...asked, "--labels", "online.csv");
    const [header, ...rows] = work.read("online.csv").trimEnd().split("\n");
    expect(header).toBe("row,cluster,beyond");
    const beyond = rows.filter((row) => Number(row.split(",")[2]) > 0).length;
    expect(beyond).toBeGreaterThan(0);
    expect(JSON.parse(stdout)).toMatchObject({
      beyond: { people: beyond },
      bounds: { sex: { M: { min: 0, max: 0.3 } } },
    });
  });

  it("keeps the bounds that a refusal names", async () => {
    const women = ["SELECT * FROM 'newcomers.csv' WHERE sex = 'F'", "--model", "model.json", "--protect", "sex"];
    const { stderr } = await work.run("assign", ...women);
    const wider = Number(/bounds of sex wider by ([\d.]+) on each side/.exec(stderr)![1]);
    const [{ groups, lower, upper }] = JSON.parse(work.read("model.json")).promises.attributes;
    const bounds = groups.map((group: string, at: number) => {
      const [min, max] = [Math.max(0, lower[at] - wider), Math.min(1, upper[at] + wider)];
      return [group, { min, max }];
    });
    work.write("nearest.json", JSON.stringify({ sex: Object.fromEntries(bounds) }));
    expect(await work.run("assign", ...women, "--bounds", "nearest.json")).toMatchObject({ code: 0, stderr: "" });
  });

  it.each([
    [["newcomers.csv", "--model", "people.csv"], /the model people.csv is not JSON/],
    [["newcomers.csv", "--model", "model.json", "--protect", "region"], /no bounds for an unknown attribute 'region'/],
    [["SELECT income, hours, sex, age FROM 'newcomers.csv'", "--model", "model.json"], /unknown column 'tenure'/],
    [["SELECT * FROM 'newcomers.csv' WHERE sex = 'F'", "--model", "model.json"], /sex.*wider by|tolerance of/],
  ])("%j is refused in one line, and nothing is written", async (asked, message) => {
    const { code, stderr } = await work.run("assign", ...asked, "--labels", "none.csv");
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    expect(work.files()).not.toContain("none.csv");
  });
});

describe("update", () => {
  it("replaces the model, whose clusters keep their numbers", async () => {
    work.write("mine.json", work.read("model.json"));
    const { code, stdout } = await work.run("update", "mine.json", "newcomers.csv", "--forget", "0.5", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ fair: true, forget: 0.5, n: 900 });
    const [before, after] = ["model.json", "mine.json"].map((file) => JSON.parse(work.read(file)));
    const nearest = (centre: number[]) => {
      const gaps = before.centres.map((other: number[]) => other.reduce((sum, x, j) => sum + (x - centre[j]) ** 2, 0));
      return gaps.indexOf(Math.min(...gaps));
    };
    expect(after.centres.map(nearest)).toEqual([0, 1, 2]);
    const { promises, ...rest } = JSON.parse(work.read("model.json"));
    const attributes = promises.attributes.map(({ counts: _, ...others }: { counts?: unknown }) => others);
    work.write("uncounted.json", JSON.stringify({ ...rest, promises: { ...promises, attributes } }));
    const untold = await work.run("update", "uncounted.json", "newcomers.csv", "--forget", "0.5");
    expect(untold.stdout).toMatch(/does not tell shares of before/);
    expect(untold.stdout).not.toMatch(/share before/);
    const wrong = await work.run("update", "mine.json", "newcomers.csv", "--forget", "2");
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringMatching(/--forget/) });
  });

  it("is how a clustering of everybody begins, too", async () => {
    const asked = [
      "cluster",
      "people.csv",
      ...features,
      "--id",
      "person",
      "--init",
      "model.json",
      "--labels",
      "again.csv",
    ];
    expect((await work.run(...asked)).code).toBe(0);
    const [again, labels] = ["again.csv", "labels.csv"].map((file) => work.read(file).split("\n"));
    const same = again.filter((line, at) => line === labels[at]).length;
    expect(same / labels.length).toBeGreaterThan(0.98);
    const other = await work.run("cluster", "people.csv", "--features", "income", "--init", "model.json");
    expect(other).toMatchObject({ code: 2, stderr: expect.stringMatching(/the model was made from other columns/) });
    const five = await work.run("cluster", "people.csv", ...features, "--k", "5", "--init", "model.json");
    expect(five).toMatchObject({ code: 2, stderr: "moiety: --init has 3 centres, and k is 5: use a k of 3\n" });
    expect((await work.run("cluster", "people.csv", "--k", "3", "--init", "kmean")).stderr).toMatch(/kmeans\+\+/);
  });
});

describe("places", () => {
  it("are given with their sizes, and stay", async () => {
    work.write("places.csv", "income,hours\n20000,40\n40000,30\n60000,45\n");
    work.write("sizes.csv", "min,max\n,5000\n1000,\n3000,4000\n");
    const asked = ["cluster", "people.csv", "--features", "income,hours", "--protect", "sex", "--seats", "places.csv"];
    const { code, stdout } = await work.run(...asked, "--capacity", "sizes.csv", "--json");
    expect(code).toBe(0);
    const { sizes, ...result } = JSON.parse(stdout);
    expect(result).toMatchObject({ k: 3, fair: true, sizesKept: true });
    expect(sizes[0]).toBeLessThanOrEqual(5000);
    expect(sizes[1]).toBeGreaterThanOrEqual(1000);
    expect(sizes[2] >= 3000 && sizes[2] <= 4000).toBe(true);
  });

  it.each([
    ["sizes of too few", "min,max\n,10\n,10\n", /has 2 sizes: give one for each of k=3/],
    ["sizes without room", "max\n10\n10\n10\n", /room for 30 people, but there are 12000/],
    ["no sizes", "min,max\n,\n,\n,\n", /says no size: write one row for each cluster/],
    [
      "columns that say no size",
      "minimum,max\n1,9000\n1,9000\n1,9000\n",
      /column 'minimum' of .* is none of cluster, min and max/,
    ],
    [
      "clusters that are named twice",
      "cluster,max\n0,9000\n1,9000\n1,9000\n",
      /column 'cluster' .* each of 0 to 2 once/,
    ],
    ["sizes upside down", "min,max\n1,\n600,500\n1,\n", /cluster 1 has no room/],
  ])("%s are refused", async (_, text, message) => {
    work.write("wrong.csv", text);
    const { code, stderr } = await work.run("cluster", "people.csv", "--k", "3", "--capacity", "wrong.csv");
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it("find their sizes by the number of the cluster, in any order", async () => {
    work.write("places.csv", "income,hours\n20000,40\n40000,30\n60000,45\n");
    work.write("ordered.csv", "min,max\n,5000\n1000,\n3000,4000\n");
    work.write("numbered.csv", "max,cluster,min\n4000,2,3000\n5000,0,\n,1,1000\n");
    const asked = ["cluster", "people.csv", "--features", "income,hours", "--seats", "places.csv", "--json"];
    const sizes = await Promise.all(
      ["ordered.csv", "numbered.csv"].map(
        async (file) => JSON.parse((await work.run(...asked, "--capacity", file)).stdout).sizes,
      ),
    );
    expect(sizes[1]).toEqual(sizes[0]);
  });

  it("are said to have columns that nothing is done with", async () => {
    work.write("wide.csv", "income,hours,max,city\n20000,40,9000,a\n40000,30,9000,b\n");
    const asked = ["cluster", "people.csv", "--features", "income,hours", "--seats", "wide.csv", "--json"];
    const { stdout } = await work.run(...asked);
    expect(JSON.parse(stdout).warnings.join()).toMatch(
      /columns 'max', 'city' of \S*wide.csv are no feature, and not used: sizes are given with --capacity/,
    );
  });

  it("are refused where a coordinate is missing, whatever is done with people", async () => {
    work.write("gap.csv", "income,hours\n20000,40\n40000,\n");
    const asked = ["cluster", "people.csv", "--features", "income,hours", "--seats", "gap.csv", "--missing", "drop"];
    const { code, stderr } = await work.run(...asked);
    expect(stderr).toMatch(/column 'hours' has 1 missing value; a place needs a value in each column/);
    expect(code).toBe(2);
    work.write("gap.csv", "income\n20000\n40000\n");
    expect((await work.run(...asked)).stderr).toMatch(/the places have no column 'hours'/);
  });

  it("cost what rows in the order of people say where the matrix has no ids, and nothing else is guessed", async () => {
    const asked = ["cluster", "people.csv", "--id", "person", "--protect", "sex", "--json", "--cost"];
    const matrix = "SELECT person, age AS north, 90 - age AS south FROM 'people.csv'";
    const [named, ordered] = await Promise.all(
      [matrix, "SELECT age AS north, 90 - age AS south FROM 'people.csv'"].map((each) => work.run(...asked, each)),
    );
    expect(JSON.parse(ordered.stdout).sse).toBe(JSON.parse(named.stdout).sse);
    const refused = async (query: string) => (await work.run(...asked, query)).stderr;
    expect(await refused(`${matrix} UNION ALL SELECT person, 1, 2 FROM 'people.csv' WHERE age < 20`)).toMatch(
      /has ids more than once \(\d+ of its rows\): give one row for every id/,
    );
    expect(await refused("SELECT person, age AS sex, 90 - age AS south FROM 'people.csv'")).toMatch(
      /'sex' is a place of .* and a column of people that is used/,
    );
  });

  it("may cost what a matrix says", async () => {
    const matrix = "SELECT person, age AS north, 90 - age AS south, 40 AS middle FROM 'people.csv' ORDER BY hours";
    const asked = ["cluster", "people.csv", "--cost", matrix, "--id", "person", "--protect", "sex", "--json"];
    const { code, stdout } = await work.run(...asked, "--labels", "costs.csv");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ givenCosts: true, fair: true, k: 3 });
    const more = `${matrix.replace(" ORDER BY hours", "")} UNION ALL SELECT 'nobody', 1, 2, 3`;
    const some = await work.run(...asked.map((each) => (each === matrix ? more : each)));
    expect(JSON.parse(some.stdout)).toMatchObject({
      sse: JSON.parse(stdout).sse,
      warnings: expect.arrayContaining([expect.stringMatching(/has costs of 1 more, who are not among the people/)]),
    });
    const short = await work.run("cluster", "people.csv", "--cost", "SELECT 1 AS a, 2 AS b", "--protect", "sex");
    expect(short).toMatchObject({ code: 2, stderr: expect.stringMatching(/has 1 rows, and there are 12000 people/) });
    const both = await work.run("cluster", "people.csv", "--cost", matrix, "--k", "3", "--id", "person");
    expect(both).toMatchObject({ code: 2, stderr: expect.stringMatching(/--k does nothing where costs are given/) });
  });
});
