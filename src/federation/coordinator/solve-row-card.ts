import { solveRows } from "../../algorithms/solve-rows.js";
import { checkFeasible } from "../../constraints/feasibility.js";
import { countPatterns } from "../../constraints/feasibility-problem.js";
import { closeLanes, openLanes } from "../../kernels/lanes.js";
import { agreeOnScale, openRows } from "../../solver/row-run.js";
import type { Attribute } from "../../table/types.js";
import { groupsOnCard, ownBounds, quorumOf, settingsOf } from "../consent/settings.js";
import { wholeOf } from "../results/whole.js";
import { RowConsortium } from "./row-consortium.js";
import { RowPanel } from "./row-panel.js";
import { RunLog } from "./run-log.js";
import type { CardRun, CardSolution } from "./solve-card.js";

/** The solver's own algorithm over people whose rows several sites hold: it does not know. */
export async function solveRowCard(run: CardRun): Promise<CardSolution> {
  const { card, rows, counts, signal } = run;
  const { k, tolerance } = card;
  const columns = card.parties[0]!.features.length;
  const panel = await RowPanel.open(run.seats, {
    job: run.hash,
    epoch: run.epoch,
    participants: card.parties.map(({ name }) => name),
    threshold: quorumOf(card),
  });
  const log = new RunLog(rows, {
    results: run.results,
    checkpoint: async (position, results) => {
      await panel.ask(0, { ask: "checkpoint", position });
      await run.keep(position, results);
    },
  });
  const group = new RowConsortium({ panel, log, k, columns, counts, signal });
  const { attributes, occurring } = await countKinds(run, group);
  const patterns = countPatterns(attributes, rows);
  group.enrol(occurring);
  const settings = { ...settingsOf(card, rows), bounds: ownBounds(card, attributes) };
  const { sizes, bounds } = settings;
  if (card.algorithm === "f3km") await checkFeasible({ n: rows, k, sizes, bounds, tolerance, patterns }, { signal });
  if (card.scale !== "none") await group.each("rescale", await agreeOnScale(group, card.scale));
  const lanes = openLanes(1);
  try {
    const opened = await openRows(group, k, patterns);
    const { onProgress, clock } = run;
    const solution = await solveRows({ run: opened, settings, lanes, clock, ...(onProgress ? { onProgress } : {}) });
    const { cost, beyond } = solution.outcome;
    const sse = cost * 2 ** (-2 * opened.grid.bits);
    const tally = await group.tally(occurring.length);
    const whole = wholeOf({ sse, columns, k, attributes, bounds, patterns, tally, smallest: card.minCount ?? 1 });
    panel.wire.asked = rows * solution.outcome.passes;
    return { ...solution, sse, excess: beyond, wire: panel.wire, whole };
  } finally {
    await closeLanes(lanes);
  }
}

/** The protected attributes of everybody as they would be in one table, in which nobody is anybody. */
async function countKinds(
  { card, rows }: CardRun,
  group: RowConsortium,
): Promise<{ attributes: Attribute[]; occurring: Uint32Array }> {
  const named = groupsOnCard(card);
  const combinations = named.reduce((product, { groups }) => product * groups.length, 1);
  const people = await group.census(combinations);
  const occurring = Uint32Array.from(people.keys()).filter((code) => people[code]! > 0);
  let after = combinations;
  const attributes = named.map(({ name, groups }) => {
    after /= groups.length;
    const step = after;
    const groupOf = (code: number) => Math.floor(code / step) % groups.length;
    const present = [...new Set(Array.from(occurring, groupOf))].sort((a, b) => a - b);
    const codes = new Uint16Array(rows);
    let at = 0;
    for (const code of occurring) {
      codes.fill(present.indexOf(groupOf(code)), at, at + people[code]!);
      at += people[code]!;
    }
    return { name, groups: present.map((index) => groups[index]!), codes };
  });
  return { attributes, occurring };
}
