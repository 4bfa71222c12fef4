/** Ends of a group of numbers, as cuts name it: 30 to <50. Names that people gave are left alone. */
const ends = /(?<![^\s,*])(-?\d[\d.e+-]*) to <(?=-?\d)/g;

/** The name of a group with this word between the ends of numbers. */
export function groupNameWith(to: string, name: string): string {
  return name.replace(ends, (_, from: string) => `${from} ${to} <`);
}
