/** How results and models name classes: no and yes, or all of them where they are more than two. */
export type ClassNames =
  | { readonly negative: string; readonly positive: string }
  | { readonly classes: readonly string[] };

export function namesOf(classes: readonly string[]): ClassNames {
  const [negative, positive] = classes;
  return classes.length === 2 ? { negative, positive } : { classes };
}

export function classesOf(names: ClassNames): readonly string[] {
  return "classes" in names ? names.classes : [names.negative, names.positive];
}

/** Every class has rates of its own in every group, and needs people for them. */
export const mostClasses = 20;
