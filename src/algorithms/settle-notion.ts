import type { Notion, NotionName } from "../metrics/index.js";
import type { People, WeightFacts } from "../table/types.js";
import { methodFor } from "./catalogue.js";
import type { ClusterMethod } from "./method.js";
import { refuse, whole } from "./settle-parties.js";
import type { ClusterOptions } from "./types.js";

/** Everybody's neighbours are found by looking at all pairs: more people than this take minutes. */
const mostForNeighbours = 50_000;
/** Distances to every centre are kept. */
const mostDistances = 5e7;

/** The options that only one notion has, and which. */
const owners = {
  ...{
    delta: "shares",
    bounds: "shares",
    present: "shares",
    represent: "representation",
    inClusters: "representation",
  },
  factor: "individual",
} as const satisfies Partial<Record<keyof ClusterOptions, NotionName>>;

/** Those of a request that say what fair is to mean. */
export type NotionOptions = Pick<ClusterOptions, keyof typeof owners | "notion" | "tolerance">;

/** Those who are clustered, or were. */
type Judgeable = Pick<People, "n" | "attributes" | "together" | "apart"> & { readonly weights?: WeightFacts };

/** What fair is to mean: undefined for bounds of shares. Throws "usage" on what the method does not keep, and on options that make no sense. */
export function settleNotion(people: Judgeable, options: ClusterOptions, method: ClusterMethod): Notion | undefined {
  const name = options.notion ?? method.notion ?? "shares";
  const kept = method.notion ?? (method.promises.groups ? "shares" : undefined);
  const keeps = kept === undefined || kept === name || (name === "representation" && method === methodFor("groups"));
  refuse(
    !keeps,
    `${method.name} keeps \`notion: ${kept}\`: use ${keeperOf(name)}, or ${methodFor("columns").name} to measure only`,
  );
  const notion = notionOf(people, options.k, { ...options, notion: name });
  if (!notion) return undefined;
  refuse(
    options.distance === "manhattan" && name !== "representation",
    `\`notion: ${name}\` is measured in Euclidean distances: leave \`distance\` out`,
  );
  refuse(
    options.epsilon !== undefined || options.private !== undefined,
    "a private run is judged by shares: leave `notion` out, or `epsilon`",
  );
  refuse(
    options.solver === "admm",
    "the solver admm keeps shares in all clusters alike: leave `solver` out, or `notion`",
  );
  refuse(
    options.minSize === "meaningful",
    "a meaningful minimum size is that from which bounds of shares mean something: give a number",
  );
  return notion;
}

/** The same where clusters are only measured. */
export function notionOf(people: Judgeable, k: number, options: NotionOptions): Notion | undefined {
  const { n, attributes } = people;
  const { notion: name = "shares", tolerance } = options;
  for (const [option, owner] of Object.entries(owners) as [keyof typeof owners, NotionName][]) {
    const given = options[option] !== undefined && owner !== name;
    refuse(given, `\`${option}\` is for \`notion: ${owner}\`, and does nothing with ${name}: leave one of them out`);
  }
  if (name === "shares") return undefined;
  refuse(
    attributes.length === 0 && name !== "individual",
    `\`notion: ${name}\` is about groups, and none are protected: name them with \`protect\``,
  );
  const link = (["weights", "together", "apart"] as const).find((each) => people[each]);
  refuse(link, `\`${link}\` is for shares, and everybody counts alone and once with \`notion: ${name}\`: leave it out`);
  refuse(
    tolerance !== undefined && name !== "representation",
    `\`tolerance\` is of shares, and does nothing with \`notion: ${name}\`: leave it out`,
  );
  if (name === "social") return { name };
  return name === "individual" ? individual(n, k, options) : representation(k, options);
}

/** The method that keeps a notion. */
export function keeperOf(name: NotionName): string {
  return methodFor(name === "social" || name === "individual" ? name : "groups").name;
}

function individual(n: number, k: number, { factor = 2 }: NotionOptions): Notion {
  refuse(
    !(factor >= 1 && Number.isFinite(factor)),
    `factor is ${factor}: give a number of at least 1; 2 can always be kept, less perhaps not`,
  );
  refuse(
    n > mostForNeighbours,
    `\`notion: individual\` looks at all pairs of people, and there are ${n}: use a sample of at most ${mostForNeighbours}`,
  );
  refuse(
    n * k > mostDistances,
    `\`notion: individual\` keeps n * k = ${n * k} distances, at most ${mostDistances}: use a smaller k or a sample`,
  );
  return { name: "individual", factor };
}

function representation(k: number, { represent, inClusters = 1, tolerance = 0 }: NotionOptions): Notion {
  refuse(
    represent === undefined,
    "`represent` is missing: give the share that each group is to have, such as `represent: 0.3`",
  );
  const share = represent!;
  refuse(!(share > 0 && share <= 1), `represent is ${share}: give a share above 0 and up to 1, such as 0.3`);
  const clusters = whole("the number of clusters that represent a group", inClusters);
  refuse(clusters > k, `every group is to be represented in ${clusters} clusters, and k=${k}: use ${k} or fewer`);
  return { name: "representation", share, clusters, tolerance };
}
