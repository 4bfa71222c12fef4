import { parseArgs } from "node:util";
import { isDangerous } from "./faults.js";
import { type Outcome, planOf, runPlan } from "./schedule.js";
import { shrink } from "./shrink.js";

const usage = `Runs whole federations in simulated worlds, with faults that follow from a seed, and checks every promise.

  npm run simulate -- --seeds 1..1000     that many schedules
  npm run simulate -- --seeds 17 --log    one of them again, with what everybody said

Options: --seeds <from..to>, --log, --every <n> (a line of progress after n schedules)`;

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1..200" },
    log: { type: "boolean", default: false },
    every: { type: "string", default: "100" },
    help: { type: "boolean", default: false },
  },
});

const range = /^(\d+)(?:\.\.(\d+))?$/.exec(values.seeds);
const every = Number(values.every);
if (values.help) {
  console.log(usage);
} else if (!range || !Number.isInteger(every) || every < 1) {
  const wrong = range
    ? `--every ${values.every} is not a whole number above 0`
    : `--seeds ${values.seeds} is neither a number nor a range such as 1..1000`;
  console.error(`simulate: ${wrong}`);
  process.exitCode = 2;
} else {
  process.exitCode = (await runSeeds(Number(range[1]), Number(range[2] ?? range[1]))) ? 0 : 1;
}

async function runSeeds(from: number, to: number): Promise<boolean> {
  const counts = { done: 0, failed: 0, broken: 0, messages: 0, faults: 0 };
  const reasons = new Map<string, number>();
  for (let seed = from; seed <= to; seed++) {
    const outcome = await runPlan(await planOf(seed));
    counts.messages += outcome.messages;
    counts.faults += outcome.happened.length;
    if (outcome.broken.length > 0) {
      counts.broken++;
      await tell(outcome);
    } else if (outcome.state === "done") counts.done++;
    else {
      counts.failed++;
      const why = `${outcome.reason}`.replace(/[0-9a-f]{12,}|\d+/g, "…");
      reasons.set(why, (reasons.get(why) ?? 0) + 1);
    }
    if (values.log) console.log(outcome.logs.join("\n"));
    if ((seed - from + 1) % every === 0) console.log(`seed ${seed}: ${summary(counts)}`);
  }
  console.log(`seeds ${from} to ${to}: ${summary(counts)}`);
  for (const [why, times] of [...reasons].sort((a, b) => b[1] - a[1])) console.log(`  ${times} failed: ${why}`);
  return counts.broken === 0;
}

function summary(counts: { done: number; failed: number; broken: number; messages: number; faults: number }): string {
  return `${counts.done} done, ${counts.failed} failed and said why, ${counts.broken} broke a promise; ${counts.messages} messages, ${counts.faults} faults`;
}

async function tell(outcome: Outcome): Promise<void> {
  const { plan, broken } = await shrink(outcome);
  console.log(`seed ${plan.seed} (${plan.kind}):`);
  for (const fault of plan.faults) {
    const { kind, member, at, span } = fault;
    console.log(`  message ${at}: ${kind} of ${member} (${span})${isDangerous(fault) ? "" : ", to be survived"}`);
  }
  for (const each of broken) console.log(`  BROKEN: ${each}`);
}
