import { say } from "./language.js";
/** What is minimised, in the middle of a sentence. */
export function costName({ distance }: { readonly distance?: string }): string {
  return distance === "manhattan" ? say`sum of distances` : "SSE";
}

export function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
