import { closeSync, openSync, readFileSync, readSync, writeFileSync, writeSync } from "node:fs";
import { generateTable } from "../../src/table/generate.js";
import { preparePeople } from "../../src/table/people.js";
import type { Attribute, People } from "../../src/table/types.js";

/**
 * People in a raw file: dimension after dimension in single precision, already scaled, then the groups of each attribute
 * in two bytes each. Ours and the others read the same numbers, and neither pays for the other's format.
 */
export interface PeopleFile {
  readonly path: string;
  readonly n: number;
  readonly d: number;
}

interface Facts extends Omit<PeopleFile, "path"> {
  readonly attributes: readonly Omit<Attribute, "codes">[];
}

/** Invented people in the shape of Census 1990. One dimension at a time, so that the table is the most that is held. */
export function storePeople(path: string, n: number, seed: number): PeopleFile {
  const table = generateTable("census", { n, seed });
  const features = table.columns.filter(({ kind }) => kind === "numeric").map(({ name }) => name);
  const file = openSync(path, "w");
  for (const feature of features) write(file, preparePeople(table, { features: [feature] }).dimensions[0]);
  const { attributes } = preparePeople(table, { features: [features[0]], protect: ["sex", "ageBand"] });
  for (const { codes } of attributes) write(file, codes);
  closeSync(file);
  const d = features.length;
  const facts: Facts = { n, d, attributes: attributes.map(({ name, groups }) => ({ name, groups })) };
  writeFileSync(`${path}.json`, JSON.stringify(facts));
  return { path, n, d };
}

export function readPeople(path: string): People {
  const { n, d, attributes } = JSON.parse(readFileSync(`${path}.json`, "utf8")) as Facts;
  const file = openSync(path, "r");
  const dimensions = Array.from({ length: d }, () => read(file, new Float32Array(n)));
  const codes = attributes.map(() => read(file, new Uint16Array(n)));
  closeSync(file);
  const names = dimensions.map((_, j) => `x${j}`);
  return {
    n,
    dimensions,
    dimensionNames: names,
    encodings: names.map((column) => ({ kind: "numeric", column, shift: 0, scale: 1 })),
    attributes: attributes.map((facts, index) => ({ ...facts, codes: codes[index] })),
    sourceRows: Uint32Array.from({ length: n }, (_, i) => i),
    warnings: [],
  };
}

/** The system takes and gives at most 2 GB at once, and need not give all of it. */
function write(file: number, values: NodeJS.ArrayBufferView): void {
  for (let done = 0; done < values.byteLength; ) {
    done += writeSync(file, new Uint8Array(values.buffer, values.byteOffset + done, values.byteLength - done));
  }
}

function read<T extends NodeJS.ArrayBufferView>(file: number, into: T): T {
  for (let done = 0; done < into.byteLength; ) {
    const got = readSync(file, new Uint8Array(into.buffer, into.byteOffset + done, into.byteLength - done));
    if (got === 0) throw new Error("the file of people is too short");
    done += got;
  }
  return into;
}
