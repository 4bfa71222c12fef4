import { createHash } from "node:crypto";
import { failed } from "../../errors.js";
import type { EpochMemory } from "../../privacy/masks/labels.js";
import { Journal, type JournalEntry } from "../audit/journal.js";
import { Answers } from "../replay/answers.js";
import { loadResults, saveResults } from "../replay/results.js";
import type { KeptPart } from "../results/own.js";
import { readRecord, writeRecord } from "../store/records.js";
import type { Store } from "../store/types.js";
import { DisclosureLog } from "./disclosure-log.js";
import type { ReleaseStore } from "./question-run.js";

/** Bytes that a site must be able to write before a job that its disk has stopped goes on. */
const trialBytes = 1 << 20;

/** Folders of a job that only its run needs: they are removed when it is over. */
const runFolders = ["state", "log", "answers", "released", "told", "data"];
/** Sums on a page of the disclosure log: the last page is written anew for each sum. */
const pageSums = 256;

/** Small records of a job. */
interface JobRecords {
  readonly journal: readonly JournalEntry[];
  /** What of the journal is in the audit log already. */
  readonly noted: readonly JournalEntry[];
  /** This site's part of the result. */
  readonly part: KeptPart;
}

/** Longer lists of names are kept once, beside the pages that name them. */
const longList = 1000;

/** Lists of parties as a page has them: short ones as they are, long ones by their digest. */
class PartyLists {
  private readonly known = new Map<string, string>();

  constructor(
    private readonly store: Store,
    private readonly folder: string,
  ) {}

  async written(names: string): Promise<string> {
    if (names.length <= longList) return names;
    const before = this.known.get(names);
    if (before !== undefined) return before;
    const name = `list-${createHash("sha256").update(names).digest("hex").slice(0, 32)}`;
    await writeRecord(this.store, `${this.folder}${name}`, names);
    this.known.set(names, name);
    return name;
  }

  async read(names: string): Promise<string> {
    const short = [...this.known].find(([, name]) => name === names);
    if (short) return short[0];
    if (!/^list-[0-9a-f]{32}$/.test(names)) return names;
    const list = await readRecord<string>(this.store, `${this.folder}${names}`);
    if (list === undefined) throw failed("a list of who took part in sums is not there any more: ask the operator");
    this.known.set(list, names);
    return list;
  }
}

/** All that a party's process leaves for the next one: a folder for each job. */
export class JobFiles {
  constructor(private readonly store: Store) {}

  /** Throws while this site's disk is full or fails. */
  async checkRoom(): Promise<void> {
    await this.store.write("room", new Uint8Array(trialBytes));
    await this.store.remove("room");
  }

  read<Name extends keyof JobRecords>(job: string, name: Name): Promise<JobRecords[Name] | undefined> {
    return readRecord(this.store, `jobs/${job}/${name}`);
  }

  keep<Name extends keyof JobRecords>(job: string, name: Name, value: JobRecords[Name]): Promise<void> {
    return writeRecord(this.store, `jobs/${job}/${name}`, value);
  }

  /** All that ever left for a job, as far as it was kept. */
  async journal(job: string): Promise<Journal> {
    return new Journal(await this.read(job, "journal"));
  }

  /** The state at a checkpoint; undefined where a run begins anew. */
  async checkpoint(job: string, position: number | null): Promise<Uint8Array | undefined> {
    if (position === null) return undefined;
    const state = await this.store.read(`jobs/${job}/state/${position}`);
    if (!state) throw failed("the checkpoint of this run is not there any more");
    return state;
  }

  /** Two checkpoints are kept: the coordinator may have died before it knew of the last one. */
  async keepCheckpoint(job: string, position: number, state: Uint8Array, journal: Journal): Promise<void> {
    const folder = `jobs/${job}/state/`;
    await this.store.write(`${folder}${position}`, state);
    await this.keep(job, "journal", journal.list());
    const others = (await this.store.list(folder))
      .map((key) => Number(key.slice(folder.length)))
      .filter((at) => at !== position);
    const before = Math.max(-1, ...others.filter((at) => at < position));
    await Promise.all(others.filter((at) => at !== before).map((at) => this.store.remove(`${folder}${at}`)));
  }

