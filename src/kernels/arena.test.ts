import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Arena } from "./arena.js";
import { newMemory } from "./module.js";

describe("arena", () => {
  it("hands out aligned pieces that never overlap, inside the memory and off its first page", () => {
    const steps = fc.array(fc.record({ bytes: fc.nat(200_000), release: fc.boolean(), pick: fc.nat(1000) }), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, (list) => {
        const arena = new Arena(newMemory());
        const held: { at: number; bytes: number }[] = [];
        for (const { bytes, release, pick } of list) {
          if (release && held.length > 0) {
            arena.release(held.splice(pick % held.length, 1)[0].at);
            continue;
          }
          const at = arena.allocate(bytes);
          expect(at % 16).toBe(0);
          expect(at).toBeGreaterThanOrEqual(65536);
          expect(at + bytes).toBeLessThanOrEqual(arena.memory.buffer.byteLength);
          for (const other of held) {
            expect(at + Math.max(1, bytes) <= other.at || other.at + Math.max(1, other.bytes) <= at).toBe(true);
          }
          held.push({ at, bytes });
        }
      }),
      { numRuns: 200 },
    );
  });

  it("merges what is given back, in any order, so that one large piece fits again without growing", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 50_000 }), { minLength: 1, maxLength: 20 }),
        fc.infiniteStream(fc.nat(1000)),
        (sizes, picks) => {
          const arena = new Arena(newMemory());
          const held = sizes.map((bytes) => arena.allocate(bytes));
          const before = arena.memory.buffer.byteLength;
          while (held.length > 0) arena.release(held.splice(picks.next().value % held.length, 1)[0]);
          expect(arena.allocate(before - 65536)).toBe(65536);
          expect(arena.memory.buffer.byteLength).toBe(before);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("what is used for a while leaves room for all that was reserved", () => {
    const arena = new Arena(newMemory());
    arena.reserve(1_000_000);
    const before = arena.memory.buffer.byteLength;
    arena.allocate(500_000);
    arena.release(arena.allocate(300_000));
    arena.allocate(400_000);
    expect(arena.memory.buffer.byteLength).toBe(before);
  });

  it("takes back only what it gave, and only once", () => {
    const arena = new Arena(newMemory());
    const first = arena.allocate(100);
    arena.release(first + 16);
    arena.release(first);
    arena.release(first);
    const one = arena.allocate(64);
    const other = arena.allocate(64);
    expect(Math.abs(one - other)).toBeGreaterThanOrEqual(64);
  });

  it("refuses politely beyond 4 GB", () => {
    const arena = new Arena(newMemory());
    expect(() => arena.allocate(2 ** 32)).toThrow(/use more threads/);
  });
});
