import { type Outcome, runPlan } from "./schedule.js";

/** The same broken promise with as few faults as still break one. */
export async function shrink(outcome: Outcome): Promise<Outcome> {
  const { plan } = outcome;
  for (const fault of plan.faults) {
    if (plan.faults.length === 1) break;
    const smaller = await runPlan({ ...plan, faults: plan.faults.filter((each) => each !== fault) });
    if (smaller.broken.length > 0) return shrink(smaller);
  }
  return outcome;
}
