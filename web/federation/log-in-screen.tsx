import { useSignal } from "@preact/signals";
import { Failed } from "./frame.js";
import { logIn } from "./log-in.js";
import { words } from "./words.js";

/** All that there is to see for somebody who has not logged in, with why that failed. */
export function LogInScreen({ failure }: { readonly failure: string | undefined }) {
  const fault = useSignal(failure);
  const leaving = useSignal(false);
  const leave = async () => {
    [fault.value, leaving.value] = [undefined, true];
    try {
      await logIn();
    } catch (error) {
      [fault.value, leaving.value] = [(error as Error).message, false];
    }
  };
  return (
    <section id="log-in">
      {fault.value === undefined ? null : <Failed message={fault.value} />}
      <p>{words.logInMeans}</p>
      <p class="buttons">
        <button type="button" class="main" disabled={leaving.value} onClick={() => void leave()}>
          {words.logIn}
        </button>
      </p>
    </section>
  );
}
