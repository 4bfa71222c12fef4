import { MoietyError } from "../../errors.js";
import type { Attribute, People } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import { groupsOnCard } from "../consent/settings.js";

/** More combinations of groups than this are not counted one by one. */
const mostCombinations = 60_000;

/** Everybody's combination of the groups on the card, as one number: the first attribute counts most. */
export function combinationsOf(
  card: Card,
  { n, attributes }: Pick<People, "n" | "attributes">,
): { readonly codes: Uint32Array; readonly count: number } {
  const codes = new Uint32Array(n);
  let count = 1;
  attributesOf(card, { attributes }).forEach(({ groups, codes: own }) => {
    for (let i = 0; i < n; i++) codes[i] = codes[i] * groups.length + own[i];
    count *= groups.length;
    if (count > mostCombinations) {
      throw new MoietyError(
        "input",
        `the groups on the card have more than ${mostCombinations} combinations: protect less`,
      );
    }
  });
  return { codes, count };
}

/** The site's attributes with the groups of the card. */
export function attributesOf(card: Card, { attributes }: Pick<People, "attributes">): Attribute[] {
  return groupsOnCard(card).map(({ name, groups }, a) => {
    const own = attributes[a];
    const place = own.groups.map((group) => groups.indexOf(group));
    if (place.includes(-1)) {
      throw new MoietyError("input", `protected attribute '${name}' has a group here that is not on the card`);
    }
    return { name, groups: [...groups], codes: Uint16Array.from(own.codes, (code) => place[code]) };
  });
}
