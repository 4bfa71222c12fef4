/**
 * Where secrets come from: so many fresh bytes at each call. Whoever runs a federation hands in the operating system's
 * source; a seeded one is for tests, and what it makes is not private.
 */
export type RandomBytes = (count: number) => Uint8Array;
