import { MoietyError } from "../errors.js";
import type { Lane } from "../kernels/lanes.js";
import { MixtureSite, type MixtureTerms } from "../parties/mixture-site.js";
import { byCode, stretches } from "../parties/split-rows.js";
import type { Release } from "../privacy/accounting/ledger.js";
import { guarantee } from "../privacy/accounting/loss.js";
import { Chance, type NoiseSource } from "../privacy/noise/chance.js";
import type { People } from "../table/types.js";
import type { LedgerNote } from "./dp-fair/statement.js";
import type { Settings } from "./settings.js";
import type { ClusterOptions } from "./types.js";

/** In-process parties that hold the rows of a private run. */
export interface PrivateRows {
  readonly sites: readonly MixtureSite[];
  /** The nearest of these centres for everybody: theirs alone to know. */
  cellsOf(centres: Float64Array): Promise<Uint16Array>;
}

export async function openPrivateRows(
  people: People,
  dimensions: readonly ArrayLike<number>[],
  {
    settings,
    gridBits,
    noise,
    terms,
  }: { settings: Settings; gridBits: number; noise: NoiseSource; terms: MixtureTerms },
  lanes: readonly Lane[],
): Promise<PrivateRows> {
  const { holders, n } = people;
  const split = holders ? byCode(holders.codes, holders.groups.length) : stretches(n, settings.parties);
  const sites = await Promise.all(
    split.map((rows) => {
      const data = {
        n: rows.length,
        dimensions: dimensions.map((values) => Float64Array.from(rows, (row) => values[row])),
        attributes: people.attributes.map((attribute) => ({
          ...attribute,
          codes: Uint16Array.from(rows, (row) => attribute.codes[row]),
        })),
        gridBits,
      };
      return MixtureSite.open(lanes, data, new Chance(noise), terms);
    }),
  );
  return {
    sites,
    cellsOf: async (centres) => {
      const cells = new Uint16Array(n);
      for (const [p, site] of sites.entries()) {
        const found = await site.cells(centres);
        split[p].forEach((row, i) => {
          cells[row] = found[i];
        });
      }
      return cells;
    },
  };
}

/** Noise without randomness would be none. Where nothing is drawn, nobody need hand any in. */
export function sourceOf(drawn: boolean, given: NoiseSource | undefined): NoiseSource {
  if (given) return given;
  if (!drawn) return { secret: true, fill: () => undefined };
  throw new MoietyError(
    "failed",
    "a private run was started without a source of randomness: this is a fault in moiety",
  );
}

/** Written down before a single number is drawn. */
export async function spend({ ledger }: ClusterOptions, release: Release): Promise<LedgerNote | null> {
  if (!ledger) return null;
  const { dataset, budget, spent } = await ledger.spend(release);
  const delta = budget?.delta ?? 1e-5;
  const epsilon = guarantee(spent[release.neighbours], delta).epsilon;
  return { dataset, spent: epsilon, budget: budget?.epsilon ?? null, delta };
}

export function unnoticed(note: LedgerNote | null): string[] {
  if (note === null || note.budget !== null) return [];
  const spent = Number(note.spent.toPrecision(4));
  return [`no privacy budget is set, epsilon ${spent} is spent in all: set one with moiety budget set`];
}

/** What would go over the wire: whole numbers of 8 bytes, up from each party and down to it. */
export function trafficOf(parties: number, rounds: number, numbers: number) {
  if (parties === 1) return { rounds: 0, bytesUp: 0, bytesDown: 0 };
  const bytes = 8 * parties * numbers;
  return { rounds, bytesUp: bytes, bytesDown: bytes };
}
