/** One step of a net's programme: which kernel, and its addresses and sizes; src/learning/net/programme.ts writes them. */
@unmanaged
export class Op {
  code: i32;
  a: i32;
  b: i32;
  c: i32;
  d: i32;
  e: i32;
  f: i32;
  g: i32;
  h: i32;
  i: i32;
  j: i32;
  k: i32;
}

/** Where a thread's share of some units of work begins; the share of the next thread begins where this one's ends. */
// @ts-ignore: decorator
@inline
export function share(units: i32, thread: i32, threads: i32): i32 {
  return <i32>((<i64>units * <i64>thread) / <i64>threads);
}
