import type { ClusterOptions } from "../algorithms/types.js";
import { defaultDelta } from "../constraints/bounds.js";
import { defined } from "../defined.js";
import { namesArgument, pasted, protectArgument } from "../report/command.js";
import type { PeopleOptions } from "../table/types.js";
import type { ClassifierRequest, NewcomersRequest } from "./questions.js";

/** What commands and programs call the people of a page. */
export interface CalledSource {
  readonly name: string;
  /** Commands would not read everybody into memory, as the page does, unless they are told to. */
  readonly inMemory?: boolean;
}

/** The command that gives the same labels. */
export function commandOf(
  source: CalledSource,
  columns: PeopleOptions,
  options: ClusterOptions,
  spending: { readonly dataset?: string; readonly ledger?: string } = {},
): string {
  return commandWith("cluster", source, {
    k: options.k,
    algorithm: options.algorithm,
    ...columnFlags(columns),
    epsilon: options.epsilon,
    ...spending,
    delta: options.delta === defaultDelta ? undefined : options.delta,
    tolerance: options.tolerance === 1 ? undefined : options.tolerance,
    balance: options.balance,
    minSize: options.minSize,
    maxSize: options.maxSize,
    seed: options.seed === 1 ? undefined : options.seed,
    labels: "labels.csv",
  });
}

type NewcomersAsked = Pick<PeopleOptions, "id" | "missing"> & Pick<NewcomersRequest, "tolerance">;

/** The command that places newcomers by the model of these clusters. */
export function newcomersCommand(
  how: NewcomersRequest["how"],
  source: CalledSource,
  { id, missing, tolerance }: NewcomersAsked,
): string {
  const flags = { model: "model.json", id, missing, labels: "newcomers-labels.csv" };
  if (how === "nearest") return commandWith("predict", source, flags);
  return commandWith("assign", source, { togetherWith: how === "together", tolerance, ...flags });
}

/** The command that trains the same classifier. */
export function trainCommand(source: CalledSource, columns: PeopleOptions, request: ClassifierRequest): string {
  const { label, positive, fairness, seed } = request;
  return commandWith("train", source, {
    label,
    positive,
    ...columnFlags(columns),
    fairness,
    seed: seed === 1 ? undefined : seed,
    frontier: true,
    model: "classifier.json",
  });
}

function columnFlags({ features = [], categorical = [], protect = [], id, weights, missing }: PeopleOptions) {
  const names = (list: readonly string[]) => (list.length > 0 ? namesArgument(list) : undefined);
  return {
    features: names(features),
    categorical: names(categorical),
    protect: protectFlag(protect),
    weights,
    missing,
    id,
  };
}

function protectFlag(protect: readonly string[]): string | undefined {
  return protect.length > 0 ? protect.map(protectArgument).join(",") : undefined;
}

type Flags = Readonly<Record<string, string | number | boolean | undefined>>;

/** A file's name that begins like an option is named by its folder. */
function commandWith(command: string, { name, inMemory }: CalledSource, flags: Flags): string {
  return pasted([command, name.startsWith("-") ? `./${name}` : name, ...given({ inMemory, ...flags })]);
}

function given(flags: Flags): string[] {
  return Object.entries(flags).flatMap(([option, value]) =>
    value === undefined || value === false ? [] : [flagOf(option), ...(value === true ? [] : [String(value)])],
  );
}

/** minSize is --min-size. */
function flagOf(option: string): string {
  return `-${option.replace(/^|[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The command that invents these people. */
export function inventedBy(n: number, file: string, seed?: number): string {
  return pasted(["generate", "people", ...given({ n, seed, output: file })]);
}

/** The same as a program. */
export function programOf({ name }: CalledSource, columns: PeopleOptions, options: ClusterOptions): string {
  return `import { cluster, preparePeople, readTable, writeLabels } from "moiety";

const people = preparePeople(await readTable(${JSON.stringify(name)}), ${written(columns)});
const { labels, result } = await cluster(people, ${written(options)});
console.log(result.verdict, result.sizes);
await writeLabels("labels.csv", people, labels);
`;
}

/** The program that places newcomers. */
export function newcomersProgram(how: NewcomersRequest["how"], { name }: CalledSource, asked: NewcomersAsked): string {
  const call = how === "nearest" ? "predict" : "assign";
  const { tolerance, ...columns } = asked;
  const options = how === "nearest" ? columns : { ...asked, together: how === "together" };
  return `import { readFile } from "node:fs/promises";
import { ${call}, parseModel, readTable, writeLabels } from "moiety";

const model = parseModel(JSON.parse(await readFile("model.json", "utf8")));
const newcomers = await ${call}(model, await readTable(${JSON.stringify(name)}), ${written(options)});
await writeLabels("newcomers-labels.csv", newcomers, newcomers.labels);
`;
}

/** The program that trains the same classifier. */
export function trainProgram({ name }: CalledSource, columns: PeopleOptions, request: ClassifierRequest): string {
  const { label, positive, fairness, seed } = request;
  const { protect: [protect] = [], weights: _, ...others } = columns;
  const asked = { ...others, ...defined({ positive }), label, protect, seed };
  return `import { writeFile } from "node:fs/promises";
import { prepareLearning, readTable, toClassifier, train } from "moiety";

const { data, input, label } = prepareLearning(await readTable(${JSON.stringify(name)}), ${written(asked)});
const trained = await train(data, ${written({ fairness, seed })});
console.log(trained.result.fair, trained.result.model);
await writeFile("classifier.json", JSON.stringify(toClassifier(trained, input, label)));
`;
}

/** Options as a program has them, without those that ask for nothing. */
function written(options: object): string {
  const asking = Object.entries(options).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return JSON.stringify(Object.fromEntries(asking));
}
