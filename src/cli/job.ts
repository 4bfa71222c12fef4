import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { defined } from "../defined.js";
import { MoietyError } from "../errors.js";
import type { AnalystClient } from "../federation/analyst/client.js";
import type { JobView } from "../federation/coordinator/job.js";
import type { Kit } from "../federation/identity/kit.js";
import type { Considered } from "../federation/party/consents.js";
import { cardReport, foreseenReport, jobsReport, sitesReport } from "../report/jobs.js";
import { cardHelp } from "./card.js";
import { languageOption } from "./command-line.js";
import { readText } from "./input-files.js";
import { doingNow, JobLines } from "./job-lines.js";
import { writeJobResult } from "./job-result.js";
import { addKitOption, loadKit, stateFolder } from "./kits.js";
import { logTo } from "./logging.js";
import { checkResults, type ResultFlags } from "./outputs.js";
import { addLoginOption, loginOf, showPage } from "./pages.js";
import { printResult, type Session, warn } from "./session.js";
import { number } from "./values.js";

interface JobFlags extends ResultFlags {
  readonly kit: string;
  readonly state?: string;
  readonly wait?: boolean;
  readonly reason?: string;
}

const exampleId = "3f2a91bc04de";
const example = (line: string) => `\nExample:\n  $ moiety job ${line}`;

export function define(command: Command, session: Session): void {
  command.addHelpText("after", example("submit job.yaml --kit kits/alice --wait"));
  const add = (name: string, description: string, whose: string, args: string) =>
    addKitOption(command.command(name).description(description), whose)
      .option("--json", "print the answer as JSON")
      .addHelpText("after", example(`${name} ${args}`));
  const everybody = "an analyst, a site or the coordinator";
  const ofAlice = `${exampleId} --kit kits/alice`;

  add("submit", "Submit a job to the parties.", "the analyst", "job.yaml --kit kits/alice")
    .argument(
      "<file>",
      "the job, as YAML: docs/reference/federation.md has all it can say, such as capacity, seats and notion",
    )
    .option("--wait", "wait until the job is done, then print the result")
    .option("--labels <file>", "with --wait: as for moiety job result")
    .option("--report <file>", "with --wait: as for moiety job result")
    .option(...languageOption)
    .option("--model <file>", "with --wait: as for moiety job result")
    .option("--card <file>", "with --wait: as for moiety job result")
    .action((file: string, flags: JobFlags) => submit(file, flags, session));
  add(
    "list",
    "List jobs: the analyst's, those submitted to the site, or all at the coordinator.",
    everybody,
    "--kit kits/alice",
  )
    .option("--state <folder>", "for a site: the --state folder of its process")
    .action((flags: JobFlags) => list(flags));
  add("show", "Show a job's state and its card.", everybody, ofAlice)
    .argument("<id>", "of the job; its first digits are enough")
    .option("--state <folder>", "for a site: the --state folder of its process")
    .action((id: string, flags: JobFlags) => show(id, flags));
  add("watch", "Follow a job until it is done or has failed.", "the analyst or the coordinator", ofAlice)
    .argument("<id>", "of the job")
    .action((id: string, flags: JobFlags) => watch(id, flags, session));
  add("cancel", "End a job that is not done.", "the analyst, or of the coordinator for any job", ofAlice)
    .argument("<id>", "of the job")
    .action((id: string, flags: JobFlags) => cancel(id, flags));
  for (const [name, verb] of [
    ["approve", "Approve"],
    ["refuse", "Refuse"],
  ] as const) {
    const description = `${verb}, at a site, a job that waits for approval.`;
    const decision = add(name, description, "the site", `${exampleId} --kit kits/bank-a`)
      .argument("<id>", "of the job; moiety job list with the same kit shows it")
      .option("--state <folder>", "the --state folder of the site's process");
    if (name === "refuse") decision.option("--reason <text>", "why, in one line: the analyst gets to read it");
    decision.action((id: string, flags: JobFlags) => decide(id, flags, name === "approve"));
  }
  add("init", "Write a job to begin with, and its schema for editors.", "the analyst", "job.yaml --kit kits/alice")
    .argument("[file]", "where it goes; nothing is overwritten", "job.yaml")
    .action((file: string, flags: JobFlags) => init(file, flags));
  add(
    "check",
    "Check a job before it is submitted: its form, and what sites that publish their policy would say.",
    "the analyst",
    "job.yaml --kit kits/alice",
  )
    .argument("<file>", "the job, as YAML")
    .action((file: string, flags: JobFlags) => check(file, flags, session));
  const pageOptions = addKitOption(
    command
      .command("page")
      .description("Open a page to write jobs, follow them and read their results, on this machine alone."),
    "the analyst",
  )
    .argument("[id]", "of the job to show first")
    .option("--draft <file>", "a job, as YAML, to begin with")
    .option("--port <number>", "the port of 127.0.0.1 to listen on (default: any that is free)", number("--port"))
    .option("--no-open", "do not open the page in a browser");
  addLoginOption(pageOptions)
    .addHelpText("after", example("page --kit kits/alice"))
    .action((id: string | undefined, flags: JobPageFlags) => page(id, flags, session));
  add("result", "Fetch the result of a job that is done.", "the analyst", `${ofAlice} --report report.html`)
    .argument("<id>", "of the job")
    .option("--labels <file>", "write each person's cluster, if the card allows it to the analyst")
    .option("--report <file>", "write one page with tables and plots, as HTML")
    .option(...languageOption)
    .option("--model <file>", "for a training: write the classifier, if the card allows it to the analyst")
    .option("--card <file>", `for a training: ${cardHelp}`)
    .action((id: string, flags: JobFlags) =>
      withClient(flags, ["analyst"], (client) => writeJobResult(client, id, flags, session)),
    );
}

