import type { Grid } from "../../../parties/grid.js";
import { none, race } from "../../../solver/race.js";
import { type Comparing, known, type ScoreRange } from "./comparing.js";

/** k-means++ without anybody seeing a distance: who is nearer and who wins a heat are comparisons. */
export class NearestChosen {
  /** This party's part of everybody's distance to the nearest chosen person. */
  private parts: Float64Array | undefined;

  constructor(
    private readonly comparing: Comparing,
    private readonly grid: Grid,
  ) {}

  /** Everybody's nearest chosen person may be the one with these distances, from here on. */
  async approach(distances: Float64Array): Promise<void> {
    const { parts } = this;
    if (!parts) {
      this.parts = distances;
      return;
    }
    const nearer = await this.comparing.pairs(parts, distances, this.reach(0));
    nearer.forEach((yes, person) => {
      if (yes === 1) parts[person] = distances[person];
    });
  }

  race(seed: number): Promise<number | undefined> {
    const parts = this.parts!;
    return race(parts.length, seed, async (runners, speeds, width) => {
      const worth = speeds.map((speed, at) => (runners[at] === none ? 0 : -speed * parts[runners[at]]));
      const heats = runners.length / width;
      return Uint8Array.from(
        await this.comparing.columns(heats, width, known(worth, width), undefined, this.reach(10)),
      );
    });
  }

  /** Squared distances have no weights in them yet; speeds of a race have some bits. */
  private reach(bits: number): ScoreRange {
    const { reach, weightBits } = this.grid;
    return { range: 2 ** (reach - weightBits - 1 + bits), what: "people" };
  }
}
