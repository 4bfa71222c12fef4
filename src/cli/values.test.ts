import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { list, protectList } from "./values.js";

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

  it("gives back any names that were quoted, with their blanks", () => {
    const name = fc.string({ minLength: 1 });
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

describe("protected attributes", () => {
  it.each<[string, string[]]>([
    ["sex,race", ["sex", "race"]],
    ["sex,age:25,40,65,race", ["sex", "age:25,40,65", "race"]],
    ["age:25,40,65", ["age:25,40,65"]],
    ["age:25, 40 ,65 , race", ["age:25,40,65", "race"]],
    ["age:-1.5,.5,1e3,race", ["age:-1.5,.5,1e3", "race"]],
    ["sex*age:25,40*race,town", ["sex*age:25,40*race", "town"]],
    ["age:25,40,income:10,20", ["age:25,40", "income:10,20"]],
    ["age:quartiles,40", ["age:quartiles", "40"]],
    ["born:1960-01-01,1980-01-01,sex", ["born:1960-01-01,1980-01-01", "sex"]],
    ['age:25,"40"', ["age:25", "40"]],
    ["sex,40", ["sex", "40"]],
    ['"last, first",sex*"a,b"', ["last, first", "sex*a,b"]],
    ["age:25,2nd", ["age:25", "2nd"]],
  ])("%s", (text, specs) => {
    expect(protectList(text)).toEqual(specs);
  });

  it("an option that is given twice adds to the list, and goes on with no cut", () => {
    expect(protectList("40", protectList("age:25"))).toEqual(["age:25", "40"]);
  });
});