const analystOrOperator = ["analyst", "coordinator"] as const;

/** A connection to the coordinator with a kit of one of these roles; the first is the one that an error asks for. */
async function withClient<T>(
  flags: JobFlags,
  roles: readonly Kit["role"][],
  work: (client: AnalystClient) => Promise<T>,
): Promise<T> {
  const [{ diallingOf }, { AnalystClient }] = await Promise.all([
    import("../federation/transport/endpoints.js"),
    import("../federation/analyst/client.js"),
  ]);
  const { role } = await loadKit(flags.kit);
  const kit = await loadKit(flags.kit, roles.includes(role) ? role : roles[0]);
  const client = await AnalystClient.connect(kit, diallingOf(kit));
  try {
    return await work(client);
  } finally {
    client.close();
  }
}

/** The job names the sites of the federation; which of their columns it is about only the analyst knows. */
async function init(file: string, flags: JobFlags): Promise<void> {
  const [{ jobTemplate }, { jobSchema }, { jsonSchema, schemaFile, schemaLine }] = await Promise.all([
    import("../federation/consent/job-template.js"),
    import("../federation/consent/card.js"),
    import("../federation/editor-schema.js"),
  ]);
  const { members } = await loadKit(flags.kit, "analyst");
  const parties = members.filter(({ role }) => role === "party").map(({ name }) => name);
  const schema = join(dirname(file), schemaFile("job"));
  const written = async (path: string, text: string, flag: "w" | "wx") =>
    writeFile(path, text, { flag }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") {
        throw new MoietyError("usage", `${path} exists already, and nothing is overwritten: name another file`);
      }
      throw new MoietyError("output", `cannot write ${path}: ${error.code ?? error.message}`, { cause: error });
    });
  await written(file, schemaLine("job") + jobTemplate(parties), "wx");
  // One that is there already is of an earlier job, or of an earlier version.
  await written(schema, jsonSchema("job", jobSchema), "w");
  const next = `moiety job check ${file} --kit ${flags.kit}`;
  printResult(flags, { job: file, schema }, `Wrote ${file} and ${schema}. Fill in the columns, then: ${next}`);
}

async function submit(file: string, flags: JobFlags, session: Session): Promise<void> {
  if (
    !flags.wait &&
    [flags.labels, flags.report, flags.language, flags.model, flags.card].some((given) => given !== undefined)
  ) {
    throw new MoietyError(
      "usage",
      "--labels, --report, --language, --model and --card need --wait: there is no result before",
    );
  }
  await checkResults(flags, [file]);
  const text = await readText("job", file);
  const { cardOf } = await import("../federation/consent/card.js");
  const { federation, name } = await loadKit(flags.kit, "analyst");
  // What is wrong with the request is said before anybody is called.
  cardOf(text, file, { federation, analyst: name, nonce: "0".repeat(32) });
  await withClient(flags, ["analyst"], async (client) => {
    const id = await client.submit(text, file, randomBytes);
    const pageCommand = `follow it in a page: moiety job page ${id} --kit ${flags.kit}\n`;
    if (!flags.wait) {
      process.stderr.write(pageCommand);
      return printResult(flags, { id }, id);
    }
    process.stderr.write(`job ${id}; ${pageCommand}`);
    await follow(client, id, session);
    await writeJobResult(client, id, flags, session);
  });
}

