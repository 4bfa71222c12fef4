import { expect, test } from "vitest";
import { dataFile, describeData } from "../testing/data.js";
import { readTable } from "./disk/read.js";
import { preparePeople } from "./people.js";
import { cellsOf } from "./testing/fixtures.js";

describeData("the papers' public data", () => {
  test("adult is read whole", async () => {
    const { rows, columns } = await readTable(dataFile("adult.csv.gz"), { columns: ["age", "sex", "race"] });
    expect(rows).toBe(32_561);
    expect(columns[1].kind === "text" && columns[1].levels).toEqual(["Female", "Male"]);
    expect(cellsOf(columns[1]).filter((cell) => cell === "Male").length).toBe(21_790);
    expect(columns[2].kind === "text" && columns[2].levels.length).toBe(5);
  });

  test("groups of bank, adult and census have their known sizes", async () => {
    const sizes = async (file: string, features: string[], protect: string) => {
      const { attributes } = preparePeople(await readTable(dataFile(file)), { features, protect: [protect] });
      const { groups, codes } = attributes[0];
      return Object.fromEntries(groups.map((group, g) => [group, codes.filter((code) => code === g).length]));
    };
    const bank = await sizes("bank.csv.gz", ["age", "balance", "duration"], "marital");
    expect(bank).toEqual({ married: 2797, single: 1196, divorced: 528 });
    expect(await sizes("census1990_sample.csv.gz", ["iClass", "dHour89"], "iSex")).toEqual({ 0: 7435, 1: 7882 });
    const adult = await sizes("adult.csv.gz", ["age", "education-num"], "sex*race");
    expect(Object.keys(adult)).toHaveLength(10);
    expect(adult["Female & White"] + adult["Male & White"]).toBe(27_816);
  });
});
