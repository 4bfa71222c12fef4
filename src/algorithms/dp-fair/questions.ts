import * as z from "zod";
import { termsOf } from "../../kernels/mixture-rows.js";
import type { MixtureSite } from "../../parties/mixture-site.js";
import { count, float64s, questionsTo, uint32s } from "../../parties/questions.js";

const { question, instruction } = questionsTo<MixtureSite>();

const mostCells = 1000;
/** Cells by their centres; with densities, the highest of these decides where a person is, not the nearest centre. */
const placed = { centres: float64s, densities: float64s.exactOptional() };
interface PlacedCells {
  readonly centres: Float64Array;
  readonly densities?: Float64Array;
}
const isOfCells = ({ dims }: MixtureSite, { centres, densities, cells }: PlacedCells & { readonly cells: number }) =>
  cells >= 1 &&
  cells <= mostCells &&
  centres.length === cells * dims &&
  (densities === undefined || densities.length === cells * termsOf(dims));
const placesOf = ({ centres, densities }: PlacedCells) => (densities ? [centres, densities] : [centres]);

/** Sums of responsibility times z, [components][terms] as in theta, then the log likelihood. */
export const mixture = question({
  name: "mixture",
  request: z.strictObject({
    theta: float64s,
    components: count.min(1).max(mostCells),
    /** Everybody counts for one component only: then a person touches one component's sums, and noise can cover them. */
    hard: z.boolean(),
    /** People of all parties together: the unit of soft sums follows from it. */
    people: count,
    /** Which question of the plan it is: the site's own plan says what noise it gets. */
    number: count,
  }),
  leaves: "sum",
  shape: ({ theta }) => ({ sums: theta.length, logLikelihood: 1 }),
  guard: ({ dims, terms }, { theta, components, hard, number }) => {
    const width = theta.length / components;
    const isWhole = width === termsOf(dims) || width === dims + 1;
    return isWhole && terms.noiseAt(number) !== undefined && (hard || terms.featuresArePublic);
  },
  about: (_, { theta, components, people, hard }) => [[theta, Float64Array.of(components, people, hard ? 1 : 0)]],
  privately: ({ terms }, { number }) => ({ place: `sums ${number}`, noisy: (terms.noiseAt(number) ?? null) !== null }),
  answer: (site, request) => site.sums(request),
  journal: { what: "sums of the mixture", shape: "components x (1, columns, their products)" },
});

/** People of each group of each attribute in the cell of each centre: [cells][groups of all attributes]. */
export const groups = question({
  name: "groups",
  request: z.strictObject({ ...placed, cells: count, width: count }),
  leaves: "sum",
  shape: ({ cells, width }) => ({ counts: cells * width }),
  guard: (site, request) => isOfCells(site, request) && site.censusWidth === request.width,
  about: (_, request) => [placesOf(request)],
  privately: ({ terms }) => ({ place: "groups", noisy: (terms.census?.noise ?? null) !== null }),
  answer: async (site, { centres, densities }) => ({ counts: await site.census(centres, densities) }),
  journal: { what: "people of each group in cells", shape: "cells x groups" },
});

/** People in the cell of each centre. Where people are private, so is how many are where. */
export const cells = question({
  name: "cells",
  request: z.strictObject({ ...placed, cells: count }),
  leaves: "sum",
  shape: (request) => ({ people: request.cells }),
  guard: (site, request) => site.terms.featuresArePublic && isOfCells(site, request),
  about: (_, request) => [placesOf(request)],
  privately: () => ({ place: "cells", noisy: false }),
  answer: async (site, request) => {
    const people = new Float64Array(request.cells);
    for (const cell of await site.cells(request.centres, request.densities)) people[cell]++;
    return { people };
  },
  journal: { what: "people in cells", shape: "cells" },
});

/** The cluster of each cell: every site learns its people's clusters. */
export const clusters = instruction({
  name: "clusters",
  request: z.strictObject({ centres: float64s, owners: uint32s }),
  guard: (site, { centres, owners }) =>
    isOfCells(site, { centres, cells: owners.length }) && owners.every((owner) => owner < site.terms.k),
  answer: (site, { centres, owners }) => site.settle(centres, owners),
});
