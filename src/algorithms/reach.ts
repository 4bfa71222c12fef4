/** Where people may be beside the memory of one machine: in the words of a refusal, and of lists of places. */
export const places = {
  columns: { refused: "is not for columns split over parties", title: "columns split" },
  rows: { refused: "is not for rows split over parties", title: "rows split" },
  scanned: { refused: "needs everybody in memory", title: "streams and engines" },
  jobColumns: { refused: "is not for columns split over sites", title: "federation, columns split" },
  jobRows: { refused: "is not for rows split over sites", title: "federation, rows split" },
} as const;

export type Whereabouts = keyof typeof places;

interface Reach {
  /** As the library calls it; the command line makes a flag of it. */
  readonly asked: string;
  /** Where it does not work, and why. It works everywhere else, and always in the memory of one machine. */
  readonly not: Partial<Record<Whereabouts, string>>;
}

const oneByOne = "each party decides about its own people one by one";
const inOnePlace = "a model is joined in one place, by whoever has its file";
const noModel = "a job of clusters writes no model";
const ownersGroups = "weights of groups would take the groups away from whoever holds them";
const allPairs = "every person's neighbours are found among all people";
const exchanges = "exchanges compare everybody with everybody";
const shownCentres =
  "centres of an earlier run, which people's data have led to, would be on the card for every site and the coordinator to see";
const inOneProcess = "where one process has all columns, cells are made of whole rows";
const onPeople = "private clusters are made of people in memory, by sums with noise";
const alone = { columns: inOnePlace, rows: inOnePlace, jobColumns: noModel, jobRows: noModel };

/** Everywhere but in memory, for the same reason. */
function oneMachine(why: string): Reach["not"] {
  return { columns: why, rows: why, scanned: why, jobColumns: why, jobRows: why };
}

/**
 * Where each request works: refusals, help and docs/reference/where-it-works.md read this list, and `src/cli/reach.test.ts` tries
 * its cells.
 */
export const reach = {
  assign: { asked: "moiety assign", not: alone },
  togetherWith: { asked: "moiety assign `togetherWith`", not: alone },
  online: {
    asked: "moiety assign `online`",
    not: { ...alone, scanned: "it places people in the order of their rows, which scans do not keep" },
  },
  predict: { asked: "moiety predict `protect`", not: alone },
  update: {
    asked: "moiety update `forget`",
    not: { ...alone, scanned: "it moves centres in rounds that look at all newcomers" },
  },
  init: {
    asked: "`init: model.json`",
    not: { jobColumns: shownCentres, jobRows: shownCentres },
  },
  weights: {
    asked: "`weights`",
    not: {
      jobRows:
        "minCount hides people among others who count as much, and in weight a sum of many may be one heavy person's",
    },
  },
  together: {
    asked: "`together`",
    not: {
      rows: oneByOne,
      scanned: "a scan decides about each row by itself, not about all who share a value",
      jobRows: oneByOne,
    },
  },
  apart: {
    asked: "`apart`",
    not: {
      rows: oneByOne,
      scanned: "a scan decides about each row by itself, not about all who share a value",
      jobColumns: "each set of people who are kept apart is decided by all their distances in one place",
      jobRows: "each set of people who are kept apart is decided by all their distances in one place",
    },
  },
  capacity: { asked: "`capacity`", not: {} },
  seats: { asked: "`seats`", not: {} },
  cost: {
    asked: "`cost`",
    not: {
      scanned: "each person has a row of costs of their own",
      jobColumns: "costs are a row for every person, in one place",
      jobRows: "costs are a row for every person, in one place",
    },
  },
  group: { asked: "moiety group", not: oneMachine(exchanges) },
  lottery: { asked: "moiety group `lottery`", not: oneMachine("everybody's chance is weighed against everybody's") },
  manhattan: {
    asked: "`distance: manhattan`",
    not: {
      rows: "medians are no sums over parties",
      scanned: "medians are no sums that a scan adds up",
      jobRows: "medians are no sums, and only sums leave a site",
    },
  },
  gbco: {
    asked: "`rule: gbco`",
    not: {
      rows: "does not work on split rows",
      scanned: "people who are only scanned are clustered by prices in one process",
      jobColumns:
        "it decides about eight people at a time, at the sizes that the eight before them left: one exchange after the other for every eight, each over everybody's rows or a thousand",
      jobRows: "it works on columns alone",
    },
  },
  categoryWeight: { asked: "`categoryWeight`", not: {} },
  social: {
    asked: "`notion: social`",
    not: {
      ...{ columns: ownersGroups, rows: ownersGroups, jobColumns: ownersGroups, jobRows: ownersGroups },
      scanned: "scans add up everybody's squares, not those of each group",
    },
  },
  representation: {
    asked: "`notion: representation`",
    not: {
      jobColumns:
        "which clusters hold a group depends on how far all centres are apart, and on combinations of groups, which no site may see",
    },
  },
  individual: { asked: "`notion: individual`", not: oneMachine(allPairs) },
  privateAttribute: {
    asked: "`private: attribute`",
    not: { columns: inOneProcess, scanned: onPeople },
  },
  privateAll: {
    asked: "`private: all`",
    not: { scanned: onPeople },
  },
  gap: {
    asked: "`gap` of the result",
    not: {
      rows: "the bound needs everybody's distances at the final prices, which parties do not tell",
      jobColumns: "the bound is a sum of least costs at prices that stay with their owners",
      jobRows: "the bound needs everybody's distances at the final prices, which sites do not tell",
    },
  },
} as const satisfies Readonly<Record<string, Reach>>;

export type Requested = keyof typeof reach;

/** Why a request does not work there; undefined where it does. */
export function whyNot(request: Requested, place: Whereabouts): string | undefined {
  return (reach[request] as Reach).not[place];
}

/** The same as a sentence without its end: what to do instead. */
export function refusal(request: Requested, place: Whereabouts, asked: string = reach[request].asked): string {
  return `${asked} ${places[place].refused}, since ${whyNot(request, place)}`;
}

/** For the help of a command, which knows no sites: where the request does not work. */
export function reachHelp(request: Requested): string {
  const refused = (["columns", "rows", "scanned"] as const).filter((place) => whyNot(request, place) !== undefined);
  return refused.length === 0 ? "" : ` (not for ${refused.map((place) => places[place].title).join(", ")})`;
}
