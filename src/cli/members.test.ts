import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { FileStore } from "../federation/store/files.js";
import { writeRecord } from "../federation/store/records.js";
import { Workplace } from "./testing/command.js";

const place = new Workplace();
const { folder } = place;

it("shows the list of members that has come to a site since its kit was made", async () => {
  const plan = "{ coordinator: { host: localhost, port: 7443 }, parties: [a, b, c], analysts: [alice] }";
  writeFileSync(join(folder, "federation.yaml"), plan);
  const ran = async (...args: string[]) => {
    const { code, stdout } = await place.run(...args);
    expect(code).toBe(0);
    return stdout;
  };
  await ran("provision", "federation.yaml", "-o", "kits");
  await ran("members", "remove", "c", "--authority", "kits/authority");
  expect(await ran("members", "show", "--kit", "kits/a")).toContain("As provisioned");
  const list = readFileSync(join(folder, "kits", "authority", "members.json"), "utf8");
  await writeRecord(new FileStore(join(folder, "kits", "a", "state")), "members", list);
  const shown = await ran("members", "show", "--kit", "kits/a");
  expect(shown).toMatch(/^c .* removed on /m);
  expect(shown).toContain("List 2 of members");
});
