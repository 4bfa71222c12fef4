import { signal } from "@preact/signals";
import { render } from "preact";
import { serverEngine } from "./engine/server.js";
import { tabEngine } from "./engine/tab.js";
import { language } from "./language.js";
import { Ask } from "./screens/ask.js";
import { Columns } from "./screens/columns.js";
import { Data } from "./screens/data.js";
import { Leave, TradeOff } from "./screens/leave.js";
import { See } from "./screens/see.js";
import { PageState } from "./state.js";
import { words } from "./words.js";

/** Requests since the page loaded, its own parts aside. */
const requests = signal(0);

function Page({ state }: { readonly state: PageState }) {
  return (
    <>
      <div class="top">
        <h1>Moiety: {words.title}</h1>
        <span>{words.requests(requests.value)}</span>
      </div>
      <p class="lead">{state.engine.native ? words.leadNative : words.lead}</p>
      <Data state={state} />
      <Columns state={state} />
      <Ask state={state} />
      <See state={state} />
      <TradeOff state={state} />
      <Leave state={state} />
    </>
  );
}

/** What the page is made of is loaded from beside it; all else would be a request that counts. */
function watchRequests(): void {
  const isPart = (url: string) =>
    /\.(js|css)$/.test(new URL(url).pathname) && url.startsWith(new URL(".", location.href).href);
  new PerformanceObserver((list) => {
    requests.value += list.getEntries().filter(({ name }) => !isPart(name) && !/^(blob|data):/.test(name)).length;
  }).observe({ type: "resource", buffered: true });
}

const root = document.querySelector("main");
if (root) {
  document.documentElement.lang = language;
  document.title = `Moiety: ${words.title}`;
  watchRequests();
  const served = document.querySelector<HTMLMetaElement>('meta[name="moiety-server"]') !== null;
  const engine = served ? serverEngine() : tabEngine(new URL("engine.js", import.meta.url));
  root.replaceChildren();
  const state = new PageState(engine);
  render(<Page state={state} />, root);
  // `moiety explore people.csv` names what to open behind the # of the address.
  const source = new URLSearchParams(location.hash.slice(1)).get("source");
  if (served && source !== null) void state.open({ kind: "place", place: source });
}
