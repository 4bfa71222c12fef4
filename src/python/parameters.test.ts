import { expect, it } from "vitest";
import { asOptions, asParameters, parameterOf, withParameters } from "./parameters.js";

it("parameters become options, those that are None left out", () => {
  expect(asOptions({ n_clusters: 4, random_state: 1, max_size: null, min_size: 2, n_init: 3, max_iter: 9 })).toEqual({
    ...{ k: 4, seed: 1, minSize: 2, starts: 3, maxIterations: 9 },
  });
});

it("every option has one name in Python, and it leads back", () => {
  for (const option of ["k", "seed", "maxIterations", "minSize", "effort", "maxRounds"]) {
    expect(Object.keys(asOptions({ [parameterOf(option)]: 1 }))).toEqual([option]);
  }
});

it("messages name parameters", () => {
  expect(asParameters("`minSize` is above `maxSize: 4`: use `rule: gbco`")).toBe(
    '`min_size` is above `max_size=4`: use `rule="gbco"`',
  );
  expect(asParameters("3 values are missing: use `missing: drop`, or leave the column out")).toBe(
    "3 values are missing: leave those rows out, or leave the column out",
  );
  expect(asParameters("k is 0: give a whole number")).toBe("n_clusters is 0: give a whole number");
  expect(asParameters("'k' cannot be k=9 of 5 people in k-means: use a smaller k, or --k 5")).toBe(
    "'k' cannot be n_clusters=9 of 5 people in k-means: use a smaller n_clusters, or n_clusters 5",
  );
  expect(asParameters("delta is 2: it is a share")).toBe("delta is 2: it is a share");
  expect(asParameters("unknown minSize 'foo' (there are: meaningful)")).toBe(
    "unknown min_size 'foo' (there are: meaningful)",
  );
});

it("texts of results name parameters, and leave groups as they are", () => {
  expect(
    withParameters("In clusters of 15 people the bounds mean something: --min-size meaningful asks for that."),
  ).toBe('In clusters of 15 people the bounds mean something: min_size="meaningful" asks for that.');
  expect(withParameters("Every cluster has 9 people (--min-size 2 allows smaller ones).")).toBe(
    "Every cluster has 9 people (min_size=2 allows smaller ones).",
  );
  expect(withParameters("Not settled: give more `maxRounds`. Group k.")).toBe(
    "Not settled: give more `max_rounds`. Group k.",
  );
  expect(withParameters("8 of 30 clusters; --json and --report have all of them")).toBe(
    "8 of 30 clusters; the fields of this result have all of them",
  );
});
