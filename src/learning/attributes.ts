import { MoietyError } from "../errors.js";
import { combinationsOf } from "../table/combinations.js";
import type { Attribute } from "../table/index.js";

/** One of several protected attributes: `of` says which of its groups a combination of groups belongs to. */
export interface AttributePart {
  readonly name: string;
  readonly groups: readonly string[];
  readonly of: readonly number[];
}

/** What a training is to be fair about. */
export interface LearningAttribute {
  readonly name: string;
  /** Of several attributes: all combinations of their groups, one group of each. */
  readonly groups: readonly string[];
  /** What makes the same groups of other people, such as age:25,40; default: the name. */
  readonly spec?: string;
  /** Where there are several attributes. Each of them is to be fair, which asks less than fairness to their combinations. */
  readonly parts?: readonly AttributePart[];
}

/** A group needs its own term in every step, and enough people for one. */
const mostGroups = 64;

/** Each person's group, of one attribute; of several, the combination of groups. */
export function joinAttributes(
  attributes: readonly Pick<Attribute, "name" | "groups" | "codes" | "cut">[],
  specs: readonly string[],
): LearningAttribute & { readonly codes: Uint8Array } {
  const spec = attributes.map(({ cut }, i) => cut?.spec ?? specs[i]).join(",");
  const name = attributes.map((each) => each.name).join(", ");
  const { count, attributes: decoded } = combinationsOf(attributes);
  if (count > mostGroups) {
    const seen =
      attributes.length === 1
        ? `protected attribute '${name}' has ${count} groups`
        : `the groups of ${attributes.map((each) => `'${each.name}'`).join(", ")} have ${count} combinations`;
    throw new MoietyError("input", `${seen}, and at most ${mostGroups} are allowed: merge some`);
  }
  const [first] = attributes as [(typeof attributes)[number]];
  if (attributes.length === 1) return { name, groups: first.groups, spec, codes: Uint8Array.from(first.codes) };
  const parts = decoded.map(({ name: own, groups, groupOf }) => ({
    name: own,
    groups,
    of: Array.from({ length: count }, (_, code) => groupOf(code)),
  }));
  return {
    name,
    spec,
    parts,
    groups: Array.from({ length: count }, (_, code) => parts.map(({ groups, of }) => groups[of[code]]).join(", ")),
    codes: Uint8Array.from(first.codes, (_, person) =>
      attributes.reduce((code, { groups, codes }) => code * groups.length + codes[person], 0),
    ),
  };
}

/** The attributes with the group of each person, for measures. */
export function attributesOf({ name, groups, parts }: LearningAttribute, codes: Uint8Array) {
  if (!parts) return [{ name, groups, codes }];
  return parts.map((part) => ({ name: part.name, groups: part.groups, codes: codes.map((code) => part.of[code]) }));
}
