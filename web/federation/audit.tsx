import { signal } from "@preact/signals";
import { type AuditedMember, auditLines, type LogVerdict, verifyAudit } from "../../src/privacy/audit/verify.js";
import { count } from "../format.js";
import { language } from "../language.js";
import { Cards } from "../layout.js";
import { save } from "../save.js";
import { draw, Failed } from "./frame.js";
import { words } from "./words.js";

interface Dropped {
  readonly path: string;
  readonly text: string;
}

const members = signal<{ readonly federation: string; readonly members: readonly AuditedMember[] } | undefined>(
  undefined,
);
const logs = signal<readonly Dropped[]>([]);
const verdicts = signal<readonly LogVerdict[] | undefined>(undefined);
const fault = signal<string | undefined>(undefined);

/**
 * Files are told apart by what is in them: a kit's list of members is JSON as a whole, a log line by line. Where one of them is
 * neither there is no verdict, as on the command line: it may be a log of which nothing was left.
 */
async function take(files: Iterable<File>): Promise<void> {
  const faults: string[] = [];
  for (const file of Array.from(files)) {
    const text = await file.text().catch(() => undefined);
    const kit = text === undefined ? undefined : kitIn(text);
    if (kit) members.value = kit;
    else if (text !== undefined && /^\s*\{"entry":/.test(text)) {
      // Sites' files have the same name: which is which, the page says by whose they are.
      const others = logs.value.filter((known) => known.text !== text);
      logs.value = [...others, { path: nameFor(file.name, others), text }];
    } else faults.push((text === undefined ? words.cannotRead : words.noLog)(file.name));
  }
  [fault.value, verdicts.value] = [faults[0], undefined];
  if (faults.length === 0) await verify();
}

function nameFor(name: string, others: readonly Dropped[]): string {
  const taken = new Set(others.map(({ path }) => path));
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} (${number})`;
    if (!taken.has(candidate)) return candidate;
  }
}

function kitIn(text: string): typeof members.value {
  try {
    const { federation, members: listed } = JSON.parse(text) as { federation?: unknown; members?: unknown };
    if (typeof federation !== "string" || !Array.isArray(listed) || !listed.every(isMember)) return undefined;
    return { federation, members: listed };
  } catch {
    return undefined;
  }
}

function isMember(value: unknown): value is AuditedMember {
  const { role, name, signing } = (value ?? {}) as Partial<Record<keyof AuditedMember, unknown>>;
  return [role, name, signing].every((each) => typeof each === "string");
}

async function verify(): Promise<void> {
  const [kit, given] = [members.value, logs.value];
  if (!kit || given.length === 0) return;
  // Other files may have come meanwhile, or these may have been forgotten.
  const isOfThese = () => members.value === kit && logs.value === given && fault.value === undefined;
  try {
    const sources = given.map(({ path, text }) => ({ path, lines: () => auditLines(text) }));
    const found = await verifyAudit(kit.members, sources);
    if (isOfThese()) verdicts.value = found;
  } catch (error) {
    if (isOfThese()) fault.value = (error as Error).message;
  }
}

/** Members that keep a log which is not among these. */
function notAmong(all: readonly LogVerdict[]): string[] {
  const here = new Set(all.map(({ site }) => site));
  const sites = members.value?.members.filter(({ role, name }) => role === "party" && !here.has(name)) ?? [];
  return sites.map(({ name }) => name);
}

function forget(): void {
  [members.value, logs.value, verdicts.value, fault.value] = [undefined, [], undefined, undefined];
}

function Page() {
  return (
    <>
      <div class="top">
        <h1>Moiety: {words.auditTitle}</h1>
        <span>{words.auditOffline}</span>
      </div>
      <p class="lead">{words.auditLead}</p>
      <section id="files">
        <h2>{words.auditFiles}</h2>
        <Drop />
        {fault.value === undefined ? null : <Failed message={fault.value} />}
        <ul class="lines">
          <li>
            {members.value ? words.membersOf(members.value.federation, members.value.members.length) : words.noMembers}
          </li>
          {logs.value.length === 0 ? <li>{words.noLogs}</li> : null}
          {logs.value.map(({ path, text }) => (
            <li key={path}>{words.logOf(path, count(auditLines(text).length))}</li>
          ))}
        </ul>
        {members.value || logs.value.length > 0 ? (
          <p class="buttons">
            <button type="button" onClick={forget}>
              {words.forget}
            </button>
          </p>
        ) : null}
      </section>
      {verdicts.value ? <Outcome verdicts={verdicts.value} /> : null}
    </>
  );
}

function Drop() {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field inside does the same without a mouse.
    <div
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void take(event.dataTransfer?.files ?? []);
      }}
    >
      <p>
        <strong>{words.auditDrop}</strong>
      </p>
      <p class="aside">{words.auditDropNote}</p>
      <label>
        {words.chooseFiles}{" "}
        <input
          type="file"
          multiple
          onChange={({ currentTarget }) => {
            void take(currentTarget.files ?? []);
          }}
        />
      </label>
    </div>
  );
}

function Outcome({ verdicts: all }: { readonly verdicts: readonly LogVerdict[] }) {
  const right = all.every(({ faults }) => faults.length === 0);
  const absent = notAmong(all);
  const alone = all.filter(({ vouchedBy, faults }) => vouchedBy.length === 0 && faults.length === 0);
  // As `moiety audit verify --json` prints it.
  const receipt = () =>
    save("audit-receipt.json", `${JSON.stringify({ right, logs: all }, null, 2)}\n`, "application/json");
  return (
    <>
      <div class={`verdict ${right ? "good" : "bad"}`} role="status">
        <p class="stamp">
          <span class="mark" aria-hidden="true">
            {right ? "✓" : "✗"}
          </span>
          {right ? words.auditRight : words.auditBroken}
        </p>
        <p class="sentence">{right ? words.auditRightMeans : words.auditBrokenMeans}</p>
      </div>
      <section id="verdicts">
        <h2>{words.auditLogs}</h2>
        <Cards label={words.auditLogs}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.logTitle}</th>
                <th scope="col">{words.file}</th>
                <th scope="col" class="n">
                  {words.entries}
                </th>
                <th scope="col">{words.seenBy}</th>
                <th scope="col">{words.verdict}</th>
              </tr>
            </thead>
            <tbody>
              {all.map(({ path, site, entries, vouchedBy, faults }) => (
                <tr key={path}>
                  <th scope="row">{site}</th>
                  <td>{path}</td>
                  <td class="n">{count(entries)}</td>
                  <td>{vouchedBy.join(", ") || "–"}</td>
                  <td class={faults.length === 0 ? "here" : "gone"}>
                    {faults.length === 0 ? words.right : faults.map(words.said).join("; ")}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Cards>
        {absent.length === 0 ? null : <p class="aside">{words.absentLogs(absent.join(", "))}</p>}
        {alone.length === 0 ? null : (
          <p class="aside">{words.onlyOthersTell(alone.map(({ site }) => site).join(", "))}</p>
        )}
        <p class="buttons">
          <button type="button" class="main" onClick={receipt}>
            {words.receipt}
          </button>
        </p>
        <p class="aside">{words.receiptNote}</p>
      </section>
    </>
  );
}

// A file that is dropped beside the place for it would be opened by the browser, in place of this page.
for (const dropping of ["dragover", "drop"]) addEventListener(dropping, (event) => event.preventDefault());
document.documentElement.lang = language;
document.title = `Moiety: ${words.auditTitle}`;
draw(<Page />);
