import { signal } from "@preact/signals";
import { type ComponentType, render } from "preact";
import { serverEngine } from "./engine/server.js";
import { tabEngine } from "./engine/tab.js";
import { language } from "./language.js";
import { Ask } from "./screens/ask.js";
import { Columns } from "./screens/columns.js";
import { Data } from "./screens/data.js";
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
      <Steps state={state} />
      <Data state={state} />
      <Columns state={state} />
      <Ask state={state} />
      <AfterTable state={state} />
    </>
  );
}

/** What follows a table is loaded with the first one. */
const further = signal<ComponentType<{ readonly state: PageState }> | undefined>(undefined);

async function loadFurther(): Promise<void> {
  const { Further } = await import("./screens/further.js");
  further.value = Further;
}

function AfterTable({ state }: { readonly state: PageState }) {
  const Screens = further.value;
  if (!state.table.value) return null;
  if (Screens) return <Screens state={state} />;
  void loadFurther();
  return null;
}

/** Links to what is there now. */
function Steps({ state }: { readonly state: PageState }) {
  const [table, found] = [state.table.value, state.found.value];
  if (!table) return null;
  const isProtected = Object.values(state.roles.value).includes("protected");
  const shown: Readonly<Record<keyof typeof words.steps, boolean>> = {
    data: true,
    columns: true,
    ask: true,
    see: found !== undefined,
    "trade-off": found !== undefined,
    newcomers: found !== undefined,
    private: found !== undefined && isProtected,
    classifier: true,
    leave: found !== undefined,
  };
  const ids = (Object.keys(shown) as (keyof typeof words.steps)[]).filter((id) => shown[id]);
  return (
    <nav aria-label={words.title} class="steps">
      {ids.map((id) => (
        <a key={id} href={`#${id}`} onClick={(event) => goTo(event, id)}>
          {words.steps[id]}
        </a>
      ))}
    </nav>
  );
}

/** The address stays as it is: what stands behind its # may be settings. */
function goTo(event: Event, id: string): void {
  event.preventDefault();
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  document.getElementById(id)?.scrollIntoView({ behavior: isCalm ? "auto" : "smooth" });
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
  // A file that is dropped beside the place for it would be opened by the browser, in place of this page.
  for (const dropping of ["dragover", "drop"]) addEventListener(dropping, (event) => event.preventDefault());
  root.replaceChildren();
  const state = new PageState(engine);
  render(<Page state={state} />, root);
  // `moiety explore people.csv` names what to open behind the # of the address.
  const source = new URLSearchParams(location.hash.slice(1)).get("source");
  if (served && source !== null) void state.open({ kind: "place", place: source });
}
