import { distanceNames } from "../../table/distance.js";
import type { ClusterMethod } from "../method.js";

/** The paper's own size of a block (section 6.2) where its rule is asked for; sequential counts need no blocks. */
const blocks: Readonly<Record<string, number>> = { sequential: Number.MAX_SAFE_INTEGER, gbco: 8 };

export const teb: ClusterMethod<"teb"> = {
  name: "teb",
  summary: "even k-means: sizes balanced against squared distance, or all alike with `balance: hard`",
  paper: "Federated and Balanced Clustering (Teb-means, PVLDB 2025), solved by prices; `rule: gbco` is the paper's",
  defaultFor: "balance",
  columns: { load: async () => (await import("./teb.js")).runTeb, federated: true },
  scanned: true,
  links: true,
  promises: { groups: false, sizes: true },
  phases: ["seed", "sample", "descent", "even"],
  options: {
    minSize: {},
    maxSize: {},
    capacity: {},
    seats: {},
    distance: { values: distanceNames, default: "euclidean" },
    // Section 6.2.
    balance: { default: 0.8 },
    rule: {
      values: ["prices", "sequential", "gbco"],
      default: "prices",
      help: "prices, sequential, or the paper's gbco",
    },
  },
  objection: ({ rule = "prices", balance, minSize, maxSize, capacity, distance }) => {
    if (rule === "prices") return undefined;
    if (distance === "manhattan") {
      return `the rule ${rule} is made of means, and \`distance: manhattan\` has medians: use \`rule: prices\``;
    }
    if (balance === "hard") return `the rule ${rule} cannot promise even sizes: use \`rule: prices\``;
    if ([minSize, maxSize, capacity].every((given) => given === undefined)) return undefined;
    return `the rule ${rule} cannot promise sizes: use \`rule: prices\``;
  },
  defaults: ({ rule = "prices" }) => (rule in blocks ? { block: blocks[rule] } : {}),
};
