import fc from "fast-check";

/** Properties are tried on the same cases in every run: what passed passes again. MOIETY_CASES=2, 3, ... draws others. */
fc.configureGlobal({ seed: Number(process.env.MOIETY_CASES ?? 1) });
