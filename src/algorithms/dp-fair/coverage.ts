import type { ClusterResult } from "../types.js";
import type { PrivacyStatement } from "./statement.js";

/**
 * To whom something may be shown. "asked": it repeats the request, or names that count as public. "private": it is made of noisy
 * numbers and of what the promise does not protect, so it may be published. "owner": it is computed from the data without noise.
 */
export type Cover = "asked" | "private" | "owner";

interface Covers {
  /** Where people's protected attributes are private, and their features are not. */
  readonly attribute: Cover;
  /** Where everything about people is private, and whether they are there at all. */
  readonly all: Cover;
}

type FileName = "labels" | "model" | "report";
type Covered = FileName | Exclude<keyof ClusterResult, "privacy"> | PartOfStatement;
type PartOfStatement = `privacy.${Exclude<keyof PrivacyStatement, StatedField>}`;
/** Parts of the statement that follow from the request. */
type StatedField = keyof ReturnType<typeof import("./statement.js").statementOf> | "cells" | "budget";

const asked: Covers = { attribute: "asked", all: "asked" };
const owner: Covers = { attribute: "owner", all: "owner" };
const published: Covers = { attribute: "private", all: "private" };
/** It follows from features and from what is published. */
const ofFeatures: Covers = { attribute: "private", all: "owner" };

/**
 * What is private in which mode: every file, every field of a result and every part of its statement. The results themselves, the
 * terminal, the report and docs/explanation/privacy.md derive from this table. A new field does not compile before it is here.
 */
export const coverage: Readonly<Record<Covered, Covers>> = {
  labels: ofFeatures,
  model: published,
  report: owner,
  "privacy.released": published,
  "privacy.noisyBalance": published,
  "privacy.quality": ofFeatures,
  "privacy.comparison": owner,
  n: ofFeatures,
  sse: ofFeatures,
  cost: ofFeatures,
  sizes: ofFeatures,
  evenness: ofFeatures,
  iterations: ofFeatures,
  converged: ofFeatures,
  sizesKept: ofFeatures,
  capacity: ofFeatures,
  objective: ofFeatures,
  simplifiedSilhouette: ofFeatures,
  parties: ofFeatures,
  scanned: owner,
  balance: owner,
  groups: owner,
  bounds: owner,
  fair: owner,
  verdict: owner,
  verdictDetails: owner,
  notion: owner,
  maxViolation: owner,
  unconstrainedSse: owner,
  unconstrainedCost: owner,
  gap: owner,
  givenCosts: asked,
  distance: asked,
  weights: owner,
  together: owner,
  apart: owner,
  atoms: owner,
  unconstrainedSizes: owner,
  unconstrainedGroups: owner,
  warnings: owner,
  communication: owner,
  seconds: owner,
  algorithm: asked,
  version: asked,
  seed: asked,
  effort: asked,
  method: asked,
  d: asked,
  k: asked,
  features: asked,
  leftOut: owner,
  dropped: owner,
  tolerance: asked,
  minSize: asked,
  minSizeFrom: asked,
  sseAtMinSize2: owner,
  costAtMinSize2: owner,
  maxSize: ofFeatures,
  eta: asked,
};

/** What a cover applies to, in the table's order. */
export function coveredAs(cover: Cover, mode: keyof Covers): string[] {
  return Object.entries(coverage).flatMap(([what, covers]) => (covers[mode] === cover ? [what] : []));
}
