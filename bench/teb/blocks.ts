import { figure } from "../figure.js";
import { observation } from "../observation.js";
import type { Bench, Line, Sheet } from "../types.js";
import { beside, methods, otherData, plain, runs, tebData } from "./data.js";
import { table5Paper } from "./printed.js";
import { isLeast, losses } from "./tables.js";

const sizes = [2, 8, 32, 128, 512];
/** The paper's rule looks at everybody for each update. */
const mostPeople = 20_000;

/**
 * Tables 5 and 6 by the paper's rule, and the rounds of every method. Only updates that gain are made, so large blocks stop early
 * rather than herd.
 */
export async function table5(bench: Bench): Promise<Sheet[]> {
  const byBlock: Line[] = [];
  const byMethod: Line[] = [];
  for (const data of (await tebData(bench)).filter(({ people }) => people.n <= mostPeople)) {
    const { name, people } = data;
    for (const block of sizes) {
      const results = await runs(bench, data, `blocks of ${block}`, () => ({
        balance: 0.8,
        rule: "gbco",
        block,
        maxIterations: 20,
      }));
      const paper = table5Paper[name]?.[block];
      byBlock.push({
        at: { data: name, n: people.n, n_c: block },
        figures: { ...losses(results, paper), rounds: roundsOf(results, paper?.[2]) },
      });
    }
    for (const [method, asked] of Object.entries({ ...plain, ...methods })) {
      const results = await runs(bench, data, method, asked);
      byMethod.push({ at: { data: name, n: people.n, method }, figures: { rounds: roundsOf(results) } });
    }
  }
  const compared = (what: string, at: readonly number[], holds: (means: readonly number[]) => boolean) =>
    [...new Set(byBlock.map((line) => line.at.data))].map((data) => {
      const of = (block: number) => byBlock.find((line) => line.at.data === data && line.at.n_c === block)!;
      return holds(at.map((block) => of(block).figures[what].mean));
    });
  return [
    {
      title: "Tables 5 and 6: losses and communication rounds for different block sizes (k 10, eta 0.8, rule gbco)",
      lines: byBlock,
      notes: [
        observation(
          "the clustering loss stays within a factor of 3",
          compared("clustering loss", sizes, (means) => Math.max(...means) <= 3 * Math.min(...means)),
        ),
        observation(
          "the balance loss at n_c 32 is more than ten times that at 8",
          compared("balance loss", [8, 32], ([small, large]) => large > 10 * small),
        ),
        observation("larger blocks take fewer rounds", compared("rounds", [512, 128, 32, 8, 2], isLeast)),
        "The paper's rounds follow (n / n_c)²; those of Crime rise with n_c, against its text and against all other rows: they are printed in reverse.",
        otherData,
      ],
    },
    {
      title: "Table 6 for every method: communication rounds, seeding included (k 10, eta 0.8, at most 100 iterations)",
      lines: byMethod,
      notes: ["A round is one exchange between the parties and whoever adds up; the paper prints Teb-means only."],
    },
  ];
}

function roundsOf(results: Awaited<ReturnType<typeof runs>>, paper?: number | string) {
  return figure(
    results.map(({ communication }) => communication.rounds),
    "rounds",
    beside(paper),
  );
}
