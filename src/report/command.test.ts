import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { pasted } from "./command.js";

const hasBash = spawnSync("bash", ["-c", "true"], { stdio: "ignore" }).status === 0;

it.skipIf(!hasBash)("prints words that a shell reads as they are, and none that looks like another", () => {
  const words = [
    "plain",
    "two words",
    "it's $HOME `id` \\n",
    "income\u202eevil\u2066",
    "a\nb\tc\u0007",
    "soft\u00adhyphen \u{e0041}",
    "naïve ménage 年齢 👩",
  ];
  const command = pasted(words);
  expect(command).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  const script = command.replace(/^moiety/, "printf '%s\\0'");
  const { stdout } = spawnSync("bash", ["-c", script], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  expect(stdout.split("\0").slice(0, -1)).toEqual(words);
});
