// Clusters an invented population twice, with and without fairness, and says what fairness costs.
import { cluster, generateTable, preparePeople } from "moiety";

const table = generateTable("people", { n: 4000, seed: 1 });
const people = preparePeople(table, { protect: ["sex", "ethnicity"], id: "person" });

const plain = await cluster(people, { k: 4, algorithm: "lloyd", starts: 5 });
const fair = await cluster(people, { k: 4, delta: 0.2, starts: 5 });

for (const { result } of [plain, fair]) {
  const beyond = result.maxViolation.toFixed(1);
  console.log(`${result.algorithm}: SSE ${result.sse.toFixed(0)}, worst group ${beyond} people beyond its bounds`);
}
const cost = (100 * (fair.result.sse / plain.result.sse - 1)).toFixed(2);
console.log(`fairness costs ${cost}% of SSE, fair: ${fair.result.fair}`);
