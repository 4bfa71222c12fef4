import { describe, expect, it } from "vitest";
import { Ledger, type LedgerRecord, type LedgerStore } from "./ledger.js";
import { concentrated, guarantee, nothing, pure, pureLeft, rhoLeft, rhoWithin, sequential, twoSteps } from "./loss.js";

class Memory implements LedgerStore {
  readonly books = new Map<string, LedgerRecord[]>();
  async read(dataset: string) {
    return [...(this.books.get(dataset) ?? [])];
  }
  async append(dataset: string, place: number, record: LedgerRecord) {
    const book = this.books.get(dataset) ?? [];
    this.books.set(dataset, book);
    if (book.length !== place) return false;
    book.push(record);
    return true;
  }
  async datasets() {
    return [...this.books.keys()];
  }
}

const open = (store: LedgerStore = new Memory()) => new Ledger(store, "people", () => "now");
const labels = (epsilon: number) => ({ neighbours: "attribute", loss: pure(epsilon), what: "labels" }) as const;

describe("losses", () => {
  it("agree with the closed forms of zCDP", () => {
    for (const [epsilon, delta] of [
      [0.1, 1e-6],
      [1, 1e-5],
      [8, 1e-3],
    ]) {
      const rho = rhoWithin({ epsilon, delta });
      expect(guarantee(concentrated(rho), delta).epsilon).toBeCloseTo(epsilon, 10);
      const logarithm = Math.log(1 / delta);
      expect(rho).toBeCloseTo((Math.sqrt(logarithm + epsilon) - Math.sqrt(logarithm)) ** 2, 12);
    }
    // The largest labelling epsilon that fits (1, 1e-5), as the design has it.
    expect(Math.sqrt(2 * rhoWithin({ epsilon: 1, delta: 1e-5 }))).toBeCloseTo(0.204, 3);
  });

  it("add up one after the other", () => {
    const loss = sequential(pure(0.5), pure(0.25), concentrated(0.1));
    expect(loss).toEqual({ epsilon: 0.75, pureRho: 0.125 + 0.03125, rho: 0.1, slack: 0 });
    expect(sequential()).toEqual(nothing);
    expect(twoSteps(pure(0.5))).toEqual(pure(1));
  });

  it("say the smaller of what is proved", () => {
    expect(guarantee(pure(0.1), 1e-5)).toEqual({ epsilon: 0.1, delta: 0 });
    const many = sequential(...Array.from({ length: 400 }, () => pure(0.1)));
    expect(guarantee(many, 1e-5).epsilon).toBeLessThan(12);
    expect(guarantee(many, 0).epsilon).toBeCloseTo(40, 9);
    expect(guarantee(concentrated(0.1), 0).epsilon).toBe(Number.POSITIVE_INFINITY);
    // One large pure release beside a small Gaussian one: their promises simply add.
    const mixed = guarantee(sequential(pure(3), concentrated(0.001)), 1e-5);
    expect(mixed.epsilon).toBeCloseTo(3 + guarantee(concentrated(0.001), 1e-5).epsilon, 12);
    expect(mixed.delta).toBe(1e-5);
  });

  it("charge noise that is only nearly right", () => {
    const slack = 0.01;
    const honest = guarantee(concentrated(0.1), 1e-5).epsilon;
    const nearly = guarantee(concentrated(0.1, slack), 1e-5).epsilon;
    expect(nearly).toBeGreaterThan(honest + 2 * slack);
    expect(nearly).toBeLessThan(honest + 3 * slack);
  });

  it("leave exactly what may still be spent", () => {
    const whole = { epsilon: 2, delta: 1e-5 };
    for (const spent of [nothing, pure(0.7), concentrated(0.03), sequential(pure(0.2), concentrated(0.01, 1e-4))]) {
      const [exact, rho] = [pureLeft(spent, whole), rhoLeft(spent, whole)];
      expect(guarantee(sequential(spent, pure(exact)), whole.delta).epsilon).toBeLessThanOrEqual(2 + 1e-9);
      expect(guarantee(sequential(spent, pure(exact * 1.01)), whole.delta).epsilon).toBeGreaterThan(2);
      expect(guarantee(sequential(spent, concentrated(rho)), whole.delta).epsilon).toBeLessThanOrEqual(2 + 1e-9);
      expect(guarantee(sequential(spent, concentrated(rho * 1.01)), whole.delta).epsilon).toBeGreaterThan(2);
    }
    expect(pureLeft(pure(3), { epsilon: 2, delta: 0 })).toBe(0);
  });
});

describe("the ledger", () => {
  it("writes everything down and refuses nothing while there is no budget", async () => {
    const ledger = open();
    await ledger.spend(labels(5));
    const { budget, spent, releases } = await ledger.spend(labels(5));
    expect(budget).toBeNull();
    expect(spent.attribute.epsilon).toBe(10);
    expect(spent.person).toEqual(nothing);
    expect(releases).toHaveLength(2);
  });

  it("refuses what the budget does not cover, and says what is left", async () => {
    const ledger = open();
    await ledger.setBudget({ epsilon: 1, delta: 0 });
    await ledger.spend(labels(0.75));
    await expect(ledger.spend(labels(0.5))).rejects.toMatchObject({
      code: "infeasible",
      message: expect.stringMatching(/people.*epsilon 0\.25 is left.*1\.25 of 1/),
    });
    // A refusal costs nothing.
    await ledger.spend(labels(0.25));
    await expect(ledger.spend(labels(0.001))).rejects.toMatchObject({ code: "infeasible" });
    await ledger.setBudget({ epsilon: 2, delta: 0 });
    await ledger.spend(labels(1));
  });

  it("counts what a release about persons means for their attributes", async () => {
    const ledger = open();
    await ledger.setBudget({ epsilon: 1, delta: 1e-5 });
    const rho = rhoWithin({ epsilon: 0.9, delta: 1e-5 });
    const { spent } = await ledger.spend({ neighbours: "person", loss: concentrated(rho), what: "model" });
    expect(spent.person.rho).toBeCloseTo(rho, 12);
    expect(spent.attribute.rho).toBeCloseTo(4 * rho, 12);
    await expect(ledger.spend(labels(0.1))).rejects.toThrow(/protected attributes epsilon 0 is left/);
  });

  it("never lets two take the same place", async () => {
    const store = new Memory();
    await open(store).setBudget({ epsilon: 1, delta: 0 });
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => open(store).spend(labels(0.125))));
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(8);
    expect((await open(store).standing()).spent.attribute.epsilon).toBe(1);
  });
});
