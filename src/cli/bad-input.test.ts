import { chmodSync, existsSync, symlinkSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { smallTable, Workplace } from "./testing/command.js";

const work = new Workplace();

beforeAll(() => {
  work.write("people.csv", smallTable());
  work.write("empty.csv", "");
  work.write("header.csv", "age,income\n");
  work.write("picture.csv", "\u0089PNG\r\n\u0000\u0000\u0000\u0001");
  work.write("broken.csv", "age,income\n1,2\n3,4,5\n");
  work.write("words.csv", "age,income\n30,100\nforty,200\n50,300\n");
  work.write("nan.csv", "age,income\n30,100\nNaN,200\n50,300\n");
  work.write("infinite.csv", "age,income\n30,100\ninf,200\n50,300\n");
  work.write("holes.csv", "age,income\n30,100\n,200\n50,300\n");
  work.write("constant.csv", "age,income,year\n30,100,2024\n40,200,2024\n50,300,2024\n20,50,2024\n");
  work.write("allsame.csv", "age\n1\n1\n1\n");
  work.write("onegroup.csv", "age,sex\n1,F\n2,F\n3,F\n");
  work.write("unique.csv", "age,email\n1,a\n2,b\n3,c\n4,d\n");
  work.write("reversed.json", '{"sex": {"F": {"min": 0.7, "max": 0.3}}}');
  work.write("toomuch.json", '{"sex": {"F": {"min": 0.7}, "M": {"min": 0.7}}}');
  work.write("shape.json", '{"sex": {"F": {"least": 0.7}}}');
  work.write("group.json", '{"sex": {"G": {"min": 0.1}}}');
  work.write("notjson.json", "sex: F");
});

/** What was asked, and what the one line has to say. */
const refused: [asked: string, says: RegExp][] = [
  ["cluster nobody.csv --k 2", /no such file: nobody\.csv/],
  ["cluster peeple.csv --k 2", /did you mean 'people\.csv'/],
  ["cluster . --k 2", /is a folder/],
  ["cluster empty.csv --k 2", /empty/],
  ["cluster header.csv --k 2", /header\.csv has no rows/],
  ["cluster picture.csv --k 2", /picture\.csv.*binary/],
  ["cluster broken.csv --k 2", /broken\.csv: row 3 has 3 cells/],
  ["cluster people.csv --k 2 --features agee", /unknown column 'agee'; did you mean 'age'\?/],
  ["cluster people.csv --k 2 --protect sx", /unknown column 'sx'; did you mean 'sex'\?/],
  ["cluster people.csv --k 2 --id persn", /unknown column 'persn'; did you mean 'person'\?/],
  ["cluster words.csv --k 2 --features age", /column 'age' is not numeric: 1 cell \(A3\) is not a number/],
  ["cluster nan.csv --k 2", /column 'age' has 1 missing value; use --missing drop/],
  ["cluster infinite.csv --k 2", /column 'age' has 1 cell with infinity/],
  ["cluster holes.csv --k 2", /column 'age' has 1 missing value; use --missing drop/],
  ["cluster constant.csv --k 2 --features year", /column 'year' has the same value for all people/],
  ["cluster allsame.csv --k 1", /no features are left/],
  ["cluster people.csv", /--k is missing: give the number of clusters, such as --k 4/],
  ["cluster people.csv --k 0", /--k is '0': give a whole number from 1/],
  ["cluster people.csv --k -3", /--k is '-3'/],
  ["cluster people.csv --k 2.5", /--k is '2\.5': give a whole number/],
  ["cluster people.csv --k two", /--k is 'two': give a whole number/],
  ["cluster people.csv --k 41", /n=40.*k=41/],
  ["cluster people.csv --k 2 --protect sex --delta 1", /--delta is '1': give a number of 0 or more and below 1/],
  ["cluster people.csv --k 2 --protect sex --delta -0.1", /--delta is '-0\.1'/],
  ["cluster people.csv --k 2 --tolerance -1", /--tolerance is '-1': give a number of 0 or more/],
  ["cluster people.csv --k 2 --block 0", /--block is '0': give a number above 0/],
  ["cluster people.csv --k 2 --starts 0", /--starts is '0': give a whole number of 1 or more/],
  ["cluster people.csv --k 2 --threads 0", /--threads is '0'/],
  ["cluster people.csv --k 2 --parties 0", /--parties is '0'/],
  ["cluster people.csv --k 2 --split rows --parties 41", /n=40 people should be >= parties=41/],
  ["cluster people.csv --k 2 --split people", /unknown value of --split 'people'/],
  [
    "cluster people.csv --k 2 --split rows --algorithm lloyd",
    /lloyd does not work on split rows: use f3km, fkm-plus, fkm, kfed or dp-fair/,
  ],
  [
    "cluster people.csv --k 2 --split columns --algorithm fkm",
    /fkm does not work on split columns: use f3km, teb, lloyd, /,
  ],
  ["cluster people.csv --k 2 --split-by sx", /unknown column 'sx'; did you mean 'sex'\?/],
  ["cluster people.csv --k 2 --split-by sex --parties 3", /--parties does nothing beside --split-by/],
  ["cluster people.csv --k 2 --split-by sex --split columns", /--split-by does nothing where columns are split/],
  ["cluster people.csv --k 2 --split-by person", /column 'person' names 40 parties; it looks like an id/],
  [
    "cluster people.csv --k 2 --split-by age --features age",
    /'age' is named both as the column to split by and among the features/,
  ],
  ["cluster people.csv --k 2 --min-count 5", /--min-count does nothing where columns are split/],
  ["cluster people.csv --k 2 --split rows --min-count 0", /--min-count is '0'/],
  ["cluster people.csv --k 2 --split rows --block 10", /--block does nothing where rows are split/],
  ["cluster people.csv --k 2 --split rows --bare-seeds", /--bare-seeds does nothing with fkm-plus: use fkm, /],
  ["cluster people.csv --k 2 --seed -1", /--seed is '-1': give a whole number of 0 or more/],
  ["cluster people.csv --k 2 --seed 1.5", /--seed is '1\.5'/],
  ["cluster people.csv --k 2 --max-iter 0", /--max-iter is '0'/],
  ["cluster people.csv --k 2 --features age,,income", /--features is 'age,,income': give names between commas/],
  [
    "cluster people.csv --k 2 --labels x.json",
    /labels file x\.json: give a name that ends in \.csv, \.csv\.gz or \.parquet/,
  ],
  ["cluster people.csv --k 2 --labels labels", /labels file labels: give a name that ends in/],
  ["predict people.csv --model model.json --labels x.xlsx", /labels file x\.xlsx: give a name that ends in/],
  ["generate people -o x.json", /output file x\.json: give a name that ends in/],
  ["cluster people.csv --k 2 --scale minmx", /'minmx'; did you mean 'minmax'\?/],
  ["cluster people.csv --k 2 --algorithm f3kn", /unknown algorithm 'f3kn'; did you mean 'f3km'\?/],
  ["cluster people.csv --k 2 --protct sex", /unknown option '--protct'; did you mean '--protect'\?/],
  ["cluster people.csv --k", /--k has no value/],
  [
    "cluster people.csv more.csv --k 2",
    /unexpected argument 'more\.csv': put a query, or a name with spaces, in quotes/,
  ],
  ["clster people.csv --k 2", /unknown command 'clster'; did you mean 'cluster'\?/],
  ["--nonsense", /unknown option '--nonsense'/],
  ["cluster onegroup.csv --k 2 --protect sex", /protected attribute 'sex' has 1 group/],
  ["cluster unique.csv --k 2 --protect email", /protected attribute 'email' has 4 groups among 4 people/],
  ["cluster people.csv --k 2 --protect sex --bounds reversed.json", /min 0\.7 is above max 0\.3/],
  ["cluster people.csv --k 2 --protect sex --bounds toomuch.json", /min shares of sex add up to 1\.4/],
  ["cluster people.csv --k 2 --protect sex --bounds shape.json", /shape\.json does not hold bounds at sex > F/],
  ["cluster people.csv --k 2 --protect sex --bounds group.json", /unknown group of sex 'G'/],
  ["cluster people.csv --k 2 --protect sex --bounds notjson.json", /notjson\.json is not JSON/],
  ["cluster people.csv --k 2 --protect sex --bounds none.json", /cannot read the bounds none\.json/],
  ["cluster people.csv --k 2 --labels same.csv --model same.csv", /two results cannot both be written to same\.csv/],
  ["cluster people.csv --k 2 --labels ./people.csv", /people\.csv is read, and may not be overwritten/],
  ["predict people.csv --model shape.json --labels shape.json", /shape\.json is read/],
  ["predict people.csv --model none.json --labels l.csv", /cannot read the model none\.json/],
  ["predict people.csv --model people.csv --labels l.csv", /people\.csv is not JSON/],
  ["predict people.csv --model shape.json --labels l.csv", /model/],
  ["evaluate people.csv", /--labels is missing: name the file of labels/],
  ["evaluate people.csv --labels none.csv", /no such file: none\.csv/],
  ["generate peple -o x.csv", /unknown kind of data 'peple'; did you mean 'people'\?/],
  ["generate people", /--output is missing: name the file to write/],
  ["generate people --n 0 -o x.csv", /--n is '0': give a whole number from 1/],
  ["generate people --d 3 -o x.csv", /--d is for blobs and not for people/],
];

describe("bad input ends with one line and exit code 2", () => {
  let before: string[];

  beforeAll(() => {
    before = work.files();
  });

  it.concurrent.each(refused)("%s", async (asked, says) => {
    const { code, stdout, stderr } = await work.run(...asked.split(" "));
    expect(stderr).toMatch(says);
    expect(stderr).toMatch(/^moiety: [^\n]+\n$/);
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });

  it("and writes nothing", () => {
    expect(work.files()).toEqual(before);
  });
});

describe("what cannot be written ends with one line and exit code 1", () => {
  const cluster = ["cluster", "people.csv", "--k", "2"];

  it.each(["--labels", "--model"])("%s in a folder that does not exist, before the run", async (option) => {
    const { code, stderr } = await work.run(...cluster, option, "nowhere/result");
    expect(stderr).toBe("moiety: cannot write nowhere/result: there is no folder nowhere\n");
    expect(code).toBe(1);
  });

  it("refuses a folder", async () => {
    const { code, stderr } = await work.run(...cluster, "--labels", ".");
    expect(stderr).toMatch(/^moiety: cannot write \.: it is a folder\n$/);
    expect(code).toBe(1);
  });

  // Everything may be written by root.
  it.skipIf(process.getuid?.() === 0)("refuses a file without permission", async () => {
    work.write("locked.csv", "");
    chmodSync(work.path("locked.csv"), 0o400);
    const { code, stderr } = await work.run(...cluster, "--labels", "locked.csv");
    expect(stderr).toMatch(/^moiety: cannot write locked\.csv: no permission\n$/);
    expect(code).toBe(1);
  });

  describe.skipIf(!existsSync("/dev/full"))("a full disk", () => {
    it.each(["--labels", "--model"])("at %s leaves nothing, not even the other result", async (option) => {
      symlinkSync("/dev/full", work.path(`full${option}`));
      const other = option === "--labels" ? "--model" : "--labels";
      const before = work.files();
      const { code, stdout, stderr } = await work.run(...cluster, option, `full${option}`, other, "other.csv");
      expect(stderr).toBe(`moiety: cannot write full${option}: disk full\n`);
      expect(stdout).toBe("");
      expect(code).toBe(1);
      expect(work.files()).toEqual(before);
    });
  });
});

it("drops a constant column with a warning", async () => {
  const { code, stdout, stderr } = await work.run("cluster", "constant.csv", "--k", "2", "--json");
  expect(stderr).toMatch(/^warning: column 'year' has the same value for all people: left out$/m);
  expect(JSON.parse(stdout)).toMatchObject({ d: 2, warnings: [expect.stringContaining("'year'")] });
  expect(code).toBe(0);
});

it("shows where an error came from only with --verbose", async () => {
  const asked = ["cluster", "nobody.csv", "--k", "2"];
  expect((await work.run(...asked)).stderr).not.toContain("    at ");
  expect((await work.run(...asked, "--verbose")).stderr).toContain("    at ");
});

// The other tests run commands in their own process.
it.each([
  "",
  "--help",
  "algorithms --json",
  "generate people --n 5 -o few.csv",
  "cluster people.csv --k 2 --labels nowhere/labels.csv",
  "cluster people.csv --k 0",
  "cluster broken.csv --k 2",
])("'moiety %s' as a process prints the same and exits with the same code", async (asked) => {
  const args = asked === "" ? [] : asked.split(" ");
  expect(await work.start(...args).done).toEqual(await work.run(...args));
});
