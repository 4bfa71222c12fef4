import type { PrivacyStatement } from "../../algorithms/dp-fair/statement.js";

/** What a private job promises, and the model and counts that it released. */
export type FederatedPrivacy = Omit<PrivacyStatement, "quality" | "comparison" | "budget"> & {
  /** So many sites may collude with the coordinator; 0 where nothing is promised against it. */
  readonly colluders: number;
  /** With rows split, or everything private: centres of cells, one after the other, in [-1, 1] of the box; and the cluster of each cell. */
  readonly model?: { readonly centres: readonly number[]; readonly clusters: readonly number[] };
};
