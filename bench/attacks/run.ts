import { randomBytes } from "node:crypto";
import { type DistanceName, distanceNames } from "../../src/table/distance.js";
import { Random } from "../../src/table/generators/random.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Goal, Line, Sheet } from "../types.js";
import { byDifferences, cellProtections, recordCells } from "./cells.js";
import { alignedIds, byDictionary, hashedIds, possibleIds } from "./ids.js";
import { byMargins, marginProtections } from "./margins.js";
import { byPlaces } from "./places.js";
import { byGroups, byLeastSquares, byProjection, byRotation, knownPeople } from "./reconstruction.js";
import { type Recording, recordRun } from "./recording.js";
import { byDivisor, byFactors, byLinks, byRatios, byRepeats } from "./rows.js";
import { byHeats, heatProtections } from "./tournaments.js";
import { type Protection, protections, type View, viewOf } from "./views.js";

/** Where it succeeds an attack gets nearly all; where it fails, next to nothing. */
const succeeds: Goal = { atLeast: 0.9 };
const fails: Goal = { atMost: 0.02 };

/** Runs that are attacked: passes of Lloyd, of a search for prices, of polishing large clusters, and some hundred people each. */
type Attacked = "lloyd" | "fair" | "polish" | "small";

/** People in large clusters: their weights are all the same. And clusters of some hundred people, whose weights differ. */
const large = { polished: { n: 30_000, k: 6 }, small: { n: 8000, k: 12 } } as const;
const quickly = { polished: { n: 12_000, k: 5 }, small: { n: 1500, k: 6 } } as const;

interface TableAttack {
  /** Which run is attacked. */
  readonly on: Attacked;
  readonly name: string;
  readonly measure: string;
  readonly run: (recording: Recording, view: View, rows: number) => number;
  readonly goals: Partial<Record<Protection, Goal>>;
  /** The same on Manhattan distances, which are not linear in people's data. */
  readonly manhattan: Partial<Record<Protection, Goal>>;
}

/** On the score tables of columns that are split over parties. */
const onTables: readonly TableAttack[] = [
  {
    on: "lloyd",
    name: "least squares, nobody known",
    measure: "distances right to 1%",
    run: byRotation,
    goals: { plain: succeeds, blinded: fails },
    manhattan: { blinded: fails },
  },
  {
    on: "lloyd",
    name: `least squares, ${knownPeople} known`,
    measure: "spread explained",
    run: byLeastSquares,
    goals: { plain: succeeds, masked: succeeds, blinded: fails },
    manhattan: { blinded: fails },
  },
  {
    on: "fair",
    name: `protected groups, ${knownPeople} known`,
    measure: "groups told beyond guessing",
    run: byGroups,
    // Of the rarest group hardly anybody is known.
    goals: { plain: { atLeast: 0.7 }, masked: { atLeast: 0.7 }, blinded: fails },
    manhattan: { blinded: fails },
  },
  {
    on: "lloyd",
    name: `projective factorisation, ${knownPeople} known`,
    measure: "spread explained",
    run: byProjection,
    goals: { plain: succeeds, masked: succeeds, scaled: succeeds, blinded: fails },
    manhattan: { blinded: fails },
  },
  {
    on: "lloyd",
    name: "greatest common divisor",
    measure: "rows opened",
    run: byDivisor,
    goals: { scaled: { atLeast: 0.6 }, blinded: fails },
    manhattan: { blinded: fails },
  },
  {
    on: "lloyd",
    name: "all factors tried",
    measure: "rows opened",
    run: byFactors,
    goals: { scaled: { atLeast: 0.6 }, blinded: fails },
    manhattan: { blinded: fails },
  },
  {
    on: "polish",
    name: "all factors tried, polishing",
    measure: "rows opened",
    run: byFactors,
    goals: { scaled: { atLeast: 0.6 }, blinded: fails },
    manhattan: { blinded: fails },
  },
  {
    on: "small",
    name: "all factors tried, polishing small clusters",
    measure: "rows opened",
    run: byFactors,
    goals: { scaled: { atLeast: 0.6 }, blinded: fails },
    manhattan: { blinded: fails },
  },
  {
    on: "lloyd",
    name: "rows linked across exchanges",
    measure: "people recognised in the next one",
    run: byLinks,
    goals: {},
    manhattan: {},
  },
  {
    on: "fair",
    name: "rows linked across trial prices",
    measure: "people recognised in the next one",
    run: byLinks,
    goals: {},
    manhattan: {},
  },
  {
    on: "lloyd",
    name: "ratios that repeat",
    measure: "people put together with others",
    run: byRepeats,
    goals: { blinded: fails },
    manhattan: {},
  },
  {
    on: "lloyd",
    name: `sorted ratios, ${knownPeople} known and placed`,
    measure: "spread explained, mean",
    run: (recording, view) => meanOf(byRatios(recording, view)),
    goals: {},
    manhattan: {},
  },
  {
    on: "lloyd",
    name: `sorted ratios, ${knownPeople} known and placed`,
    measure: "spread explained, worst column",
    run: (recording, view) => Math.max(...byRatios(recording, view)),
    // The most that any column of an earlier trial gave away.
    goals: { blinded: { atMost: 0.71 } },
    manhattan: {},
  },
];

