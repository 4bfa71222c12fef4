import type { PolicyLine } from "../../src/federation/consent/policy.js";
import { words } from "./words.js";

/** What a policy says to a job, rule by rule. */
export function Verdict({ lines }: { readonly lines: readonly PolicyLine[] }) {
  return (
    <ul class="rules">
      {lines.map(({ rule, holds, says }) => (
        <li key={`${rule} ${says}`} class={holds ? "holds" : "breaks"}>
          <span class="mark" aria-hidden="true">
            {holds ? "✓" : "✗"}
          </span>
          <span class="unseen">{holds ? words.allowed : words.notAllowed}</span> <code>{rule}</code> {words.said(says)}
        </li>
      ))}
    </ul>
  );
}
