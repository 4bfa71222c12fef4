/**
 * A sample only has to find centres and prices, and a larger one to refine them; everybody then starts from those: many
 * people come to rest at once, fewer are worth more care ("again"); or all is done at once.
 */
type DescentStage = "sample" | "resample" | "rest" | "again" | "all";

export interface StageStart {
  readonly stage: DescentStage;
  /** The mean squared distance of the sample whose centres and prices people have taken over, and not yet places by them. */
  readonly unit?: number;
}
