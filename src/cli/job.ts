import { randomBytes } from "node:crypto";
import type { Command } from "commander";
import { MoietyError } from "../errors.js";
import type { AnalystClient } from "../federation/analyst/client.js";
import type { JobView } from "../federation/coordinator/job.js";
import type { Kit } from "../federation/identity/kit.js";
import type { Considered } from "../federation/party/consents.js";
import { cardReport, jobsReport } from "../report/jobs.js";
import { writeJobResult } from "./job-result.js";
import { addKitOption, readText, stateFolder } from "./kits.js";
import { checkResults } from "./outputs.js";
import { print, printJson, type Session, warn } from "./session.js";

interface JobFlags {
  readonly kit: string;
  readonly state?: string;
  readonly wait?: boolean;
  readonly labels?: string;
  readonly report?: string;
  readonly model?: string;
  readonly json?: boolean;
}

const analystExample = (line: string) => `\nExample:\n  $ moiety job ${line}`;

export function define(command: Command, session: Session): void {
  command.addHelpText("after", analystExample("submit job.yaml --kit kits/alice --wait"));
  const add = (name: string, description: string, whose: string, example: string) =>
    addKitOption(command.command(name).description(description), whose)
      .option("--json", "print the answer as JSON")
      .option("--verbose", "show where an error came from")
      .addHelpText("after", analystExample(example));

  add("submit", "Submit a job to the parties.", "the analyst", "submit job.yaml --kit kits/alice")
    .argument("<file>", "the job, as YAML")
    .option("--wait", "wait until the job is done, then print the result")
    .option("--labels <file>", "with --wait: as for moiety job result")
    .option("--report <file>", "with --wait: as for moiety job result")
    .option("--model <file>", "with --wait: as for moiety job result")
    .action((file: string, flags: JobFlags) => submit(file, flags, session));
  add(
    "list",
    "List jobs: the analyst's, those submitted to the site, or all at the coordinator.",
    "an analyst, a site or the coordinator",
    "list --kit kits/alice",
  )
    .option("--state <folder>", "for a site: the --state folder of its process")
    .action((flags: JobFlags) => list(flags));
  add(
    "show",
    "Show a job's state and its card.",
    "an analyst, a site or the coordinator",
    "show 3f2a91bc04de --kit kits/alice",
  )
    .argument("<id>", "of the job; its first digits are enough")
    .option("--state <folder>", "for a site: the --state folder of its process")
    .action((id: string, flags: JobFlags) => show(id, flags));
  add(
    "watch",
    "Follow a job until it is done or has failed.",
    "the analyst or the coordinator",
    "watch 3f2a91bc04de --kit kits/alice",
  )
    .argument("<id>", "of the job")
    .action((id: string, flags: JobFlags) => watch(id, flags, session));
  add(
    "cancel",
    "End a job that is not done.",
    "the analyst, or of the coordinator for any job",
    "cancel 3f2a91bc04de --kit kits/alice",
  )
    .argument("<id>", "of the job")
    .action((id: string, flags: JobFlags) => cancel(id, flags));
  for (const [name, description] of [
    ["approve", "Approve, at a site, a job that waits for approval."],
    ["refuse", "Refuse, at a site, a job that waits for approval."],
  ] as const) {
    add(name, description, "the site", `${name} 3f2a91bc04de --kit kits/bank-a`)
      .argument("<id>", "of the job; moiety job list with the same kit shows it")
      .option("--state <folder>", "the --state folder of the site's process")
      .action((id: string, flags: JobFlags) => decide(id, flags, name === "approve"));
  }
  add(
    "result",
    "Fetch the result of a job that is done.",
    "the analyst",
    "result 3f2a91bc04de --kit kits/alice --report report.html",
  )
    .argument("<id>", "of the job")
    .option("--labels <file>", "write each person's cluster, if the card allows it to the analyst")
    .option("--report <file>", "write one page with tables and plots, as HTML")
    .option("--model <file>", "for a training: write the classifier, if the card allows it to the analyst")
    .action((id: string, flags: JobFlags) =>
      withAnalyst(flags, (client) => writeJobResult(client, id, flags, session)),
    );
}

const operators = { operator: true };

