import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { DeskJob } from "../../src/federation/party/desk.js";
import type { CheckedPolicy, SiteState } from "../../src/pages/site-page.js";
import { Wide } from "../layout.js";
import { Confirm } from "./frame.js";
import type { Live } from "./live.js";
import { Verdict } from "./verdict.js";
import { words } from "./words.js";
import { YamlField } from "./yaml-field.js";

interface Props {
  readonly live: Live<SiteState>;
  readonly policy: SiteState["policy"];
  readonly waiting: readonly DeskJob[];
}

/** The site's policy, checked while it is edited: nothing changes before it is saved. */
export function PolicySection({ live, policy, waiting }: Props) {
  /** What is being written, and the text that it began with. */
  const edited = useSignal<{ readonly text: string; readonly before: string } | undefined>(undefined);
  const checked = useSignal<CheckedPolicy | undefined>(undefined);
  const text = edited.value?.text ?? policy.text;
  const changed = text !== policy.text;
  const overtaken = changed && edited.value !== undefined && edited.value.before !== policy.text;
  const jobs = waiting.map(({ id }) => id).join();
  useEffect(() => {
    const timer = setTimeout(() => {
      live.ask<CheckedPolicy>("checkPolicy", { text }).then(
        (answer) => {
          checked.value = answer;
        },
        () => undefined,
      );
    }, 250);
    return () => clearTimeout(timer);
  }, [text, jobs]);
  const fault = checked.value?.fault ?? null;
  return (
    <section id="policy">
      <h2>{words.policy}</h2>
      <p class="aside">
        <code>{policy.file}</code>
      </p>
      <YamlField
        label={words.policyText}
        text={text}
        fault={fault}
        good={words.policyGood}
        onInput={(value) => {
          edited.value = { text: value, before: edited.value?.before ?? policy.text };
        }}
      />
      {overtaken ? <Overtaken text={policy.text} /> : null}
      {changed && fault === null
        ? Object.entries(checked.value?.verdicts ?? {}).map(([id, lines]) => (
            <div key={id}>
              <h3>
                {words.wouldSay} <code>{id}</code>
              </h3>
              <Verdict lines={lines.filter(({ holds }) => !holds)} />
              {lines.every(({ holds }) => holds) ? <p class="here">{words.allAllowed}</p> : null}
            </div>
          ))
        : null}
      <div class="decide">
        {changed && fault === null && !overtaken ? (
          <Confirm
            label={words.savePolicy}
            what={words.savePolicyMeans}
            typed="policy"
            tone="main"
            act={async () => {
              await live.ask("savePolicy", { text, before: edited.value?.before });
              edited.value = undefined;
            }}
          />
        ) : null}
        {changed ? (
          <button
            type="button"
            onClick={() => {
              edited.value = undefined;
            }}
          >
            {words.undo}
          </button>
        ) : null}
      </div>
    </section>
  );
}

/** Somebody else has saved another policy since this one was begun. */
function Overtaken({ text }: { readonly text: string }) {
  return (
    <div class="failure" role="alert">
      <p>{words.policyOvertaken}</p>
      <Wide label={words.policyNow}>
        <pre>{text}</pre>
      </Wide>
    </div>
  );
}
