/** How much a line of a member's log matters: what happens as it should, and what its operator may have to see to. */
export const logLevels = ["info", "warning"] as const;
export type LogLevel = (typeof logLevels)[number];

/** Takes one line about what happens at a member. It stays there, and still holds no data. */
export type Log = (line: string, level?: LogLevel) => void;
