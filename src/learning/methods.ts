import { fairfed } from "./methods/fairfed/method.js";
import { fedavg } from "./methods/fedavg/method.js";
import { ffalm } from "./methods/ffalm/method.js";
import { ffalmGlobal } from "./methods/ffalm-global/method.js";
import { fpfl } from "./methods/fpfl/method.js";

/** All methods that train classifiers, in the order in which they are listed. A new one is its folder and its place here. */
export const trainingMethods = [ffalmGlobal, ffalm, fairfed, fpfl, fedavg] as const;
