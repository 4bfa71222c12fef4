import { effect, untracked } from "@preact/signals";
import { useEffect, useId, useState } from "preact/hooks";
import type { BudgetOutlook } from "../../src/explore/questions.js";
import { Fault } from "../fields.js";
import { count, number, percent } from "../format.js";
import { Failure, FileButtons, inPageWords, Repeat, Said, Working } from "../parts.js";
import { type PageState, rest } from "../state.js";
import { words } from "../words.js";

/** Epsilons that are worth choosing between. */
const epsilons = [0.1, 0.2, 0.5, 1, 2, 3, 5, 10] as const;
const usual = 3;

/** Clusters whose publication is differentially private: what that means in people, and what it spends, before it is confirmed. */
export function Private({ state }: { readonly state: PageState }) {
  const table = state.table.value;
  const isProtected = Object.values(state.roles.value).includes("protected");
  if (!table || !state.found.value || !isProtected) return null;
  return (
    <section id="private" class="offered">
      <h2>{words.private}</h2>
      <p>{words.privateNote}</p>
      {state.engine.native ? (
        <PrivateForm state={state} isNamed={table.place !== undefined} />
      ) : (
        <p>{words.privateElsewhere}</p>
      )}
    </section>
  );
}

function PrivateForm({ state, isNamed }: { readonly state: PageState; readonly isNamed: boolean }) {
  const [at, setAt] = useState(usual);
  const [dataset, setDataset] = useState("");
  const [typed, setTyped] = useState("");
  const [fault, setFault] = useState<"dataset" | "epsilon" | undefined>(undefined);
  const [datasetFault, epsilonFault] = [useId(), useId()];
  const epsilon = epsilons[at] ?? 1;
  const isReady = isNamed || dataset.trim() !== "";
  // The outlook is that of the latest settings, once nothing changes any more.
  useEffect(
    () =>
      effect(() => {
        const [roles, request] = [state.roles.value, state.request.value];
        if (!isReady) return undefined;
        const ask = () => void state.ask({ kind: "budget", roles, request, epsilon, dataset }, state.outlook);
        const resting = setTimeout(() => untracked(ask), rest);
        return () => clearTimeout(resting);
      }),
    [state, epsilon, dataset, isReady],
  );
  const spend = async () => {
    const wrong = !isReady ? "dataset" : Number(typed.trim().replace(",", ".")) !== epsilon ? "epsilon" : undefined;
    setFault(wrong);
    if (wrong) return;
    const [roles, request] = [state.roles.value, state.request.value];
    const asked = { roles, request, epsilon, dataset };
    const found = await state.ask({ kind: "private", ...asked, confirmed: typed }, state.privately);
    setTyped("");
    if (found) await state.ask({ kind: "budget", ...asked }, state.outlook);
  };
  const outlook = isReady ? state.outlook.value : undefined;
  const shown = state.privately.value;
  return (
    <>
      <form
        class="fields"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void spend();
        }}
      >
        <label class="slider">
          <span>
            {words.epsilon}: <b>{number(epsilon)}</b>
          </span>
          <input
            type="range"
            min={0}
            max={epsilons.length - 1}
            step={1}
            value={at}
            aria-valuetext={number(epsilon)}
            onInput={({ currentTarget }) => setAt(Number(currentTarget.value))}
          />
        </label>
        {!isNamed && (
          <label>
            {words.dataset}
            <input
              type="text"
              value={dataset}
              aria-describedby={fault === "dataset" ? datasetFault : undefined}
              onInput={({ currentTarget }) => setDataset(currentTarget.value)}
            />
            <Fault id={datasetFault} text={fault === "dataset" ? words.wantsDataset : undefined} />
          </label>
        )}
        {outlook && <Outlook {...outlook} epsilon={epsilon} />}
        <label>
          {words.confirm(number(epsilon))}
          <input
            type="text"
            inputMode="decimal"
            autocomplete="off"
            value={typed}
            aria-describedby={fault === "epsilon" ? epsilonFault : undefined}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Fault id={epsilonFault} text={fault === "epsilon" ? words.wantsConfirmation(number(epsilon)) : undefined} />
        </label>
        <p class="buttons">
          <button type="submit" disabled={outlook?.refused !== undefined}>
            {words.spend(number(epsilon))}
          </button>
        </p>
      </form>
      <Failure state={state} of="budget" />
      <Working state={state} of="private" />
      <Failure state={state} of="private" />
      {shown && (
        <>
          <Said markup={shown.opening} />
          {shown.sections.map(({ id, markup }) => (
            <Said key={id} markup={markup} of={words.private} />
          ))}
          <FileButtons state={state} of="private" formats={["model", "csv", "report"]} />
          <p class="aside">{words.privateFiles}</p>
          <Repeat of={words.private} run={shown} note={words.privateRepeat} />
        </>
      )}
    </>
  );
}

/** How sure somebody can be of a person's group after an even bet, having seen all that was published. */
function certainty(epsilon: number): string {
  return percent(1 / (1 + Math.exp(-epsilon)));
}

function Outlook({ epsilon, ...outlook }: BudgetOutlook & { readonly epsilon: number }) {
  const { budget, spent, spentAfter, countError, clusterSize, dataset, refused, without } = outlook;
  const of = budget === null ? words.noBudget : words.ofBudget(number(budget));
  return (
    <div class="outlook" role="status">
      <p>
        {words.accuracy(
          count(Math.ceil(countError)),
          count(Math.round(clusterSize)),
          percent(Math.min(1, countError / clusterSize)),
        )}
      </p>
      {without.length > 0 && <p class="aside">{words.privateWithout(without.join(", "))}</p>}
      <p>{words.risk(certainty(epsilon), certainty(spentAfter))}</p>
      <table class="grid ledger">
        <caption>{words.ledger(dataset)}</caption>
        <thead>
          <tr>
            <td />
            <th scope="col" class="n">
              {words.before}
            </th>
            <th scope="col" class="n">
              {words.after}
            </th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{words.spent}</th>
            <td class="n">{number(spent)}</td>
            <td class="n">{number(spentAfter)}</td>
          </tr>
          {budget !== null && (
            <tr>
              <th scope="row">{words.left}</th>
              <td class="n">{number(Math.max(0, budget - spent))}</td>
              <td class="n">{number(Math.max(0, budget - spentAfter))}</td>
            </tr>
          )}
        </tbody>
      </table>
      <p class="aside">{of}</p>
      {refused && (
        <p class="failure" role="alert">
          {inPageWords(refused)}
        </p>
      )}
    </div>
  );
}
