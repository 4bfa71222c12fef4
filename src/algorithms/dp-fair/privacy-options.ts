import type { Ledger } from "../../privacy/accounting/ledger.js";
import type { NoiseSource } from "../../privacy/noise/chance.js";

/** What a private clustering can be asked for, beside what every clustering can. */
export interface PrivacyOptions {
  /** Required by dp-fair. Smaller is more private; Infinity adds no noise and promises nothing. */
  readonly epsilon?: number;
  /**
   * Whom the promise is about. "attribute" (default): who belongs to which protected group; features are taken as known.
   * "all": everything about a person; needs people prepared with public bounds (`box`).
   */
  readonly private?: "attribute" | "all";
  /** With "all": the chance that the promise may fail. Default 1e-5. */
  readonly deltaDp?: number;
  /** With "all": the part of epsilon for counting groups in cells. Default: a quarter of the budget. */
  readonly epsilonLabel?: number;
  /** Cells that clusters are made of. Default: as many as the noise allows, at most 400; 16 with "all"; about 4 n^(1/4), at most 40, with `lambda`. */
  readonly components?: number;
  /**
   * The balance that is enough, from 0 to 0.99; beyond it clusters are made tight. Default 0.8: every group's share in every cluster is
   * at least 0.8 of its share among everybody, and at most 1.25 of it.
   */
  readonly balanceTarget?: number;
  /** The paper's form instead: fairness against density when cells are merged; 10 is fairness first, 0 density only. */
  readonly lambda?: number;
  /** With `lambda`: clusters below this share of everybody are merged first. Default 0.02. */
  readonly minCellShare?: number;
  /** With `lambda`: local search after merging; "auto" (default) leaves it out where noise is large against the cells. */
  readonly refine?: "auto" | "on" | "off";
  /**
   * With `lambda`: which cell a person is in. "nearest" (default): that of the nearest centre. "density": that of the Gaussian whose
   * weighted density is the highest where they are.
   */
  readonly labelling?: "nearest" | "density";
  /** Where noise comes from: the operating system. A seeded source is for tests, and its results say so. */
  readonly noise?: NoiseSource;
  /** Spent before anything is released. */
  readonly ledger?: Pick<Ledger, "spend">;
  /** Also try other epsilons on the same cells, for the owner's eyes: it is shown in the report. */
  readonly compareEpsilons?: boolean;
}
