import * as z from "zod";
import { MoietyError } from "../errors.js";
import { base64Of, bytesOf } from "../host/base64.js";
import { openCrew } from "../kernels/crew.js";
import { encodingsSchema } from "../table/encoding-schema.js";
import {
  attributeOf,
  type MissingRule,
  type People,
  type Pictures,
  parseProtected,
  type Table,
} from "../table/index.js";
import { version } from "../version.js";
import { classesOf, mostClasses } from "./classes.js";
import { classifierFormat } from "./format.js";
import { answersByGroup, useGroupWarning } from "./group-thresholds.js";
import { netNames } from "./net/nets.js";
import { encodeTable, type ModelInput } from "./prepare.js";
import { answersOf, fairnessNames } from "./tally.js";
import { Trainer } from "./trainer.js";
import type { Trained } from "./types.js";

const side = z.number().int().positive().max(10_000);
const shape = z.object({ height: side, width: side, channels: side });
const pixels = { shape, shift: z.number(), scale: z.number().refine((scale) => scale !== 0, "must not be 0") };
const schema = z.object({
  format: z.literal(classifierFormat),
  formatVersion: z.literal(1),
  provenance: z.object({
    version: z.string(),
    algorithm: z.string(),
    fairness: z.string().nullable(),
    seed: z.number(),
    rounds: z.number(),
    modelRound: z.number(),
    ended: z.string(),
    trained: z.number(),
    tested: z.number(),
    parties: z.number(),
    skew: z.number().nullable(),
    protected: z.string(),
    data: z.string().optional(),
    accuracy: z.number(),
    auc: z.number().nullable(),
    dpd: z.number().nullable(),
    eod: z.number().nullable(),
    apd: z.number().nullable(),
    positiveRate: z.number().nullable(),
  }),
  /** No and yes, or all classes where they are more than two. */
  label: z.union([
    z.object({ column: z.string(), negative: z.string(), positive: z.string() }),
    z.object({ column: z.string(), classes: z.array(z.string()).min(3).max(mostClasses) }),
  ]),
  input: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("columns"), encodings: encodingsSchema }),
    z.object({ kind: z.literal("pixels"), columns: z.array(z.string()), ...pixels }),
    z.object({ kind: z.literal("images"), column: z.string(), ...pixels }),
  ]),
  net: z.enum(netNames),
  /** Where groups are used: whose, by which fairness, and the threshold of each, as a logit. */
  useGroup: z
    .object({
      protect: z.string(),
      fairness: z.enum(fairnessNames),
      target: z.number(),
      thresholds: z.record(z.string(), z.number()),
    })
    .optional(),
  /** Single precision, little endian, base64. */
  parameters: z.string(),
});

/** What prediction needs of a classifier: no person, and no protected attribute, unless there are thresholds by group. */
export type Classifier = z.infer<typeof schema>;

/** `data` is a fingerprint of what was learnt from, if somebody took one. */
export function toClassifier(
  { model, result, attribute }: Trained,
  input: ModelInput,
  label: { readonly column: string },
  data?: string,
): Classifier {
  return schema.parse({
    format: classifierFormat,
    formatVersion: 1,
    // The schema takes what it names.
    provenance: { ...result, version, tested: result.n, ...(data === undefined ? {} : { data }) },
    label: { column: label.column, ...result.label },
    input,
    net: result.net,
    ...(result.useGroup
      ? { useGroup: { ...result.useGroup, protect: attribute.spec ?? attribute.name, fairness: result.fairness } }
      : {}),
    parameters: toBase64(model),
  });
}

/** Throws "input" when the JSON is not a classifier that this version reads, and names where it came from. */
export function parseClassifier(json: unknown, source = "this"): Classifier {
  const parsed = schema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue && issue.path.length > 0 ? `${issue.path.join(".")}: ${issue.message}` : "not a model";
    throw new MoietyError("input", `${source} is not a classifier of Moiety (${where}): make one with moiety train`);
  }
  if (fromBase64(parsed.data.parameters).every(Number.isFinite)) return parsed.data;
  throw new MoietyError("input", `${source} is not a classifier that can answer (parameters that are no numbers)`);
}

export interface ClassifyOptions {
  readonly id?: string;
  readonly missing?: MissingRule;
  readonly threads?: number;
  /** Of the table's rows, for a model of pictures. */
  readonly pictures?: Pictures;
}

export interface PeopleAnswers extends Pick<People, "sourceRows" | "ids" | "warnings"> {
  /** The probability of a yes, by the model; of more than two classes, of each: [people][classes]. */
  readonly scores: Float64Array;
  /** Each person's class, by its place: of two, 1 for yes. */
  readonly answers: Uint8Array;
  readonly classes: readonly string[];
}

