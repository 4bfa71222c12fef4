import type { Log } from "../federation/log.js";

/** A line of a process's log, as its page shows it. */
export interface RecentLine {
  readonly time: string;
  readonly line: string;
  /** Somebody met a limit, or is not let in. */
  readonly refused: boolean;
}

const mostLines = 200;

/** The last lines of a log, the latest first. */
export class RecentLines {
  private lines: readonly RecentLine[] = [];

  constructor(private readonly clock: () => number) {}

  /** A log whose lines are kept here too. */
  of(log: Log, refused = false): Log {
    return (line, level) => {
      const time = new Date(this.clock()).toISOString();
      this.lines = [{ time, line, refused }, ...this.lines].slice(0, mostLines);
      log(line, level ?? (refused ? "warning" : undefined));
    };
  }

  list(): readonly RecentLine[] {
    return this.lines;
  }
}
