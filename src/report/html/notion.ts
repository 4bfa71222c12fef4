import type { ClusterResult } from "../../algorithms/types.js";
import { formatShare } from "../format.js";
import { say } from "../language.js";
import { notionLines } from "../notion.js";
import { html, name } from "./markup.js";
import { numberTable, type PageSection, section } from "./parts.js";

const about = {
  social:
    "The mean cost of a group is the mean squared distance of its members to the centre of their cluster, in the scaled space: how badly the clusters describe them, or how far they are from what serves them. The search lowers that of the worst-off group. It says nothing of shares.",
  representation:
    "A group is represented in a cluster where it has at least the share that was asked for. In other clusters nothing is asked for.",
  individual:
    "An even share of k clusters is n/k people. Everybody’s radius is the distance to the n/k-th person nearest to them, themselves counted: so near a centre could be if they had one of their own. A factor of 1 may not exist, and 2 always does. It says nothing of groups.",
};

/** What was asked for instead of bounds of shares, by group where it is about groups. */
export function notionSection({ notion }: Pick<ClusterResult, "notion">): PageSection | undefined {
  if (!notion) return undefined;
  const lines = notionLines(notion);
  const table =
    lines &&
    numberTable(
      titles[notion.name],
      ["Group", ...lines.titles],
      lines.lines.map(({ group, cells }) => [name(group), ...cells]),
    );
  const asked = notion.name === "representation" ? say` Here that is ${formatShare(notion.share)}.` : "";
  return section("notion", "Notion", titles[notion.name], html`<p>${about[notion.name]}${asked}</p>${table}`);
}

const titles = {
  social: "What each group costs",
  representation: "Where each group is represented",
  individual: "How near everybody’s centre is",
};
