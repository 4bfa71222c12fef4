/**
 * All that an object has learnt, apart from what it was made of: numbers and typed arrays, also inside its own objects.
 * Whoever adds a field to prices or multipliers has it kept without another line, which is what a run that must not be
 * lost needs most.
 */
export type Learnt = { readonly [field: string]: unknown };

type Fields = Record<string, unknown>;

export function learntBy(object: object, except: ReadonlySet<string>): Learnt {
  const entries = Object.entries(object).filter(([name]) => !except.has(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, copyOf(value, except)]));
}

function copyOf(value: unknown, except: ReadonlySet<string>): unknown {
  if (ArrayBuffer.isView(value)) return (value as Float64Array).slice();
  if (Array.isArray(value)) return value.map((each) => copyOf(each, except));
  if (value instanceof Map) return new Map(Array.from(value, ([key, each]) => [key, copyOf(each, except)]));
  if (value instanceof Set) return new Set(value);
  return typeof value === "object" && value !== null ? learntBy(value, except) : value;
}

/** Puts it back into an object that was made of the same. Arrays are filled in place: others may look at them too. */
export function relearn(object: object, learnt: Learnt): void {
  const target = object as Fields;
  for (const [name, value] of Object.entries(learnt)) target[name] = merged(target[name], value);
}

function merged(present: unknown, value: unknown): unknown {
  if (ArrayBuffer.isView(present) && ArrayBuffer.isView(value) && present.byteLength === value.byteLength) {
    (present as Float64Array).set(value as Float64Array);
    return present;
  }
  if (Array.isArray(present) && Array.isArray(value)) {
    const parts = value.map((each, index) => merged(present[index], each));
    present.splice(0, present.length, ...parts);
    return present;
  }
  if (present instanceof Map && value instanceof Map) {
    present.clear();
    for (const [key, each] of value) present.set(key, each);
    return present;
  }
  if (isPlain(present) && isPlain(value)) {
    relearn(present, value);
    return present;
  }
  return value;
}

function isPlain(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !ArrayBuffer.isView(value) && !Array.isArray(value);
}
