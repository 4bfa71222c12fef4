import { describe, expect, it } from "vitest";
import { isEngineAddress, nameParts, parseEngineAddress, repeatedAddress, withoutPasswords } from "./address.js";

describe("addresses of engines", () => {
  it("are told from files and queries", () => {
    for (const source of [
      "warehouse.duckdb?table=people",
      "folder/w.DUCKDB",
      ":memory:?query=SELECT 1",
      "postgres://host/db?table=t",
      "postgresql://u:p@h/d",
      "sc://h:15002/;use_ssl=true?table=t",
    ]) {
      expect(isEngineAddress(source), source).toBe(true);
    }
    for (const source of ["people.csv", "SELECT * FROM 'w.duckdb?table=x'", "-", "people.parquet", "http://x/y.csv"]) {
      expect(isEngineAddress(source), source).toBe(false);
    }
  });

  it("are taken apart", () => {
    expect(parseEngineAddress("w.duckdb?table=main.people")).toEqual({
      kind: "duckdb",
      location: "w.duckdb",
      people: { table: "main.people" },
      shown: "w.duckdb?table=main.people",
    });
    expect(parseEngineAddress(":memory:?query=SELECT a+1 AS b FROM 'x.parquet';")).toMatchObject({
      people: { query: "SELECT a+1 AS b FROM 'x.parquet'" },
    });
    expect(parseEngineAddress("postgres://u@h:5433/db?sslmode=require&table=people").location).toBe(
      "postgres://u@h:5433/db?sslmode=require",
    );
    expect(parseEngineAddress("sc://h/;token=abc?table=t")).toMatchObject({
      kind: "spark",
      location: "sc://h/;token=abc",
    });
  });

  it("are shown without passwords and tokens", () => {
    const shown = (source: string) => parseEngineAddress(source).shown;
    expect(shown("postgres://u:hunter2@h/d?table=t")).toBe("postgres://u:…@h/d?table=t");
    expect(shown("postgres://u@h/d?password=hunter2&table=t")).toBe("postgres://u@h/d?password=…&table=t");
    expect(shown("sc://h:1/;use_ssl=true;token=hunter2;x=1?table=t")).toBe(
      "sc://h:1/;use_ssl=true;token=…;x=…?table=t",
    );
    expect(shown("sc://h/;x-api-key=hunter2;x-databricks-cluster-id=12-3?table=t")).toBe(
      "sc://h/;x-api-key=…;x-databricks-cluster-id=12-3?table=t",
    );
    for (const password of [
      "hun@ter2",
      "hun'ter2",
      'hun"ter2',
      "hun:ter2",
      "hun ter2",
      "hun/ter2",
      "hun?ter2",
      "@",
      "hun&ter2",
    ]) {
      expect(withoutPasswords(`postgres://o'dd:${password}@h/d?query=SELECT '@' AS at`)).toBe(
        "postgres://o'dd:…@h/d?query=SELECT '@' AS at",
      );
    }
    expect(shown("postgres://h/d?table=t&password=hunter2&sslpassword=hunter2")).toBe(
      "postgres://h/d?table=t&password=…&sslpassword=…",
    );
  });

  it("open the engine again without their secrets, which the environment has", () => {
    const again = (address: string) => repeatedAddress(address);
    expect(again("people.duckdb?table=people")).toBe("people.duckdb?table=people");
    expect(again("postgres://u:hunter2@h/d?table=t")).toBe("postgres://u@h/d?table=t");
    expect(again("postgres://u@h/d?sslmode=require&password=hunter2&table=t")).toBe(
      "postgres://u@h/d?sslmode=require&table=t",
    );
    expect(again("postgres://u@h/d?table=t&password=hunter2")).toBe("postgres://u@h/d?table=t");
    expect(again("sc://h:1/;use_ssl=true;token=hunter2?table=t")).toBe("sc://h:1/;use_ssl=true?table=t");
  });

  it("that name no table, two things or an unknown option are refused without their secrets", () => {
    const refusal = (source: string) => {
      try {
        parseEngineAddress(source);
      } catch (error) {
        return (error as Error).message;
      }
      return "accepted";
    };
    expect(refusal("postgres://u:hun?ter2@h/d?table=t")).not.toMatch(/hun|ter2/);
    expect(refusal("postgres://u:hunter2@h/d")).toBe("which table? Write postgres://u:…@h/d?table=name");
    expect(refusal("w.duckdb?table=a&query=SELECT 1")).toBe("w.duckdb?table=name: give a table or a query, not both");
    expect(refusal("w.duckdb?tabel=a&table=b")).toContain("unknown option 'tabel'");
  });

  it("have names of several parts, in quotes where a part has a dot", () => {
    expect(nameParts('main."my.table"."say ""x"""')).toEqual(["main", "my.table", 'say "x"']);
  });
});
