import { shareLimits } from "../../src/constraints/bounds.js";
import type { NearestRequest } from "../../src/errors.js";
import type { PageRequest } from "../../src/explore/questions.js";
import { count, number, percent } from "../format.js";
import { Failure, Wide, Working } from "../parts.js";
import type { PageState } from "../state.js";
import { words } from "../words.js";

/** The weight of the SSE where sizes are to be nearly even, as the command line's examples have it. */
const nearlyEven = 0.8;

/** What is asked for, and whether it can be met. */
export function Ask({ state }: { readonly state: PageState }) {
  if (!state.table.value) return null;
  const request = state.request.value;
  const check = state.check.value;
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
        <Whole state={state} option="k" least={1} />
        {isProtected && (
          <label class="slider">
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
        <label>
          {words.evenness}
          <select
            value={evenness}
            onChange={({ currentTarget: { value } }) =>
              state.change({
                balance: (value === "free" ? undefined : value === "hard" ? "hard" : nearlyEven) as number | "hard",
              })
            }
          >
            {Object.entries(words.evennessChoices).map(([choice, word]) => (
              <option key={choice} value={choice}>
                {word}
              </option>
            ))}
          </select>
        </label>
        {isProtected && <Whole state={state} option="tolerance" least={0} step="any" />}
        <Whole state={state} option="minSize" least={1} optional />
        <Whole state={state} option="maxSize" least={1} optional />
        <Whole state={state} option="seed" least={0} />
        <div class="standing" role="status">
          {check === undefined ? (
            words.checking
          ) : check.feasible ? (
            <span class="good">✓ {words.feasible(count(check.people))}</span>
          ) : (
            <span class="bad">✗ {check.why}</span>
          )}
          {!isProtected && <span class="aside"> {words.nothingProtected}</span>}
        </div>
        {check && !check.feasible && check.nearest.length > 0 && (
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
      <Failure state={state} of="cluster" />
      {isProtected && <BoundsInPeople state={state} />}
    </section>
  );
}

type NumberOption = "k" | "tolerance" | "minSize" | "maxSize" | "seed";

function Whole(props: {
  readonly state: PageState;
  readonly option: NumberOption;
  readonly least: number;
  readonly step?: string;
  readonly optional?: boolean;
}) {
  const { state, option, least, step = "1", optional = false } = props;
  return (
    <label>
      {words[option]}
      <input
        type="number"
        min={least}
        step={step}
        value={state.request.value[option] ?? ""}
        placeholder={optional ? words.automatic : ""}
        required={!optional}
        onChange={({ currentTarget: { value } }) => {
          if (value === "" && optional) state.change({ [option]: undefined } as Partial<PageRequest>);
          else if (Number(value) >= least) state.change({ [option]: Number(value) });
        }}
      />
    </label>
  );
}

function changeText(nearest: NearestRequest): string {
  return Object.entries(nearest)
    .map(([option, value]) => `${words.options[option as keyof NearestRequest]} ${number(value)}`)
    .join(", ");
}

/** Shares become people: what each group must have in a cluster of the usual size. */
function BoundsInPeople({ state }: { readonly state: PageState }) {
  const check = state.check.value;
  if (!check || check.groups.length === 0) return null;
  const { k, delta } = state.request.value;
  const size = Math.round(check.people / k);
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
              const { lower, upper } = shareLimits(people / check.people, delta);
              return (
                <tr key={`${attribute} ${group}`}>
                  <th scope="row">
                    {attribute} {group}
                  </th>
                  <td class="n">
                    {count(people)} <small>{percent(people / check.people)}</small>
                  </td>
                  <td class="n">
                    {count(Math.ceil(lower * size - 1e-9))} <small>{percent(lower)}</small>
                  </td>
                  <td class="n">
                    {count(Math.floor(upper * size + 1e-9))} <small>{percent(upper)}</small>
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
