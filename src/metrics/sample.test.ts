import { describe, expect, it } from "vitest";
import { sampleRows } from "./sample.js";

describe("sampleRows", () => {
  it("gives as many distinct rows as wanted, in order, and the same ones for the same seed", () => {
    const rows = sampleRows(1000, 300, 5);
    expect(rows.length).toBe(300);
    for (let at = 1; at < rows.length; at++) expect(rows[at]).toBeGreaterThan(rows[at - 1]);
    expect(rows[299]).toBeLessThan(1000);
    expect(sampleRows(1000, 300, 5)).toEqual(rows);
    expect(sampleRows(1000, 300, 6)).not.toEqual(rows);
    expect(Array.from(sampleRows(4, 4, 1))).toEqual([0, 1, 2, 3]);
  });

  it("chooses every person equally often", () => {
    const people = 20;
    const times = new Array<number>(people).fill(0);
    for (let seed = 0; seed < 10_000; seed++) for (const row of sampleRows(people, 5, seed)) times[row]++;
    // 2500 each with a standard deviation of 43: six of them on either side.
    for (const count of times) expect(Math.abs(count - 2500)).toBeLessThan(260);
  });
});
