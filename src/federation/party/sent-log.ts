import type { Journal, JournalEntry } from "../audit/journal.js";
import type { MemberAudit } from "../audit/member-audit.js";
import type { JobFiles } from "./job-files.js";

/** What has left a site, in its audit log: every time, also what leaves again. */
export class SentLog {
  constructor(
    private readonly files: JobFiles,
    private readonly audit: MemberAudit,
  ) {}

  /** Notes what of a job's journal is not in the log yet. A kill on the way notes something twice rather than never. */
  async account(job: string, journal: Journal, noted?: readonly JournalEntry[]): Promise<void> {
    const more = journal.since(noted ?? (await this.files.noted(job)));
    if (more.length === 0) return;
    await this.files.keepJournal(job, journal);
    for (const { kind, protection, messages, bytes } of more) {
      await this.audit.note("sent", { job, what: kind, protection, messages, bytes });
    }
    await this.files.keepNoted(job, journal.list());
  }

  /** Letters are written anew whenever they are asked for: `after` is the journal with them. */
  async letters(job: string, before: Journal, after: Journal): Promise<void> {
    await this.account(job, before);
    await this.account(job, after, before.list());
  }
}
