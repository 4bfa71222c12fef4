/** The name of the format of saved classifiers. */
export const classifierFormat = "moiety-classifier";

/** Whether JSON says of itself that it is a classifier. */
export function isClassifier(json: unknown): boolean {
  return typeof json === "object" && json !== null && (json as { format?: unknown }).format === classifierFormat;
}
