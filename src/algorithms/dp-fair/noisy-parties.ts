import type { Lane } from "../../kernels/lanes.js";
import type { LocalColumns } from "../../parties/local-columns.js";
import { groupsInCells, type MixtureTerms, privateGridBits, snapped, sumsInCells } from "../../parties/mixture-site.js";
import { columnsOf, splitColumns } from "../../parties/split.js";
import type { Traffic } from "../../parties/traffic.js";
import type { Chance } from "../../privacy/noise/chance.js";
import type { Decider } from "../../solver/decider.js";
import { localDecider } from "../../solver/local-deciders.js";
import { nearestCells } from "../../solver/nearest-cells.js";
import type { Attribute, People } from "../../table/types.js";
import type { NoisyColumns } from "../method.js";

/** Parties of this process that each hold some columns, in [-1, 1]. */
export class NoisyParties implements NoisyColumns {
  private readonly decider: Decider;
  private readonly parties: readonly LocalColumns[];
  private readonly columns: readonly Float32Array[];
  private readonly attributes: readonly Attribute[];

  constructor(
    people: Pick<People, "n" | "dimensions" | "attributes">,
    parties: number,
    lanes: readonly Lane[],
    private readonly terms: MixtureTerms,
    private readonly chance: Chance,
  ) {
    this.columns = people.dimensions.map((column) => snapped(column, privateGridBits));
    this.attributes = people.attributes;
    this.parties = splitColumns({ n: people.n, dimensions: this.columns, attributes: [] }, parties, lanes, undefined);
    this.decider = localDecider(this.parties);
  }

  get traffic(): Traffic {
    return this.decider.traffic;
  }

  async sums(centres: Float64Array, round: number): Promise<Float64Array> {
    const { columns, terms, chance } = this;
    const cells = await this.cells(centres);
    // Whose column it is decides who would draw its noise, and not how much there is.
    const all = { columns, from: 0, counts: true };
    return sumsInCells(cells, centres.length / columns.length, columns.length, all, terms.noiseAt(round)!, chance);
  }

  async census(centres: Float64Array): Promise<Float64Array> {
    const cells = await this.cells(centres);
    return groupsInCells(cells, centres.length / this.columns.length, this.attributes, this.terms.census!, this.chance);
  }

  /** Everybody's cell: it is not part of what is released. */
  cells(centres: Float64Array): Promise<Uint16Array> {
    const { length: dims } = this.columns;
    const count = centres.length / dims;
    return nearestCells(this.decider, count, { bits: privateGridBits, columns: dims }, () => {
      this.parties.forEach((party, at) => {
        const { from, to } = columnsOf(at, this.parties.length, dims);
        party.setScaledCentres(partOfCentres(centres, dims, from, to));
      });
    });
  }
}

/** The centres in some of the columns, [cells][to - from]. */
export function partOfCentres(centres: Float64Array, dims: number, from: number, to: number): Float64Array {
  const width = to - from;
  const part = new Float64Array((centres.length / dims) * width);
  for (let at = 0; at < part.length; at++) part[at] = centres[Math.floor(at / width) * dims + from + (at % width)];
  return part;
}
