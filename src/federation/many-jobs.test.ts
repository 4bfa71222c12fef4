import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { AnalystClient } from "./analyst/client.js";
import { cardHash, cardOf } from "./consent/card.js";
import { signHash } from "./consent/signature.js";
import { mostOpenOfOne } from "./coordinator/analyst-questions.js";
import { createJob } from "./coordinator/job.js";
import type { MemoryStore } from "./store/memory.js";
import { MemoryFederation } from "./testing/in-memory.js";
import { workplace } from "./testing/sites.js";
import { invented } from "./testing/tables.js";

const folder = workplace();
const table = invented(30, { x: (row) => (row % 3) * 9 + Math.sin(row), y: (row) => (row % 5) * 4 });
const policyFor = (approval: string) => `approval: ${approval}
analysts: [alice, bob]
algorithms: [lloyd]
features: [x, y]
minimum: { rows: 10, clusterSize: 1 }
budget: { jobs: 100000 }
`;
const federation = new MemoryFederation({
  a: { table, policy: policyFor("automatic") },
  b: { table, policy: policyFor("automatic") },
  slow: { table, policy: policyFor("manual") },
});
const job = (...parties: string[]) =>
  `algorithm: lloyd\nk: 2\nparties:\n${parties.map((name, at) => `  ${name}: { features: [${at ? "y" : "x"}] }\n`).join("")}`;
const many = 5000;

/** Jobs that an earlier process left, and that wait for the one party that has not signed. */
async function leave(count: number): Promise<void> {
  const kit = await federation.kit("alice");
  const known = { federation: kit.federation, analyst: "alice", nonce: "0".repeat(32) };
  const first = cardOf(job("b", "slow"), "job.yaml", known);
  const now = new Date().toISOString();
  for (let at = 0; at < count; at++) {
    const card = { ...first, nonce: randomBytes(16).toString("hex") };
    const hash = cardHash(card);
    await createJob(federation.storeOf("coordinator"), {
      ...{ hash, card, signature: signHash(kit.signingKey, "submit", hash), submitted: now, since: now },
      ...{ state: { is: "waiting", for: ["slow"], reason: "not asked yet" }, consents: { b: "signed" }, released: [] },
      ...{ epoch: 0, position: null },
    });
  }
}

async function submitted(client: AnalystClient, text: string): Promise<string> {
  return client.submit(text, "job.yaml", randomBytes);
}

