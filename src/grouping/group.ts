import { sizesIn } from "../constraints/bounds.js";
import { MoietyError } from "../errors.js";
import { judge, measureFairness } from "../metrics/index.js";
import { originOf } from "../table/origin.js";
import type { People } from "../table/types.js";
import { version } from "../version.js";
import { betweenTeams, measureAlike, randomPart } from "./alike.js";
import { Board } from "./board.js";
import { mixedOf } from "./mixed.js";
import { requestOf } from "./request.js";
import { TeamSearch } from "./search.js";
import { startTeams } from "./start.js";
import type { TeamOptions, Teams } from "./types.js";

/**
 * Divides people into teams that are alike to each other: the means of every column, and its spread inside the teams, are as near to
 * everybody's as exchanges of people find them, while groups have their shares and links are kept.
 */
export async function group(people: People, options: TeamOptions): Promise<Teams> {
  const clock = options.clock ?? (() => 0);
  const begun = clock();
  const { attributes, n } = people;
  if (options.signal?.aborted) throw new MoietyError("cancelled", "stopped before the end; nothing was written");
  const { alike = "spread", seed = 1 } = options;
  const request = requestOf(people, options);
  const { k, sizes: limits, bounds, tolerance, atoms } = request;
  const mixed = mixedOf(people, alike === "spread");
  const board = new Board(request, attributes, mixed);
  const kept = await startTeams(board, request, attributes, mixed, options);
  const total = mixed.deviations.reduce((sum, deviation) => sum + n * deviation ** 2, 0);
  const randomObjective = total * randomPart(n, k);
  const { exchanges, tried, converged } = await new TeamSearch(board, options, randomObjective).run();
  const labels = new Uint16Array(n);
  for (let a = 0; a < atoms.count; a++) {
    for (let at = atoms.starts[a]; at < atoms.starts[a + 1]; at++) labels[atoms.people[at]] = board.team[a];
  }
  const measures = measureFairness({ people, labels, k, bounds, tolerance });
  const { sizes } = measures;
  const sizesKept = sizes.every((size, t) => size >= sizesIn(limits, t).min && size <= sizesIn(limits, t).max);
  const fair = measures.fair === null ? null : measures.fair && sizesKept;
  const { together, apart } = atoms.linked;
  const linked = people.together !== undefined || people.apart !== undefined;
  const seconds = (clock() - begun) / 1000;
  return {
    labels,
    result: {
      version,
      seed,
      n,
      d: people.dimensionNames.length,
      k,
      ...originOf(people),
      alike,
      objective: betweenTeams(mixed, labels, sizes).reduce((sum, each) => sum + each, 0),
      randomObjective,
      dimensions: measureAlike(people, mixed, labels, sizes),
      randomSpread: Math.sqrt(randomPart(n, k)),
      minSize: limits.min,
      maxSize: limits.max,
      sizesKept,
      links: linked ? { together, apart } : null,
      exchanges,
      tried,
      converged,
      ...measures,
      fair,
      ...judge({ ...measures, fair }),
      seconds: { read: 0, solve: seconds, total: seconds },
      warnings: [...people.warnings, ...(kept ? [] : [notKept])],
    },
  };
}

const notKept =
  "no teams were found that keep every bound, and it could not be shown that there are none: use a larger tolerance or wider bounds";
