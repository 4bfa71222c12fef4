/**
 * Combinations of one group of each attribute have numbers, the last attribute's changing fastest: how many there are, and of each
 * attribute which of its groups a number stands for.
 */
export function combinationsOf<Each extends { readonly groups: readonly string[] }>(attributes: readonly Each[]) {
  const count = attributes.reduce((product, { groups }) => product * groups.length, 1);
  let step = count;
  const decoded = attributes.map((attribute) => {
    const { length } = attribute.groups;
    step /= length;
    const own = step;
    return { ...attribute, groupOf: (combination: number) => Math.floor(combination / own) % length };
  });
  return { count, attributes: decoded };
}
