import { beforeAll, expect, it } from "vitest";
import { Workplace } from "./testing/command.js";

const work = new Workplace();
const good = "issuer: https://login.example\nclientId: bank\nallow: { emails: [anna@bank.example] }\n";

beforeAll(async () => {
  work.write("federation.yaml", "coordinator: { host: 127.0.0.1 }\nparties: [bank, clinic]\nanalysts: [alice]\n");
  expect((await work.run("provision", "federation.yaml", "-o", "kits")).code).toBe(0);
  work.write("people.csv", "age\n1\n2\n");
  work.write("good.yaml", good);
  work.write("everybody.yaml", good.replace(/allow.*/, "allow: {}"));
  work.write("open.yaml", good.replace("https", "http"));
  work.write("secret.yaml", `${good}secret: hush\n`);
});

const members = [
  "coordinator --kit kits/coordinator --page 127.0.0.1:0",
  "party --kit kits/bank --data people.csv --page 127.0.0.1:0",
  "job page --kit kits/alice --no-open",
];

it.each(members)("%s refuses a wrong file of a log-in in one line", async (command) => {
  const wrong: [file: string, says: string][] = [
    ["nowhere.yaml", "cannot read the log-in nowhere.yaml: there is no such file"],
    ["everybody.yaml", "everybody.yaml cannot be used at allow, line 3: name who may log in"],
    [
      "open.yaml",
      "open.yaml cannot be used at issuer, line 1: give the provider's address, which begins with https://",
    ],
    ["secret.yaml", "secret.yaml cannot be used, line 4: unknown 'secret'"],
  ];
  for (const [file, says] of wrong) {
    const { code, stdout, stderr } = await work.run(...command.split(" "), "--oidc", file);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/^moiety: .*\n$/);
    expect(stderr).not.toContain("hush");
  }
});

it("is for a page", async () => {
  const { code, stderr } = await work.run("coordinator", "--kit", "kits/coordinator", "--oidc", "good.yaml");
  expect([code, stderr]).toEqual([2, "moiety: --oidc is for people who use a page: add --page 127.0.0.1:8080, say\n"]);
});