/** The columns that a model reads of a table. */
export function classifierColumns({ input, useGroup }: Classifier): string[] {
  const groups = useGroup ? parseProtected(useGroup.protect).map(({ column }) => column) : [];
  if (input.kind === "columns") return [...input.encodings.map(({ column }) => column), ...groups];
  return input.kind === "pixels" ? [...input.columns, ...groups] : [input.column, ...groups];
}

/** A failure to read a table's columns, with what the model needs the column of the groups for. */
export function explainNeed({ useGroup }: Pick<Classifier, "useGroup">, error: unknown): unknown {
  if (!useGroup || !(error instanceof MoietyError)) return error;
  const groups = parseProtected(useGroup.protect).map(({ column }) => column);
  const absent = groups.find((column) => error.message.startsWith(`unknown column '${column}'`));
  if (absent === undefined) return error;
  const why = `the model has a threshold for each group of '${absent}': add that column, or train without \`useGroup\``;
  return new MoietyError("input", `${error.message}; ${why}`);
}

/** The group of each person, for a model that has a threshold for each. */
function groupsFor(useGroup: NonNullable<Classifier["useGroup"]>, table: Table, rows: Uint32Array) {
  const { protect, thresholds } = useGroup;
  const { groups, codes } = attempt(() => attributeOf(table, protect, rows, { maxGroups: rows.length }));
  if (groups.some((group) => !Object.hasOwn(thresholds, group))) {
    const why = `the table has a group of '${protect}' that the model has no threshold for`;
    const names = Object.keys(thresholds).map((group) => `'${group}'`);
    throw new MoietyError("input", `${why}: it has one for ${names.join(", ")}; leave the others out, or train again`);
  }
  return { groups, codes };

  function attempt<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw explainNeed({ useGroup }, error);
    }
  }
}

/** The model's answers about new people. No protected attribute is looked at, unless the model has thresholds by group. */
export async function classify(model: Classifier, table: Table, options: ClassifyOptions = {}): Promise<PeopleAnswers> {
  const { people, rows } = encodeTable(table, model.input, options, options.pictures);
  const flat = { height: 1, width: 1, channels: rows.length / people.n };
  const input = model.input.kind === "columns" ? flat : model.input.shape;
  const { useGroup } = model;
  const inGroups = useGroup && groupsFor(useGroup, table, people.sourceRows);
  const crew = openCrew(model.net === "resnet18" && (options.threads ?? 1) > 1 ? options.threads! : "inline");
  try {
    const classes = classesOf(model.label);
    const trainer = new Trainer(crew, model.net, input, 1, 128, classes.length);
    const parameters = fromBase64(model.parameters);
    if (parameters.length !== trainer.parameterCount) {
      const seen = `the model has ${parameters.length} parameters where its net has ${trainer.parameterCount}`;
      throw new MoietyError("input", `${seen}: make it again`);
    }
    const nobody = new Uint8Array(people.n);
    const margins = await trainer.score(
      parameters,
      trainer.load({ n: people.n, features: rows, labels: nobody, groups: nobody }),
    );
    return {
      scores: probabilities(margins, classes.length),
      answers: inGroups
        ? answersByGroup(margins, inGroups.codes, inGroups.groups, useGroup)
        : answersOf(margins, classes.length),
      classes,
      sourceRows: people.sourceRows,
      ...(people.ids ? { ids: people.ids } : {}),
      warnings: useGroup ? [useGroupWarning, ...people.warnings] : people.warnings,
    };
  } finally {
    await crew.close();
  }
}

/** Of a yes; of more than two classes, of each. */
function probabilities(scores: Float32Array, classes: number): Float64Array {
  if (classes === 2) return Float64Array.from(scores, (score) => 1 / (1 + Math.exp(-score)));
  const people = scores.length / (classes - 1);
  const found = new Float64Array(people * classes);
  for (let i = 0; i < people; i++) {
    const own = [0, ...scores.subarray(i * (classes - 1), (i + 1) * (classes - 1))];
    const most = Math.max(...own);
    const parts = own.map((score) => Math.exp(score - most));
    const all = parts.reduce((sum, part) => sum + part, 0);
    found.set(
      parts.map((part) => part / all),
      i * classes,
    );
  }
  return found;
}

/** Numbers are stored little endian, as every machine that runs WebAssembly has them. */
export function toBase64(values: Float32Array): string {
  return base64Of(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}

export function fromBase64(text: string): Float32Array {
  const { buffer, length } = bytesOf(text);
  return new Float32Array(buffer, 0, Math.floor(length / 4));
}
