import { methodFor } from "../../algorithms/catalogue.js";

/** A job to begin with, for these parties: what is between brackets is to be filled in. */
export function jobTemplate(parties: readonly string[]): string {
  const parts = parties.map((name) => `  ${name}: { features: [], protect: [] }`).join("\n");
  return `# What is asked of the sites. All of them, and the coordinator, get to read this file.
purpose: what the result is for, in one line
algorithm: ${methodFor("groups").name}
k: 4                        # clusters
id: person                  # the column that names people at every site
delta: 0.2                  # a group's share in a cluster: share*(1-delta) to share/(1-delta)
minSize: 20                 # people in the smallest cluster
labels: [parties]           # who gets each person's cluster: parties, analyst
summary: [parties, analyst] # who gets shares, sizes and journals
parties:                    # each site's own columns: those that are computed on, and those that are protected
${parts}
`;
}
