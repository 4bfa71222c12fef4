import { giveUpState } from "../src/federation/party/lost-state.js";
import type { Random } from "../src/table/generators/random.js";
import { type DeviationName, deviations } from "./deviations.js";
import { type MemberName, members, type SimulatedFederation } from "./federation.js";
import { names, requests } from "./jobs.js";

/** What happens to somebody when so many messages have passed. */
export interface Fault {
  readonly kind: FaultName;
  readonly member: MemberName;
  /** The number of the message at which it happens. */
  readonly at: number;
  /** How long it lasts, in milliseconds; of a backup, how many messages older it is. */
  readonly span: number;
}

type Strike = (federation: SimulatedFederation, fault: Fault) => void;

/** The process ends, and another one begins after a while. */
const restart = (federation: SimulatedFederation, { member, span }: Fault, meanwhile: () => void = () => undefined) => {
  federation.kill(member);
  meanwhile();
  federation.world.after(span, () => federation.start(member));
};

/** Faults after which every job still has to come to its end, with the labels that it would have had. */
const survived = {
  /** kill -9 */
  kill: (federation, fault) => restart(federation, fault),
  /** What was not synced is torn or lost. */
  powerCut: (federation, fault) => restart(federation, fault, () => federation.disk(fault.member).losePower()),
  fullDisk: (federation, { member, span }) => {
    const disk = federation.disk(member);
    disk.isFull = true;
    federation.world.after(span, () => {
      disk.isFull = false;
    });
  },
  cut: (federation, { member }) => federation.network.cut(member === "coordinator" ? undefined : member),
  /** The message, and all that follow on its line, never arrive; nobody is told. */
  silence: () => undefined,
  /** The message arrives late, and so do those behind it. */
  delay: () => undefined,
  /** Many jobs of others wait at the same time. */
  flood: (federation) => {
    const ask = requests.align.replace("p2: {}", "p2: {}, p9: {}");
    for (let number = 0; number < 20; number++) {
      federation
        .asAnalyst((client) => client.submit(ask, "job.yaml", () => Buffer.alloc(16, 100 + number)))
        .catch(() => undefined);
    }
  },
} satisfies Record<string, Strike>;

/** Faults after which a job may also fail, and say why. */
const dangerous = {
  /** Something on the disk is damaged while the process is not there. */
  damage: (federation, fault) => restart(federation, fault, () => federation.disk(fault.member).damageOne()),
  /** The disk is put back to what it was some messages ago: see `Schedule`. */
  backup: () => undefined,
  /** The clock is wrong from now on. */
  clock: (federation, { member, span }) => {
    federation.wrongBy.set(member, (span % 2 === 0 ? 1 : -1) * span * 10_000);
  },
  /** Somebody edits the site's data while its process is not there. Before a job has looked at them, they are simply the job's data. */
  changedData: (federation, fault) =>
    restart(federation, fault, () => {
      const seen = federation.disk(fault.member).keys("jobs/");
      if (seen.some((key) => key.includes("/data/"))) federation.changed.add(fault.member);
    }),
} satisfies Record<string, Strike>;

const strikes: Readonly<Record<string, Strike>> = { ...survived, ...dangerous };

export type FaultName = keyof typeof survived | keyof typeof dangerous | DeviationName;

export function strike(federation: SimulatedFederation, fault: Fault): void {
  strikes[fault.kind]?.(federation, fault);
}

/** Whether a job may fail of it. */
export function isDangerous({ kind }: Fault): boolean {
  return !(kind in survived);
}

/** The longest that a fault lasts, in milliseconds: longer than a silent line is kept. */
const longest = 30_000;

const harmless = Object.keys(survived) as FaultName[];
export const faultNames = [
  ...harmless,
  ...(Object.keys(dangerous) as FaultName[]),
  ...(Object.keys(deviations) as DeviationName[]),
];

/** Faults for a job of so many messages: half of all plans have only such as must be survived. */
export function drawFaults(random: Random, messages: number): Fault[] {
  const kinds = random.below(2) === 0 ? harmless : faultNames;
  return Array.from({ length: 1 + random.below(4) }, () => {
    const kind = kinds[random.below(kinds.length)];
    const whose: readonly MemberName[] = kind === "changedData" || kind in deviations ? names : members;
    const member = whose[random.below(whose.length)];
    const span = kind === "backup" ? 1 + random.below(messages) : 1 + random.below(longest);
    return { kind, member, at: random.below(Math.ceil(1.2 * messages)), span };
  }).sort((a, b) => a.at - b.at);
}

/** What the operator of a site does whose state was put back, as its log tells: the newest state is lost. */
export async function giveUpLostState(federation: SimulatedFederation, member: MemberName): Promise<void> {
  federation.kill(member);
  await giveUpState(federation.disk(member).open(() => false).store);
  federation.start(member);
}