/** Blinded: more than any earlier trial gave away. */
const heatGoals = {
  mean: { plain: succeeds, blinded: { atMost: 0.15 } },
  worst: { plain: succeeds, blinded: { atMost: 0.35 } },
} as const;

/**
 * Given places in so many columns: with one more place than columns, which a blinded card may have at most, a row has fewer ratios
 * than a person has values; with three more, more. Two more are refused too: orders of the places still blur there what comes out.
 */
const placed = [
  // Two values are near enough by chance now and then: nothing of the spread is explained.
  { columns: 2, places: 3, goals: { mean: { atMost: 0.1 }, opened: { atMost: 0.06 } } },
  { columns: 4, places: 5, goals: { mean: { atMost: 0.1 }, opened: fails } },
  { columns: 2, places: 5, goals: { mean: succeeds, opened: { atLeast: 0.6 } } },
  { columns: 4, places: 7, goals: { mean: { atLeast: 0.7 }, opened: { atLeast: 0.6 } } },
] as const;

/** What each attack gets out of each protection, from 0 (nothing) to 1 (everything). */
export async function attacks(bench: Bench): Promise<Sheet[]> {
  const { quick, seeds, n = quick ? 300 : 2000 } = bench.options;
  const k = 6;
  const { polished, small } = quick ? quickly : large;
  const onEach = new Map<string, number[]>();
  const rowSeeds = seedsOf(seeds);
  const cells = new Map<string, number[]>(cellProtections.map((protection) => [protection, []]));
  const margins = new Map<string, number[]>(marginProtections.map((protection) => [protection, []]));
  const heats = new Map<string, number[]>();
  const atPlaces = new Map<string, number[]>();
  const dictionary = new Map<string, number[]>([
    ["hashed", []],
    ["aligned", []],
  ]);
  for (const seed of rowSeeds) {
    bench.say(`seed ${seed} of ${seeds}: score tables`);
    const recordingsOf = async (distance: DistanceName) => {
      const run = { n, k, passes: 4, seed, distance };
      return {
        lloyd: await recordRun(run, "lloyd"),
        fair: await recordRun(run, "fair"),
        polish: await recordRun({ ...run, ...polished }, "polish"),
        small: await recordRun({ ...run, ...small }, "polish"),
      };
    };
    const all = { euclidean: await recordingsOf("euclidean"), manhattan: await recordingsOf("manhattan") };
    const recordings = all.euclidean;
    for (const distance of distanceNames) {
      for (const protection of protections) {
        const viewed = (on: Attacked) => viewOf(all[distance][on], protection, randomBytes, seed);
        const views = {
          lloyd: viewed("lloyd"),
          fair: viewed("fair"),
          polish: viewed("polish"),
          small: viewed("small"),
        };
        for (const [at, attack] of onTables.entries()) {
          const got = attack.run(all[distance][attack.on], views[attack.on], quick ? 1 : 8);
          push(onEach, `${distance} ${at} ${protection}`, got);
        }
        bench.signal.throwIfAborted();
      }
    }
    bench.say(`seed ${seed} of ${seeds}: given places`);
    for (const [at, { columns, places }] of placed.entries()) {
      const run = { n, k: places, passes: 1, seed, distance: "euclidean", held: columns } as const;
      const recording = await recordRun(run, "places");
      const got = byPlaces(recording, viewOf(recording, "blinded", randomBytes, seed), quick ? 10 : 60);
      push(atPlaces, `${at} mean`, Math.max(0, meanOf(got.explained)));
      push(atPlaces, `${at} opened`, got.opened);
      bench.signal.throwIfAborted();
    }
    bench.say(`seed ${seed} of ${seeds}: tournaments`);
    for (const protection of heatProtections) {
      const shares = await byHeats(recordings.lloyd, protection, randomBytes);
      push(heats, `mean ${protection}`, meanOf(shares));
      push(heats, `worst ${protection}`, Math.max(...shares));
    }
    bench.say(`seed ${seed} of ${seeds}: sums of rows`);
    for (const protection of cellProtections) {
      const cellRun = { k, rounds: 30, protection };
      push(cells, protection, byDifferences(await recordCells(recordings.lloyd.columns, cellRun, new Random(seed, 3))));
    }
    for (const protection of marginProtections) {
      push(margins, protection, await byMargins({ n, k, seed }, protection));
    }
    bench.say(`seed ${seed} of ${seeds}: ids`);
    const possible = possibleIds(quick ? 400 : 4000);
    const sets = [0, 1, 2].map((party) => possible.filter((_, at) => (at * 7 + party) % 10 < 4));
    push(dictionary, "hashed", byDictionary(possible, hashedIds(sets[0]), sets[0], randomBytes));
    push(dictionary, "aligned", byDictionary(possible, await alignedIds(sets, randomBytes), sets[0], randomBytes));
    bench.signal.throwIfAborted();
  }
  const linesOf = (distance: DistanceName) =>
    onTables.map(({ name, measure, goals, manhattan }, at): Line => {
      const aims = distance === "manhattan" ? manhattan : goals;
      const figures = protections.map((protection) => {
        return [protection, figure(onEach.get(`${distance} ${at} ${protection}`)!, "", withGoal(aims[protection]))];
      });
      return { at: { attack: name, gets: measure }, figures: Object.fromEntries(figures) };
    });
  return [
    {
      title: `Score tables of 2 parties with 3 columns each, ${n} people, k ${k}, 4 passes`,
      lines: linesOf("euclidean"),
      notes: [
        "Blinded is the default of jobs over columns. When attackers are told where the known people stand, ratios within rows leak: see docs/explanation/messages.md.",
        `Polishing: ${polished.n} people in ${polished.k} clusters, and ${small.n} in ${small.k}, whose weights of distances differ.`,
      ],
    },
    {
      title: `The same with Manhattan distances`,
      lines: linesOf("manhattan"),
      notes: [
        "Differences of Manhattan distances are the same for all who are beyond two centres on the same side: rows of different people repeat, which blinding does not hide.",
      ],
    },
    {
      title: `Given places that the coordinator knows, ${n} people, blinded rows of one pass, all orders of the places tried`,
      lines: placed.map(({ columns, places, goals }, at) => ({
        at: { columns, places, "on a blinded card": places > columns + 1 ? "refused" : "allowed" },
        figures: {
          "spread explained, mean": figure(atPlaces.get(`${at} mean`)!, "", withGoal(goals.mean)),
          "people whose values come out": figure(atPlaces.get(`${at} opened`)!, "", withGoal(goals.opened)),
        },
      })),
      notes: ["The attacker also knows how columns are scaled. Whose row it is stays hidden in either case."],
    },
    {
      title: `First heats of the tournament of everybody's moves, ${n} people, k ${k}`,
      lines: (["mean", "worst"] as const).map((which) => ({
        at: {
          attack: `places in rows, ${knownPeople} known and seated`,
          gets: `spread explained, ${which === "mean" ? "mean" : "worst column"}`,
        },
        figures: Object.fromEntries(
          heatProtections.map((protection) => [
            protection,
            figure(heats.get(`${which} ${protection}`)!, "", withGoal(heatGoals[which][protection])),
          ]),
        ),
      })),
      notes: [
        "Plain is what the first party would say of its own columns. Jobs send heats blinded and in no other way; here too the attacker is told where the known people are.",
      ],
    },
    {
      title: `Sums of clusters while the rows of 3 parties are clustered, ${n} people, 30 rounds`,
      lines: [
        {
          at: { attack: "differencing", gets: "people whose whole record comes out" },
          figures: figuresOf(cells, "held back"),
        },
      ],
      notes: ["Held back is the default: a cell's sums wait until 5 people came or went."],
    },
    {
      title: `How near people are to other clusters while the rows of 3 parties are clustered fairly, ${n} people`,
      lines: [
        {
          at: {
            attack: "margins of people alone in their combination of groups",
            gets: "people of whom half comes out",
          },
          figures: {
            "of all": figure(margins.get("of all")!, "", { goal: succeeds }),
            "held back": figure(margins.get("held back")!, "", { goal: { atMost: 0.15 } }),
          },
        },
      ],
      notes: [
        "Held back is the default: nothing of the kind is asked of combinations that fewer than 5 people have. Among some hundred people one of them has to be moved by itself now and then, and thresholds that single it out are asked about.",
      ],
    },
    {
      title: "Ids of 3 parties",
      lines: [
        {
          at: { attack: "dictionary of all ids", gets: "a party's ids found" },
          figures: figuresOf(dictionary, "aligned"),
        },
      ],
      notes: ["Aligned is what moiety does; hashed is what is often done instead."],
    },
  ];
}

function figuresOf(values: ReadonlyMap<string, readonly number[]>, safe: string): Line["figures"] {
  return Object.fromEntries(
    [...values].map(([name, list]) => [
      name,
      figure(list, "", withGoal(name === safe ? { atMost: 0 } : { atLeast: 0.001 })),
    ]),
  );
}

function withGoal(goal: Goal | undefined): { goal?: Goal } {
  return goal ? { goal } : {};
}

function push(into: Map<string, number[]>, name: string, value: number): void {
  into.set(name, [...(into.get(name) ?? []), value]);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
