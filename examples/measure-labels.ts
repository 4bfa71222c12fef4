// Measures anybody's labels: here, people cut into thirds by income, which is anything but fair.
import { evaluate, generateTable, preparePeople, resolveBounds } from "moiety";

const people = preparePeople(generateTable("people", { n: 3000, seed: 1 }), { protect: ["sex"] });
const income = people.dimensions[people.dimensionNames.indexOf("income")];
const sorted = Float64Array.from(income).sort();
const labels = Uint16Array.from(income, (value) => (value < sorted[1000] ? 0 : value < sorted[2000] ? 1 : 2));

const bounds = resolveBounds(people.attributes, { delta: 0.2 });
const { fair, worst, maxViolation, silhouette } = evaluate({ people, labels, bounds, tolerance: 1 });
console.log(`fair: ${fair}, silhouette ${silhouette?.toFixed(3)}`);
console.log(
  `worst: ${worst?.attribute} ${worst?.group} in cluster ${worst?.cluster}, ${maxViolation.toFixed(1)} people`,
);
