/**
 * A sample only has to find centres and prices, and a larger one to refine them; everybody then starts from those; or all
 * is done at once.
 */
export type Stage = "sample" | "resample" | "rest" | "all";
