import { describe, expect, it } from "vitest";
import { openDuckdb } from "./duckdb.js";
import { readAll } from "./engine.js";

describe("DuckDB", () => {
  it("tells how far it is with a statement", async () => {
    const parts: number[] = [];
    const engine = await openDuckdb(":memory:", false, (done, of) => parts.push(done / of));
    try {
      await engine.run("SET threads = 1");
      await engine.run("CREATE TABLE numbers AS SELECT range AS x FROM range(3000000)");
      const { columns } = await readAll(engine, "SELECT count(*) FROM numbers WHERE md5(CAST(x AS VARCHAR)) < '8'", [
        "number",
      ]);
      expect((columns[0] as Float64Array)[0]).toBeGreaterThan(1_490_000);
    } finally {
      await engine.close();
    }
    expect(parts.some((part) => part > 0 && part < 1)).toBe(true);
    expect(parts.every((part) => part >= 0 && part <= 1)).toBe(true);
  });
});
