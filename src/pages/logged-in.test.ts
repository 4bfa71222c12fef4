// Slow: processes of a federation, and a provider of OpenID Connect.
import { afterAll, beforeAll, expect, it } from "vitest";
import { allowedJob, approvalPolicy, LocalFederation } from "../federation/testing/federation.js";
import { clientId, clientSecret, logInAs, startProvider, type TestProvider } from "./testing/provider.js";

const federation = new LocalFederation();

let provider: TestProvider;
beforeAll(async () => {
  provider = await startProvider();
  await federation.work.run("generate", "people", "--n", "150", "--seed", "5", "-o", "all.csv");
  const policies = { "bank-a": approvalPolicy("automatic"), hospital: approvalPolicy("manual") };
  await federation.prepare(federation.work.read("all.csv"), policies);
  const allow = "allow: { emails: [anna@bank.example, gus@bank.example] }";
  federation.work.write("oidc.yaml", `issuer: ${provider.issuer}\nclientId: ${clientId}\n${allow}\n`);
  process.env.MOIETY_OIDC_SECRET = clientSecret;
  federation.start("coordinator");
  federation.start("bank-a");
  federation.start("hospital", "--page", "127.0.0.1:0", "--oidc", "oidc.yaml");
  await federation.until("coordinator", /is here.*is here/s);
});
afterAll(async () => {
  delete process.env.MOIETY_OIDC_SECRET;
  await provider.close();
});

/** The address of a page, without a token: whoever opens it has to log in. */
const addressIn = (log: string) => /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(log)![0];

/** Asks a page as somebody who has logged in there. */
async function visitor(address: string, name: string) {
  const post = async (path: string, body: object, token = "") => {
    const headers = { "X-Moiety-Token": token };
    const response = await fetch(new URL(path, address), { method: "POST", headers, body: JSON.stringify(body) });
    return response.json() as Promise<Record<string, unknown>>;
  };
  const begun = await post("/login", {});
  const answer = await logInAs(name, String(begun.address));
  const { token } = await post("/logged-in", { attempt: begun.attempt, answer });
  return (ask: string, given: object) => post("/ask", { ask, ...given }, String(token));
}

it("who submits a job and who approves it stand in lists, on the card and in the audit log", async () => {
  const page = federation.work.start("job", "page", "--kit", "kits/alice", "--no-open", "--oidc", "oidc.yaml");
  let said = "";
  page.process.stdout?.on("data", (text) => {
    said += text;
  });
  try {
    await expect.poll(() => said, { timeout: 900_000 }).toMatch(/http\S+\s/);
    const anna = await visitor(addressIn(said), "anna");
    const id = String((await anna("submit", { text: allowedJob })).answer);
    await federation.until("hospital", new RegExp(`job ${id} of alice`));
    for (const kit of ["alice", "hospital"]) {
      for (const what of [["list"], ["show", id]]) {
        const { stdout } = await federation.work.run("job", ...what, "--kit", `kits/${kit}`);
        expect(stdout).toMatch(/alice \(anna@bank\.example\)/);
      }
    }
    const gus = await visitor(addressIn(federation.log("hospital")), "gus");
    await gus("approve", { id });
    expect((await federation.job("watch", id)).code).toBe(0);
    const { stdout } = await federation.work.run("audit", "show", "--kit", "kits/hospital", "--json");
    expect(stdout).toMatch(/gus@bank\.example/);
    // The log names the job by the hash of its card, which has the other name.
    const shown = JSON.parse((await federation.job("show", id, "--json")).stdout);
    expect(shown).toMatchObject({ person: "anna@bank.example", card: { person: "anna@bank.example" } });
  } finally {
    page.process.kill("SIGKILL");
    await page.done;
  }
});
