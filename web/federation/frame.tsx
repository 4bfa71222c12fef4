import { useSignal } from "@preact/signals";
import { type ComponentChildren, render, type VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { RecentLine } from "../../src/pages/recent-lines.js";
import { language } from "../language.js";
import { Wide } from "../layout.js";
import { TextField } from "./field.js";
import type { Live } from "./live.js";
import { loggedIn, logOut } from "./log-in.js";
import { LogInScreen } from "./log-in-screen.js";
import { Time } from "./times.js";
import { words } from "./words.js";

/** Draws a page that follows a process, once it has said how things are. */
export function start<State>(
  live: Live<State>,
  title: (state: State) => string,
  Page: (props: { readonly live: Live<State>; readonly state: State }) => ComponentChildren,
): void {
  document.documentElement.lang = language;
  const Whole = () => {
    const state = live.state.value;
    const out = live.connection.value === "login";
    const heading = state ? title(state) : out ? words.logIn : words.connecting;
    document.title = `Moiety: ${heading}`;
    return (
      <>
        <div class="top">
          <h1>Moiety: {heading}</h1>
          <Connection live={live} />
          {state ? <Person live={live} /> : null}
        </div>
        {live.failure.value === undefined || out ? null : <Failed message={live.failure.value} />}
        {out ? <LogInScreen failure={live.failure.value} /> : null}
        {state ? <Page live={live} state={state} /> : null}
      </>
    );
  };
  draw(<Whole />);
}

/** In the place of what a page says before it has started. */
export function draw(page: VNode): void {
  const root = document.querySelector("main");
  root?.replaceChildren();
  if (root) render(page, root);
}

function Connection<State>({ live }: { readonly live: Live<State> }) {
  const trouble = live.connection.value;
  return (
    <p class={`connection ${trouble ?? "live"}`} role="status">
      {words.connection[trouble ?? "live"]}
    </p>
  );
}

/** Who is logged in, where people log in. */
function Person<State>({ live }: { readonly live: Live<State> }) {
  const person = loggedIn();
  if (person === undefined) return null;
  return (
    <p class="person">
      {person}{" "}
      <button type="button" onClick={() => void logOut(live.headers)}>
        {words.logOut}
      </button>
    </p>
  );
}

export function Failed({ message }: { readonly message: string }) {
  return (
    <p class="failure" role="alert">
      {words.said(message)}
    </p>
  );
}

/** Lines of a process's log. */
export function Lines({ lines }: { readonly lines: readonly RecentLine[] }) {
  return (
    <ul class="lines">
      {lines.map(({ time, line }, at) => (
        <li key={`${time} ${lines.length - at}`}>
          <Time at={time} /> {words.said(line)}
        </li>
      ))}
    </ul>
  );
}

export function Log({ lines }: { readonly lines: readonly RecentLine[] }) {
  return (
    <section id="log">
      <h2>{words.log}</h2>
      <Wide label={words.log}>
        <Lines lines={lines} />
      </Wide>
    </section>
  );
}

interface ConfirmProps {
  /** On the button that opens it, and on the one that does it. */
  readonly label: string;
  /** What happens, in a sentence. */
  readonly what: string;
  /** What has to be typed before it happens, and the sentence that asks for it. */
  readonly typed: string;
  /** Asks for a reason, which is passed on. */
  readonly reason?: string;
  readonly tone?: "main" | "grave";
  readonly act: (reason: string) => Promise<unknown>;
}

/** A button whose deed wants a typed word; what is wrong is said beside the field. */
export function Confirm({ label, what, typed, reason, tone, act }: ConfirmProps) {
  const open = useSignal(false);
  const given = useSignal("");
  const why = useSignal("");
  const fault = useSignal<{ readonly field: "typed" | "reason"; readonly text: string } | undefined>(undefined);
  const acting = useSignal(false);
  const [opener, form] = [useRef<HTMLButtonElement>(null), useRef<HTMLFormElement>(null)];
  const wasOpen = useRef(false);
  // The keyboard follows what is opened and closed.
  useLayoutEffect(() => {
    if (open.value) form.current?.querySelector("input")?.focus();
    else if (wasOpen.current) opener.current?.focus();
    wasOpen.current = open.value;
  }, [open.value]);
  if (!open.value) {
    return (
      <button
        type="button"
        class={tone}
        ref={opener}
        onClick={() => {
          open.value = true;
        }}
      >
        {label}
      </button>
    );
  }
  const close = () => {
    [open.value, fault.value, given.value, why.value] = [false, undefined, "", ""];
  };
  const confirm = async (event: Event) => {
    event.preventDefault();
    if (acting.value) return;
    fault.value = undefined;
    if (reason !== undefined && why.value.trim() === "") {
      fault.value = { field: "reason", text: words.reasonMissing };
    } else if (given.value.trim() !== typed) {
      fault.value = { field: "typed", text: words.typedWrong(given.value, typed) };
    } else {
      acting.value = true;
      try {
        await act(why.value.trim());
        close();
      } catch (error) {
        fault.value = { field: "typed", text: (error as Error).message };
      }
      acting.value = false;
    }
    if (fault.value) form.current?.querySelector<HTMLInputElement>("[aria-invalid=true]")?.focus();
  };
  const faultOf = (field: "typed" | "reason") => (fault.value?.field === field ? fault.value.text : undefined);
  return (
    <form
      class="confirm"
      ref={form}
      onSubmit={confirm}
      onKeyDown={({ key }) => {
        if (key === "Escape") close();
      }}
      aria-label={`${label} ${typed}`}
      noValidate
    >
      <p>{what}</p>
      {reason === undefined ? null : (
        <TextField
          label={reason}
          value={why.value}
          longest={300}
          fault={faultOf("reason")}
          onInput={(text) => {
            why.value = text;
          }}
        />
      )}
      <TextField
        label={words.typeToConfirm(typed)}
        value={given.value}
        fault={faultOf("typed")}
        onInput={(text) => {
          given.value = text;
        }}
      />
      <p class="buttons">
        <button type="submit" class={tone} disabled={acting.value}>
          {label}
        </button>
        <button type="button" onClick={close}>
          {words.back}
        </button>
      </p>
    </form>
  );
}