/** With `operator` the coordinator's own kit will do too. */
async function withAnalyst<T>(
  flags: JobFlags,
  work: (client: AnalystClient) => Promise<T>,
  { operator = false } = {},
): Promise<T> {
  const [{ loadKit }, { diallingOf }, { AnalystClient }] = await Promise.all([
    import("../federation/identity/kit.js"),
    import("../federation/transport/endpoints.js"),
    import("../federation/analyst/client.js"),
  ]);
  const role = operator && (await loadKit(flags.kit)).role === "coordinator" ? "coordinator" : "analyst";
  const kit = await loadKit(flags.kit, role);
  const client = await AnalystClient.connect(kit, diallingOf(kit));
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

async function submit(file: string, flags: JobFlags, session: Session): Promise<void> {
  if (!flags.wait && [flags.labels, flags.report, flags.model].some((path) => path !== undefined)) {
    throw new MoietyError("usage", "--labels, --report and --model need --wait: there is no result before");
  }
  await checkResults(flags, [file]);
  const text = await readText("job", file);
  const [{ cardOf }, { loadKit }] = await Promise.all([
    import("../federation/consent/card.js"),
    import("../federation/identity/kit.js"),
  ]);
  const { federation, name } = await loadKit(flags.kit, "analyst");
  // A request that cannot be used is said before anybody is called.
  cardOf(text, file, { federation, analyst: name, nonce: "0".repeat(32) });
  await withAnalyst(flags, async (client) => {
    const id = await client.submit(text, file, randomBytes);
    if (!flags.wait) return flags.json ? printJson({ id }) : print(id);
    process.stderr.write(`job ${id}\n`);
    await follow(client, id, session);
    await writeJobResult(client, id, flags, session);
  });
}

async function list(flags: JobFlags): Promise<void> {
  const { loadKit } = await import("../federation/identity/kit.js");
  const kit = await loadKit(flags.kit);
  if (kit.role === "party") {
    const consents = await siteConsents(kit, flags);
    const jobs = (await consents.list((_, error) => warn([error.message]))).map(listed);
    return flags.json ? printJson(jobs) : print(jobsReport(jobs));
  }
  const views = await withAnalyst(flags, (client) => client.list(), operators);
  if (flags.json) printJson(views);
  else print(jobsReport(views));
}

/** A job as a site knows it. */
function listed({ hash, job }: { readonly hash: string; readonly job: Considered }) {
  const { card } = job;
  const state = job.signature ? "signed" : job.refused ? "refused" : job.approved ? "approved" : "waiting for approval";
  const { algorithm, k, analyst, train } = card;
  return { id: hash.slice(0, 12), algorithm, k, learns: train !== undefined, analyst, state, card };
}

async function show(id: string, flags: JobFlags): Promise<void> {
  const { loadKit } = await import("../federation/identity/kit.js");
  const kit = await loadKit(flags.kit);
  if (kit.role === "party") {
    const job = listed(await (await siteConsents(kit, flags)).look(id));
    return flags.json ? printJson(job) : print(`${jobsReport([job])}\n\n${cardReport(job.card)}`);
  }
  const view = await withAnalyst(flags, (client) => client.show(id), operators);
  const now = view.reason ?? doingOf(view);
  const reason = now === undefined ? "" : `\n${view.state}: ${now}`;
  if (flags.json) printJson(view);
  else print(`${jobsReport([view])}${reason}\n\n${cardReport(view.card)}`);
}

async function cancel(id: string, flags: JobFlags): Promise<void> {
  await withAnalyst(flags, (client) => client.cancel(id), operators);
  if (flags.json) printJson({ id, cancelled: true });
  else print(`${id} is cancelled.`);
}

async function watch(id: string, flags: JobFlags, session: Session): Promise<void> {
  const followed = (client: AnalystClient) => follow(client, id, session);
  const view = await withAnalyst(flags, followed, operators);
  if (flags.json) printJson(view);
  else print(`${view.id}: ${view.state}`);
}

/** Tells every change of state on standard error. Throws when the job has failed. */
async function follow(client: AnalystClient, id: string, session: Session): Promise<JobView> {
  return session.interruption.during(async (signal) => {
    let said = "";
    for (;;) {
      if (signal.aborted) throw new MoietyError("cancelled", `no longer watching; job ${id} goes on`);
      const view = await client.show(id);
      const now = view.reason ?? (view.aligning ? "aligning" : null);
      const line = `${view.state}${now === null ? "" : `: ${now}`}`;
      if (line !== said) {
        session.progress.stop();
        process.stderr.write(`job ${view.id}: ${line}\n`);
      }
      said = line;
      const doing = doingOf(view);
      if (doing) session.progress.say(doing);
      else session.progress.stop();
      if (view.state === "failed") throw new MoietyError("failed", `job ${view.id} has failed: ${view.reason}`);
      if (view.state === "done") return view;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  });
}

/** How far a job is, for a terminal. */
function doingOf({ state, aligning, progress }: JobView): string | undefined {
  if (state !== "running") return undefined;
  if (aligning) return `aligning: ${Math.floor((100 * aligning.done) / Math.max(1, aligning.total))}%`;
  if (!progress) return undefined;
  if ("pass" in progress) return `pass ${progress.pass}`;
  const { run, round, rounds, settles, accuracy } = progress;
  const of = settles ? "until it settles" : `of ${rounds}`;
  return `${run === "control" ? "control, " : ""}round ${round} ${of}, ${(100 * accuracy).toFixed(1)}% right`;
}

async function decide(id: string, flags: JobFlags, yes: boolean): Promise<void> {
  const { loadKit } = await import("../federation/identity/kit.js");
  const kit = await loadKit(flags.kit, "party");
  const card = await (await siteConsents(kit, flags)).decide(id, yes);
  const done = yes ? "approved: the party's process signs it now" : "refused";
  if (flags.json) printJson({ id, approved: yes, card });
  else print(`${id} ${done}.`);
}

async function siteConsents(kit: Kit, flags: JobFlags) {
  const [{ Consents }, { FileStore }] = await Promise.all([
    import("../federation/party/consents.js"),
    import("../federation/store/files.js"),
  ]);
  return new Consents(kit, new FileStore(stateFolder(kit, flags.state)), async () => undefined);
}
