import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { list } from "./values.js";

const features = list("--features");

describe("a list of names", () => {
  it("is separated by commas, and grows where the option is repeated", () => {
    expect(features("age, income")).toEqual(["age", "income"]);
    expect(features("job", ["age"])).toEqual(["age", "job"]);
  });

  it("takes names in quotes, as CSV does", () => {
    expect(features('"income, yearly",age')).toEqual(["income, yearly", "age"]);
    expect(features('age, "a ""b"", c" , d')).toEqual(["age", 'a "b", c', "d"]);
    expect(features('"a,b"*"c,d",e')).toEqual(["a,b*c,d", "e"]);
    // Not at the beginning of a name a quote is one of its characters.
    expect(features('height 5",b')).toEqual(['height 5"', "b"]);
  });

  it("gives back any names that were quoted", () => {
    const name = fc.string({ minLength: 1 }).filter((text) => text.trim() === text);
    fc.assert(
      fc.property(fc.array(name, { minLength: 1 }), (names) => {
        const written = names.map((each) => `"${each.replaceAll('"', '""')}"`).join(",");
        expect(features(written)).toEqual(names);
      }),
    );
  });

  it.each(["", "a,,b", "a,", '"a', 'a,"b,c', '""'])("'%s' is refused", (text) => {
    expect(() => features(text)).toThrow(/^--features is '/);
  });
});
