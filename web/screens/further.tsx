import type { PageState } from "../state.js";
import { Classifier } from "./classifier.js";
import { Leave } from "./leave.js";
import { Newcomers } from "./newcomers.js";
import { Private } from "./private.js";
import { See } from "./see.js";
import { TradeOff } from "./trade-off.js";

/** Everything that can be done with a table once it is open. */
export function Further({ state }: { readonly state: PageState }) {
  return (
    <>
      <See state={state} />
      <TradeOff state={state} />
      <Newcomers state={state} />
      <Private state={state} />
      <Classifier state={state} />
      <Leave state={state} />
    </>
  );
}
