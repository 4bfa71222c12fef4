import { describe, expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const place = new Workplace();
place.write("bank.csv", 'person,x\nö,1\nb,2\na,3\n"c,d",4\nb,5\n');
place.write("clinic.csv", 'y,person\n1,"c,d"\n2,a\n3,ö\n4,z\n');
place.write("gap.csv", "person,x\na,1\n,2\n");

describe("moiety align", () => {
  it("writes the common ids in the order of their bytes, and prints counts only", async () => {
    const options = ["--id", "person", "-o", "common.csv", "--json"];
    const { code, stdout, stderr } = await place.run("align", "bank.csv", "clinic.csv", ...options);
    expect(code).toBe(0);
    expect(place.read("common.csv")).toBe('person\na\n"c,d"\nö\n');
    const { common, sources } = JSON.parse(stdout);
    expect(common).toBe(3);
    expect(sources.map(({ ids, duplicates }: { ids: number; duplicates: number }) => [ids, duplicates])).toEqual([
      [4, 1],
      [4, 0],
    ]);
    expect(stderr).toMatch(/1 rows repeat an id/);
    expect(stdout + stderr).not.toMatch(/c,d|ö/);
  });

  it.each([
    [["bank.csv"], /1 source cannot be aligned/],
    [["bank.csv", "gap.csv"], /1 rows have no person/],
    [["bank.csv", "nowhere.csv"], /nowhere\.csv/],
  ])("refuses %j with one line, and writes nothing", async (names, line) => {
    const { code, stderr } = await place.run("align", ...names, "--id", "person", "-o", "none.csv");
    expect(code).toBe(2);
    expect(stderr.trim()).toMatch(line);
    expect(stderr.trim().split("\n").length).toBe(1);
    expect(place.files()).not.toContain("none.csv");
  });
});
