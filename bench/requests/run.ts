import { thresholdsByGroup } from "../learning/peers.js";
import type { Bench, Sheet } from "../types.js";
import { againstPeers } from "./against-peers.js";
import { exhaustive } from "./exhaustive.js";
import { growing, manyClusters } from "./how-long.js";
import { newcomers } from "./newcomers.js";
import { teams } from "./teams.js";
import { refusals, tight } from "./tight.js";
import { tiny } from "./tiny.js";

/** What people ask clusterers for, each beside the nearest peer; where there is none, beside the best of all answers in small cases. */
export async function requests(bench: Bench): Promise<Sheet[]> {
  return [
    await newcomers(bench),
    await againstPeers(bench),
    await exhaustive(bench),
    await tiny(bench),
    await tight(bench),
    await refusals(bench),
    await manyClusters(bench),
    await growing(bench),
    ...(await teams(bench)),
    await thresholdsByGroup(bench),
  ];
}
