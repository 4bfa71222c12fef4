import { useState } from "preact/hooks";
import type { PageQuestion, RepeatedView, SavedFile } from "../src/explore/questions.js";
import { percent } from "./format.js";
import { Wide } from "./layout.js";
import type { PageState } from "./state.js";
import { heard, words } from "./words.js";

export { Said, Wide } from "./layout.js";

interface OfQuestion {
  readonly state: PageState;
  readonly of: PageQuestion["kind"];
}

/** A message of the core in the reader's language. Options stand between backticks in it: here they are called as the page calls them. */
export function inPageWords(message: string): string {
  const names: Readonly<Record<string, string>> = words.options;
  return heard(message).replace(
    /`(\w+)([^`]*)`/g,
    (_, option: string, rest: string) => `${names[option] ?? option}${rest}`,
  );
}

/** Why the last question of a kind was not answered, in one sentence. */
export function Failure({ state, of }: OfQuestion) {
  const message = state.failures.value[of];
  return message === undefined ? null : (
    <p class="failure" role="alert">
      {inPageWords(message)}
    </p>
  );
}

/** How far a question is, and a way to stop it. */
export function Working({ state, of }: OfQuestion) {
  const progress = state.working.value[of];
  if (!progress) return null;
  const phase = words.phases[progress.phase] ?? words.working;
  return (
    <p class="working">
      <progress value={progress.part} max={1} aria-label={phase} /> {phase} {percent(progress.part)}{" "}
      <button type="button" onClick={() => state.stop(of)}>
        {words.stop}
      </button>
    </p>
  );
}

/** Buttons that save files of a run. Labels go with the source's columns where that is wished. */
export function FileButtons(props: {
  readonly state: PageState;
  readonly of: SavedFile["of"];
  readonly formats: readonly SavedFile["format"][];
}) {
  const { state, of, formats } = props;
  const [withColumns, setWithColumns] = useState(false);
  const save = async (format: SavedFile["format"]) => {
    const file = await state.ask({ kind: "file", of, format, withColumns });
    if (!file) return;
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([file.content as BlobPart], { type: file.type }));
    link.download = file.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  };
  return (
    <>
      <p class="buttons files">
        {formats.map((format) => (
          <button key={format} type="button" onClick={() => void save(format)}>
            {words.files[format]}
          </button>
        ))}
      </p>
      {formats.includes("csv") && (
        <p>
          <label>
            <input
              type="checkbox"
              checked={withColumns}
              onChange={({ currentTarget }) => setWithColumns(currentTarget.checked)}
            />{" "}
            {words.withColumns}
          </label>
        </p>
      )}
      <Failure state={state} of="file" />
    </>
  );
}

/** What repeats a run elsewhere. */
export function Repeat(props: {
  /** The section that it stands in: several have one. */
  readonly of: string;
  readonly run: Pick<RepeatedView, "command" | "program">;
  readonly note?: string;
}) {
  const { of, run, note } = props;
  return (
    <>
      <CommandLine of={of} title={words.commandTitle} text={run.command} {...(note === undefined ? {} : { note })} />
      {run.program !== undefined && <CommandLine of={of} title={words.programTitle} text={run.program} />}
    </>
  );
}

/** Something to be pasted elsewhere. */
function CommandLine(props: {
  readonly of: string;
  readonly title: string;
  readonly text: string;
  readonly note?: string;
}) {
  const { of, title, text, note } = props;
  return (
    <>
      <h3>{title}</h3>
      {note && <p class="aside">{note}</p>}
      <Wide label={`${of}: ${title}`}>
        <pre>
          <code>{text}</code>
        </pre>
      </Wide>
      <CopyButton label={words.copy} text={() => text} />
    </>
  );
}

export function CopyButton({ label, text }: { readonly label: string; readonly text: () => string }) {
  const [copied, setCopied] = useState(false);
  const [byHand, setByHand] = useState<string | undefined>(undefined);
  const copy = async () => {
    const copying = text();
    try {
      await navigator.clipboard.writeText(copying);
    } catch {
      // Browsers let only some pages copy, and only where people allow it.
      setByHand(copying);
      return;
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        {copied ? words.copied : label}
      </button>
      {byHand !== undefined && (
        <label class="byhand">
          {words.copyByHand}
          <input readOnly value={byHand} onFocus={({ currentTarget }) => currentTarget.select()} />
        </label>
      )}
    </>
  );
}
