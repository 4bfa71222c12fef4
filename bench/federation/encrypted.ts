import { generateTable } from "../../src/table/index.js";
import { figure, seedsOf } from "../figure.js";
import type { Bench, Sheet } from "../types.js";
import { job } from "./job.js";

const k = 5;
/** Bits that a line of the comparison carries in a second. */
const lineBits = 100e6;
/** Privacy-Preserving Vertical K-Means Clustering (Mazzone et al. 2025): 100,000 points of two dimensions, five clusters, 100 Mbit/s. */
const theirs = { bytes: 73e6, minutes: 3 };

/** Two sites with a column each, beside the best protocol published that computes on encrypted data. */
export async function besideEncrypted({ options, signal, say }: Bench): Promise<Sheet> {
  const n = options.quick ? 100 : Math.min(options.n ?? 100_000, 100_000);
  const table = generateTable("census", { n, seed: 1 });
  const columns = table.columns.filter(({ kind }) => kind === "numeric").slice(0, 2);
  const sites = columns.map(({ name }, at) => {
    return { name: `site-${at + 1}`, file: `${at}.parquet`, features: [name], protect: [] };
  });
  const runs: { readonly bytes: number; readonly seconds: number; readonly rounds: number }[] = [];
  for (const seed of seedsOf(options.seeds)) {
    say(`two sites with a column each, seed ${seed} of ${options.seeds}`);
    const asked = { k, rows: n, protection: "blinded", labels: false, seed, signal };
    const { communication, seconds } = await job(
      columns.map((column) => [column]),
      sites,
      asked,
    );
    const bytes = communication.bytesUp + communication.bytesDown;
    runs.push({ bytes, seconds: seconds.total - seconds.read, rounds: communication.rounds });
  }
  const values = (of: (run: (typeof runs)[number]) => number) => runs.map(of);
  return {
    title: `Two sites, a column each, k ${k}, nothing protected, blinded, beside the best encrypted protocol`,
    lines: [
      {
        at: { people: n },
        figures: {
          "bytes in all": figure(
            values(({ bytes }) => bytes),
            "B",
            { beside: { "Mazzone et al.": `${theirs.bytes / 1e6} MB` } },
          ),
          rounds: figure(
            values(({ rounds }) => rounds),
            "",
          ),
          "on this machine": figure(
            values(({ seconds }) => seconds),
            "s",
          ),
          "minutes at 100 Mbit/s": figure(
            values(({ bytes, seconds }) => (seconds + (8 * bytes) / lineBits) / 60),
            "",
            { beside: { theirs: `just under ${theirs.minutes}` } },
          ),
        },
      },
    ],
    notes: [
      "Minutes: as long as here, and as long again as such a line needs for all bytes one after another.",
      "Their figures are their paper's, on their machines: features are encrypted once, and the party that computes sees none. What is told in each round are the centres, with the noise of differential privacy.",
      "Ours are exact and without noise, and tell more: each site everybody's cluster in every pass, and the coordinator anonymous rows of blinded differences (docs/explanation/messages.md, bench attacks).",
    ],
  };
}
