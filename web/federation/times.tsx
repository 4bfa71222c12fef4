import { signal } from "@preact/signals";
import { language } from "../language.js";
import { words } from "./words.js";

/** The time by this machine's clock, every second. */
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 1000);

const clock = new Intl.DateTimeFormat(language, { timeStyle: "medium", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(language, { year: "numeric", month: "short", day: "numeric" });
const lasting = new Intl.RelativeTimeFormat(language, { numeric: "always", style: "long" });

/** Units of time, from the longest, in seconds. */
const units = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

function relative(time: number): string {
  const seconds = Math.round((time - now.value) / 1000);
  const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? units[3];
  return lasting.format(Math.trunc(seconds / size), unit);
}

/** The time of day, with the day where that is another one. */
export function Time({ at }: { readonly at: string }) {
  const date = new Date(at);
  const isToday = date.toDateString() === new Date(now.value).toDateString();
  return <time dateTime={at}>{isToday ? clock.format(date) : `${day.format(date)}, ${clock.format(date)}`}</time>;
}

/** Since when, and how long that is. */
export function Since({ at }: { readonly at: string }) {
  return (
    <>
      {words.since} <Time at={at} /> ({relative(Date.parse(at))})
    </>
  );
}

/** A day that is to come. */
export function Day({ at }: { readonly at: string }) {
  const time = Date.parse(at);
  return (
    <span class={time - now.value < 30 * 86_400_000 ? "soon" : ""}>
      <time dateTime={at}>{day.format(time)}</time> ({relative(time)})
    </span>
  );
}