async function outcome(client: AnalystClient, id: string): Promise<string> {
  for (;;) {
    const { state, reason } = await client.show(id);
    if (state === "done" || state === "failed") return `${state} ${reason ?? ""}`.trim();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

beforeAll(async () => {
  await federation.start(join(folder, "kits"), { analysts: ["alice", "bob"] });
});

describe("an analyst", () => {
  it("may have so many open jobs, is told what to do, and is one of several", async () => {
    const waiting = job("a", "slow");
    await federation.asAnalyst(async (alice) => {
      // At the same time, too.
      const all = await Promise.allSettled(Array.from({ length: mostOpenOfOne + 5 }, () => submitted(alice, waiting)));
      const taken = all.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      expect(taken).toHaveLength(mostOpenOfOne);
      await expect(submitted(alice, waiting)).rejects.toThrow(
        `alice has ${mostOpenOfOne} open jobs, the most that one analyst may have: wait until some are done, or end some with moiety job cancel`,
      );
      await federation.asAnalyst(async (bob) => {
        expect(await outcome(bob, await submitted(bob, job("a", "b")))).toBe("done");
      }, "bob");
      await alice.cancel(taken[0]);
      expect(await outcome(alice, await submitted(alice, job("a", "b")))).toBe("done");
      for (const id of taken.slice(1)) await alice.cancel(id);
    });
  });
});

describe("the coordinator's operator", () => {
  it("sees everybody's jobs and ends any of them, and the audit log says so", async () => {
    const id = await federation.asAnalyst((alice) => submitted(alice, job("a", "slow")));
    await federation.asAnalyst(async (bob) => {
      await expect(bob.cancel(id)).rejects.toThrow(/no job .* of bob/);
    }, "bob");
    await federation.asAnalyst(async (operator) => {
      const listed = await operator.list();
      expect(listed.find((each) => each.id === id)?.analyst).toBe("alice");
      await operator.cancel(id);
      expect(await outcome(operator, id)).toBe("failed cancelled by the coordinator's operator");
      await expect(operator.cancel(id)).rejects.toThrow(/is failed already/);
      await expect(submitted(operator, job("a", "b"))).rejects.toThrow(/a coordinator may not ask 'submit'/);
      await expect(operator.fetch(id)).rejects.toThrow(/a coordinator may not ask 'result'/);
    }, "coordinator");
    const noted = federation.audits.get("coordinator")!.filter((line) => line.includes("operator"));
    expect(JSON.parse(noted.at(-1)!).entry).toMatchObject({
      kind: "failed",
      details: { job: expect.stringContaining(id), reason: "cancelled by the coordinator's operator" },
    });
  });
});

describe("a job whose driver", () => {
  /** Something goes wrong inside the coordinator whenever it begins a life of a run, as often as this. */
  function stumble(times: number): () => void {
    const store = federation.storeOf("coordinator") as MemoryStore;
    const write = store.write.bind(store);
    let left = times;
    store.write = async (key, value, options) => {
      if (key.endsWith("/record") && Buffer.from(value).includes('"is":"running"') && left-- > 0) {
        throw new TypeError("cannot read properties of undefined");
      }
      return write(key, value, options);
    };
    return () => {
      store.write = write;
    };
  }

  it("fails is driven again", async () => {
    const mend = stumble(3);
    const { view } = await federation.run(job("a", "b"));
    mend();
    expect(view.state).toBe("done");
    expect(federation.logs.join("\n")).toMatch(/unexpected: TypeError: cannot read properties/);
  });

  it("fails whatever is tried has failed, and says so", async () => {
    const mend = stumble(Number.POSITIVE_INFINITY);
    await expect(federation.run(job("a", "b"))).rejects.toThrow(
      /^something unexpected went wrong 6 times: see the coordinator's log$/,
    );
    mend();
  });

  it("hangs is over at its deadline, or when somebody ends it", async () => {
    // The site answers nothing any more.
    const store = federation.storeOf("a") as MemoryStore;
    const write = store.write.bind(store);
    store.write = (key, value, options) =>
      key.endsWith("/epoch") ? new Promise(() => undefined) : write(key, value, options);
    await federation.asAnalyst(async (client) => {
      const [late, ended] = [
        await submitted(client, `${job("a", "b")}deadlineHours: 5\n`),
        await submitted(client, job("a", "b")),
      ];
      await federation.until(() => federation.logs.filter((line) => /: running$/.test(line)).length > 1);
      await federation.until(() =>
        [late, ended].every((id) => federation.logs.some((line) => line.includes(`${id}: running`))),
      );
      await client.cancel(ended);
      expect(await outcome(client, ended)).toBe("failed cancelled by alice");
      federation.clock = () => Date.now() + 5.01 * 3_600_000;
      expect(await outcome(client, late)).toBe("failed not done by its deadline; it was running");
      federation.clock = () => Date.now();
    });
    store.write = write;
    const { view } = await federation.run(job("a", "b"));
    expect(view.state).toBe("done");
  });
});

describe(`${many} jobs that wait for one party`, () => {
  it("do not cost it its line, and a new job is done beside them", async () => {
    await federation.stopCoordinator();
    await leave(many);
    const before = federation.logs.length;
    await federation.startCoordinator();
    await federation.until(() => federation.logs.slice(before).filter((line) => / is here$/.test(line)).length === 3);
    await federation.asAnalyst(async (bob) => {
      expect(await outcome(bob, await submitted(bob, job("a", "b")))).toBe("done");
      // Beside the very party that they wait for.
      const id = await submitted(bob, job("a", "slow"));
      await federation.until(() =>
        federation.logs.some((line) => line.includes(`job ${id} of bob waits for approval`)),
      );
    }, "bob");
    const waiting = () => federation.logs.slice(before).filter((line) => line.startsWith("slow: job")).length;
    await federation.until(() => waiting() > many);
    expect(federation.logs.slice(before).filter((line) => / is gone/.test(line))).toEqual([]);
    const listed = await federation.asAnalyst((client) => client.list());
    expect(listed.filter(({ state }) => state === "waiting-for-slow").length).toBe(many);
  });
});