/** Exits with 1 where a site would refuse it. */
async function check(file: string, flags: JobFlags, session: Session): Promise<void> {
  const text = await readText("job", file);
  const [{ cardOf }, { foresee }] = await Promise.all([
    import("../federation/consent/card.js"),
    import("../federation/analyst/client.js"),
  ]);
  const { federation, name } = await loadKit(flags.kit, "analyst");
  const card = cardOf(text, file, { federation, analyst: name, nonce: "0".repeat(32) });
  const verdicts = await withClient(flags, ["analyst"], async (client) =>
    foresee(card, await client.policies(randomBytes)),
  );
  printResult(flags, verdicts, foreseenReport(verdicts));
  if (verdicts.some(({ lines }) => lines?.some(({ holds }) => !holds))) session.fail();
}

interface JobPageFlags extends Pick<JobFlags, "kit"> {
  readonly draft?: string;
  readonly port?: number;
  readonly open: boolean;
  readonly oidc?: string;
}

async function page(id: string | undefined, flags: JobPageFlags, session: Session): Promise<void> {
  const [{ diallingOf }, { serveAnalyst }] = await Promise.all([
    import("../federation/transport/endpoints.js"),
    import("../pages/analyst-page.js"),
  ]);
  const kit = await loadKit(flags.kit, "analyst");
  const clock = () => Date.now();
  const draft = flags.draft === undefined ? undefined : await readText("job", flags.draft);
  const login = await loginOf(flags, logTo(process.stderr, kit.name, {}));
  await showPage(
    () => serveAnalyst({ kit, dialling: diallingOf(kit), port: flags.port, job: id, draft, clock, login }),
    flags,
    session,
    "stopped; jobs go on without the page",
  );
}

async function list(flags: JobFlags): Promise<void> {
  const kit = await loadKit(flags.kit);
  const jobs =
    kit.role === "party"
      ? (await (await siteConsents(kit, flags)).list((_, error) => warn([error.message]))).map(listed)
      : await withClient(flags, analystOrOperator, (client) => client.list());
  printResult(flags, jobs, jobsReport(jobs));
}

/** A job as a site knows it. */
function listed({ hash, job }: { readonly hash: string; readonly job: Considered }) {
  const { card } = job;
  const state = job.signature ? "signed" : job.refused ? "refused" : job.approved ? "approved" : "waiting for approval";
  const { algorithm, k, analyst, person, train } = card;
  const who = { analyst, ...defined({ person }) };
  return { id: hash.slice(0, 12), algorithm, k, learns: train !== undefined, ...who, state, card };
}

async function show(id: string, flags: JobFlags): Promise<void> {
  const kit = await loadKit(flags.kit);
  if (kit.role === "party") {
    const job = listed(await (await siteConsents(kit, flags)).look(id));
    return printResult(flags, job, `${jobsReport([job])}\n\n${cardReport(job.card)}`);
  }
  const view = await withClient(flags, analystOrOperator, (client) => client.show(id));
  const now = view.reason ?? doingNow(view);
  const reason = now === undefined ? "" : `\n${view.state}: ${now}`;
  const sites = sitesReport(view.sites);
  printResult(flags, view, `${jobsReport([view])}${reason}\n\n${sites}\n\n${cardReport(view.card)}`);
}

async function cancel(id: string, flags: JobFlags): Promise<void> {
  await withClient(flags, analystOrOperator, (client) => client.cancel(id));
  printResult(flags, { id, cancelled: true }, `${id} is cancelled.`);
}

async function watch(id: string, flags: JobFlags, session: Session): Promise<void> {
  const view = await withClient(flags, analystOrOperator, (client) => follow(client, id, session));
  printResult(flags, view, `${view.id}: ${view.state}`);
}

/** Tells on standard error what becomes of the job. Throws when it has failed. */
async function follow(client: AnalystClient, id: string, session: Session): Promise<JobView> {
  return session.interruption.during(async (signal) => {
    const lines = new JobLines(session.progress, (line) => process.stderr.write(`${line}\n`), Date.now);
    for (;;) {
      if (signal.aborted) throw new MoietyError("cancelled", `no longer watching; job ${id} goes on`);
      const view = await client.show(id);
      lines.tell(view);
      if (view.state === "failed") throw new MoietyError("failed", `job ${view.id} has failed: ${view.reason}`);
      if (view.state === "done") return view;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  });
}

async function decide(id: string, flags: JobFlags, yes: boolean): Promise<void> {
  const kit = await loadKit(flags.kit, "party");
  const card = await (await siteConsents(kit, flags)).decide(id, yes, defined({ reason: flags.reason }));
  const done = yes ? "approved: the party's process signs it now" : "refused";
  printResult(flags, { id, approved: yes, card }, `${id} ${done}.`);
}

async function siteConsents(kit: Kit, flags: JobFlags) {
  const [{ Consents }, { FileStore }] = await Promise.all([
    import("../federation/party/consents.js"),
    import("../federation/store/files.js"),
  ]);
  return new Consents(kit, new FileStore(stateFolder(kit, flags.state)), async () => undefined);
}
