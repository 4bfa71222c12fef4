import { randomBytes } from "node:crypto";
import { settle } from "../../src/algorithms/settings.js";
import { solve } from "../../src/algorithms/solve-columns.js";
import type { ClusterOptions } from "../../src/algorithms/types.js";
import { Comparing } from "../../src/federation/party/columns/comparing.js";
import type { AskedRows, Exchange } from "../../src/federation/party/columns/exchange.js";
import { ExchangeDecider } from "../../src/federation/party/columns/exchange-decider.js";
import { HeldColumns } from "../../src/federation/party/columns/held-columns.js";
import { JointColumns } from "../../src/federation/party/columns/joint-columns.js";
import { RunLog } from "../../src/federation/replay/run-log.js";
import { closeLanes, openLanes } from "../../src/kernels/lanes.js";
import type { ScoringRule } from "../../src/parties/column-party.js";
import { splitColumns } from "../../src/parties/split.js";
import type { Integers } from "../../src/privacy/integers.js";
import { Assigner } from "../../src/solver/assigner.js";
import type { People } from "../../src/table/index.js";

/** What the sites of a job hand over in one phase of it. */
interface PhaseQuestions {
  readonly phase: string;
  exchanges: number;
  /** Numbers that a site hands over. */
  numbers: number;
}

interface CountedRun {
  readonly phases: readonly PhaseQuestions[];
  readonly labels: Uint16Array;
  readonly sse: number;
  /** People beyond the limits. */
  readonly excess: number;
}

const phaseOf: Readonly<Record<ScoringRule["kind"], string>> = {
  nearest: "nearest centres",
  descent: "coordinate descent",
  priced: "search for prices",
  repair: "bringing people within limits",
  trade: "trades",
  polish: "polishing",
  even: "even sizes",
  admm: "ADMM",
};

/**
 * Runs a job over columns with one site that holds everything, and counts what it hands over: neither what is asked nor how often depends on
 * who holds what.
 */
export async function countQuestions(people: People, options: ClusterOptions): Promise<CountedRun> {
  const settings = await settle(people, options);
  const tally = new Tally(people.n);
  const lanes = openLanes(1);
  try {
    const [columns] = splitColumns(people, 1, lanes, settings);
    const exchange = tally.exchange();
    const log = new RunLog(people.n, { checkpoint: async () => tally.note("checkpoints", 0), passes: 32, most: 4000 });
    const shared = {
      ...{ held: new HeldColumns(columns), exchange, comparing: new Comparing(exchange), log, random: randomBytes },
      ...{ sites: 1, charges: 1 + people.attributes.length, even: false, samples: 0 },
    };
    const decider = new CountedDecider(new JointColumns(shared, people.n, undefined), tally);
    const assigner = await Assigner.open(decider, settings.k);
    await solve({ assigner, settings, promised: true, compares: true, clock: () => 0 });
    const { excess } = await columns.limitStatus();
    return { phases: tally.phases, labels: await columns.labels(), sse: await columns.sse(), excess };
  } finally {
    await closeLanes(lanes);
  }
}

/** Exchanges and numbers by phase. */
class Tally {
  readonly phases: PhaseQuestions[] = [];
  phase = "";

  constructor(private readonly everybody: number) {}

  /** What follows is asked by this rule, about so many people. */
  begin(phase: string, people: number): void {
    this.phase = `${phase}, ${people === this.everybody ? "everybody" : "a sample"}`;
  }

  note(phase: string, numbers: number): void {
    let entry = this.phases.find((known) => known.phase === phase);
    if (!entry) {
      entry = { phase, exchanges: 0, numbers: 0 };
      this.phases.push(entry);
    }
    entry.exchanges++;
    entry.numbers += numbers;
  }

  /** What a site's exchange is to the solver; the sums of its parts are its own parts. */
  exchange(): Exchange {
    const least = async ({ rows, width, parts, ties }: AskedRows) => {
      if (width === 1 || rows === 0) return new Uint16Array(rows);
      this.note(this.phase, rows * (width - 1));
      const scores = await parts(0, rows);
      return Uint16Array.from({ length: rows }, (_, row) => {
        let best = ties === "index" || ties[row] === 0xffff ? 0 : ties[row];
        for (let m = 0; m < width; m++) if (scores[row * width + m] < scores[row * width + best]) best = m;
        return best;
      });
    };
    const sum = async (numbers: Integers) => {
      this.note("sums: SSE and limits", numbers.length);
      return numbers;
    };
    return { least, sum, blinds: true, leads: true } as unknown as Exchange;
  }
}

/** Says what it asks for. */
class CountedDecider extends ExchangeDecider {
  constructor(
    columns: JointColumns,
    private readonly tally: Tally,
  ) {
    super(columns);
  }

  override async sample(rows: Uint32Array) {
    return new CountedDecider(await this.columns.sample(rows), this.tally);
  }

  override assign(...asked: Parameters<ExchangeDecider["assign"]>) {
    return this.by(phaseOf[this.columns.rule.kind]).assign(...asked);
  }

  override propose(...asked: Parameters<ExchangeDecider["propose"]>) {
    return this.by(phaseOf[this.columns.rule.kind]).propose(...asked);
  }

  override bestMoves(...asked: Parameters<ExchangeDecider["bestMoves"]>) {
    return this.by(`${phaseOf[this.columns.rule.kind]}, cheapest moves`).bestMoves(...asked);
  }

  override helping(...asked: Parameters<ExchangeDecider["helping"]>) {
    return this.by(`${phaseOf[this.columns.rule.kind]}, moves judged`).helping(...asked);
  }

  override together(others: readonly ExchangeDecider[]) {
    this.by("first centres: draws and heats");
    return super.together(others);
  }

  private by(phase: string) {
    this.tally.begin(phase, this.columns.rows);
    return {
      assign: super.assign.bind(this),
      propose: super.propose.bind(this),
      bestMoves: super.bestMoves.bind(this),
      helping: super.helping.bind(this),
    };
  }
}
