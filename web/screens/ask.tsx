import { shareLimits } from "../../src/constraints/bounds.js";
import type { NearestRequest } from "../../src/errors.js";
import type { PageRequest } from "../../src/explore/questions.js";
import { Choice, NumberField } from "../fields.js";
import { count, exact, name, number, percent } from "../format.js";
import { Failure, inPageWords, Wide, Working } from "../parts.js";
import type { PageState } from "../state.js";
import { words } from "../words.js";

/** What evenness is asked as; nearly even is the weight of the SSE in the command line's examples. */
const balances = { free: undefined, soft: 0.8, hard: "hard" } as const;

/** What is asked for, and whether it can be met. */
export function Ask({ state }: { readonly state: PageState }) {
  if (!state.table.value) return null;
  const request = state.request.value;
  const check = state.check.value;
  const failures = state.failures.value;
  const isProtected = Object.values(state.roles.value).includes("protected");
  const evenness = request.balance === undefined ? "free" : request.balance === "hard" ? "hard" : "soft";
  return (
    <section id="ask">
      <h2>{words.ask}</h2>
      <form
        class="fields"
        onSubmit={(event) => {
          event.preventDefault();
          void state.cluster();
        }}
      >
        <Option state={state} option="k" least={1} />
        {isProtected && (
          <label class="slider beside">
            <span>
              {words.delta}: <b>{number(request.delta)}</b>
            </span>
            <input
              type="range"
              min={0}
              max={0.9}
              step={0.01}
              value={request.delta}
              onInput={(event) => state.change({ delta: Number(event.currentTarget.value) })}
            />
          </label>
        )}
        <Choice
          label={words.evenness}
          value={evenness}
          choices={words.evennessChoices}
          onValue={(value) => state.change({ balance: balances[value] as number | "hard" })}
        />
        {isProtected && <Option state={state} option="tolerance" least={0} whole={false} />}
        <Option state={state} option="minSize" least={1} optional />
        <Option state={state} option="maxSize" least={1} optional />
        <Option state={state} option="seed" least={0} />
        <div class="standing" role="status" aria-busy={state.isChecking.value}>
          <Standing state={state} />
          {!isProtected && <span class="aside"> {words.nothingProtected}</span>}
        </div>
        {check && check.nearest.length > 0 && (
          <p class="buttons">
            {words.instead}{" "}
            {check.nearest.map((nearest) => (
              <button key={JSON.stringify(nearest)} type="button" onClick={() => state.change(nearest)}>
                {changeText(nearest)}
              </button>
            ))}
          </p>
        )}
        <p class="buttons">
          <button type="submit" class="main" disabled={check?.feasible === false}>
            {words.run}
          </button>
        </p>
      </form>
      <Failure state={state} of="check" />
      <Working state={state} of="cluster" />
      {/* A run that fails for the reason that was said beforehand says it no second time. */}
      {failures.cluster !== failures.check && <Failure state={state} of="cluster" />}
      {isProtected && <BoundsInPeople state={state} />}
    </section>
  );
}

/** Whether the request can be met, as far as it is known. */
function Standing({ state }: { readonly state: PageState }) {
  const check = state.check.value;
  const isChecking = state.isChecking.value;
  if (check?.feasible === true) return <span class="good">✓ {words.feasible(count(check.people))}</span>;
  if (check?.feasible === false) {
    return (
      <span class="bad">
        ✗ {inPageWords(check.why ?? "")}
        {isChecking && `. ${words.lookingFor}`}
      </span>
    );
  }
  return <span>{isChecking ? words.checking : check && words.undecided}</span>;
}

type NumberOption = "k" | "tolerance" | "minSize" | "maxSize" | "seed";

function Option(props: {
  readonly state: PageState;
  readonly option: NumberOption;
  readonly least: number;
  readonly whole?: boolean;
  readonly optional?: boolean;
}) {
  const { state, option, ...limits } = props;
  return (
    <NumberField
      label={words[option]}
      value={state.request.value[option]}
      {...limits}
      onValue={(value) => state.change({ [option]: value } as Partial<PageRequest>)}
    />
  );
}

function changeText(nearest: NearestRequest): string {
  return Object.entries(nearest)
    .map(([option, value]) => `${words.options[option as keyof NearestRequest]} ${number(value)}`)
    .join(", ");
}

/** Whole people between two bounds; where there are none, as for a rare group, the bounds themselves: the tolerance allows what is beyond. */
function wholeBetween(lower: number, upper: number): readonly [number, number] | undefined {
  const [from, to] = [Math.ceil(lower - 1e-9), Math.floor(upper + 1e-9)];
  return from <= to ? [from, to] : undefined;
}

function least(lower: number, upper: number): string {
  return exact(wholeBetween(lower, upper)?.[0] ?? Number(lower.toFixed(1)));
}

function most(lower: number, upper: number): string {
  return exact(wholeBetween(lower, upper)?.[1] ?? Number(upper.toFixed(1)));
}

/** Shares become people: what each group must have in a cluster of the usual size. */
function BoundsInPeople({ state }: { readonly state: PageState }) {
  const check = state.check.value;
  if (!check || check.groups.length === 0) return null;
  const { k, delta } = state.request.value;
  const size = Math.round(check.total / k);
  return (
    <>
      <h3>{words.boundsTitle(count(size))}</h3>
      <Wide label={words.boundsTitle(count(size))}>
        <table class="grid">
          <thead>
            <tr>
              <th scope="col">{words.group}</th>
              <th scope="col" class="n">
                {words.everybody}
              </th>
              <th scope="col" class="n">
                {words.least}
              </th>
              <th scope="col" class="n">
                {words.most}
              </th>
            </tr>
          </thead>
          <tbody>
            {check.groups.map(({ attribute, group, people }) => {
              const { lower, upper } = shareLimits(people / check.total, delta);
              return (
                <tr key={`${attribute} ${group}`}>
                  <th scope="row">
                    {attribute} <bdi>{name(group)}</bdi>
                  </th>
                  <td class="n">
                    {count(people)} <small>{percent(people / check.total)}</small>
                  </td>
                  <td class="n">
                    {least(lower * size, upper * size)} <small>{percent(lower)}</small>
                  </td>
                  <td class="n">
                    {most(lower * size, upper * size)} <small>{percent(upper)}</small>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </Wide>
    </>
  );
}