  /** What a run over columns has received up to a checkpoint. */
  results(job: string, position: number | null): Promise<unknown[]> {
    return loadResults(this.store, job, position);
  }

  keepResults(job: string, position: number, results: readonly unknown[]): Promise<void> {
    return saveResults(this.store, job, position, results);
  }

  /** What a run over columns was answered since. */
  answers(job: string, position: number | null): Promise<Answers> {
    return Answers.open(this.store, `jobs/${job}/answers/`, position);
  }

  /** With rows split: what was summed over whom, in all attempts of a job. A list that only grows, some on each page. */
  async disclosures(job: string): Promise<DisclosureLog> {
    const key = (page: number) => `jobs/${job}/told/${page}`;
    const lists = new PartyLists(this.store, `jobs/${job}/told/`);
    const sums: (readonly [string, string])[] = [];
    for (let page = 0; sums.length === page * pageSums; page++) {
      for (const [digest, names] of (await readRecord<[string, string][]>(this.store, key(page))) ?? []) {
        sums.push([digest, await lists.read(names)]);
      }
    }
    let kept = sums.length;
    return new DisclosureLog(sums, async (all) => {
      for (let page = Math.floor(kept / pageSums); page * pageSums < all.length; page++) {
        const written: [string, string][] = [];
        for (const [digest, names] of all.slice(page * pageSums, (page + 1) * pageSums)) {
          written.push([digest, await lists.written(names)]);
        }
        await writeRecord(this.store, key(page), written);
      }
      kept = all.length;
    });
  }

  /** What a private job has released, noise and all. */
  releases(job: string): ReleaseStore {
    const key = (name: string) => `jobs/${job}/released/${name.replace(" ", "-")}`;
    return {
      get: (name) => readRecord(this.store, key(name)),
      put: (name, released) => writeRecord(this.store, key(name), released),
    };
  }

  /** Digests of the questions that it has released noisy numbers for. */
  async answered(job: string): Promise<string[]> {
    const keys = await this.store.list(`jobs/${job}/released/`);
    const released = await Promise.all(keys.map((key) => readRecord<{ readonly digest: string }>(this.store, key)));
    return released.flatMap((each) => (each ? [each.digest] : []));
  }

  /** Those of them whose sums, with this party's numbers, this site has helped to open. */
  async opened(job: string, party: string): Promise<string[]> {
    const answered = await this.answered(job);
    // In most jobs nothing is noisy, and of many sites each is asked about.
    return answered.length === 0 ? [] : (await this.disclosures(job)).with(party, answered);
  }

  get epochs(): EpochMemory {
    return {
      highest: (job) => readRecord<number>(this.store, `jobs/${job}/epoch`),
      raise: (job, epoch) => writeRecord(this.store, `jobs/${job}/epoch`, epoch),
    };
  }

  /** Jobs that are over, and of which something is left that only their runs needed. */
  async leftovers(): Promise<string[]> {
    const keys = (await this.store.list("jobs/")).map((key) => key.split("/"));
    const over = new Set(keys.filter(([, , what]) => what === "over").map(([, job]) => job));
    const left = keys.filter(([, job, what]) => over.has(job) && runFolders.includes(what));
    return [...new Set(left.map(([, job]) => job))];
  }

  /** Removes what only the run itself needed. */
  async clear(job: string): Promise<void> {
    for (const folder of runFolders) {
      for (const key of await this.store.list(`jobs/${job}/${folder}/`)) await this.store.remove(key);
    }
    for (const record of ["aligned", "noted"]) await this.store.remove(`jobs/${job}/${record}`);
  }
}
