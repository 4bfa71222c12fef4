import type { CensusQuery, MixtureParty, SumsQuery } from "../../parties/mixture.js";
import { bytesOf } from "../../privacy/integers.js";
import type { PrivateSums } from "./private-sums.js";

/** The holders of rows of a private job as one: its answers are the masked sums of theirs, noise and all. */
export class MixtureConsortium implements MixtureParty {
  private asked = 0;

  constructor(
    private readonly told: PrivateSums,
    private readonly dims: number,
    /** Numbers of a cell in the census. */
    private readonly width: number,
  ) {}

  /** The noise is that of each site's own plan, whatever the query says. */
  async sums({ theta, components, hard, people }: SumsQuery): Promise<Float64Array> {
    const number = this.asked++;
    const question = { ask: "mixture", components, hard, people, number } as const;
    return this.told.sum(question, theta.length + 1, bytesOf(theta));
  }

  async census({ centres }: CensusQuery): Promise<Float64Array> {
    const length = (centres.length / this.dims) * this.width;
    return this.told.sum({ ask: "groups" }, length, bytesOf(centres));
  }

  /** People in the cell of each centre. */
  async cells(centres: Float64Array): Promise<Float64Array> {
    return this.told.sum({ ask: "cells" }, centres.length / this.dims, bytesOf(centres));
  }

  /** Every site learns its people's clusters. */
  async settle(centres: Float64Array, clusters: ArrayLike<number>): Promise<void> {
    const body = bytesOf(Float64Array.from([...centres, ...Array.from(clusters)]));
    await this.told.tell({ ask: "clusters", cells: clusters.length }, body);
  }
}
