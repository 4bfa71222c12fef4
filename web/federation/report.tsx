import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Said } from "../layout.js";
import { Failed } from "./frame.js";
import { words } from "./words.js";

/** A report, fetched when it is looked at. */
export function Report({ ask }: { readonly ask: () => Promise<string> }) {
  const markup = useSignal<string | undefined>(undefined);
  const fault = useSignal<string | undefined>(undefined);
  useEffect(() => {
    ask().then(
      (text) => {
        markup.value = text;
      },
      (error: Error) => {
        fault.value = error.message;
      },
    );
  }, []);
  if (fault.value !== undefined) return <Failed message={fault.value} />;
  return markup.value === undefined ? <p role="status">{words.loading}</p> : <Said markup={markup.value} />;
}
