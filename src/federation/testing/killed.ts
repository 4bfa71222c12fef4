import type { People } from "../../table/types.js";
import type { Card } from "../consent/card.js";
import type { PartyHandle } from "../transport/types.js";
import { newDisk, type Simulated, simulate } from "./simulated.js";

interface Mortality {
  /** How many questions are asked in a life: it is killed at the next one. */
  readonly questions: (life: number) => number;
  /** Looks at what passes. */
  readonly meddle: (handle: PartyHandle) => PartyHandle;
}

/** A run that is killed again and again, until one of its lives comes to the end. */
export async function diesUntilItEnds(
  sites: readonly People[],
  card: Card,
  { questions, meddle }: Mortality,
): Promise<Simulated & { readonly lives: number }> {
  const killed = new Error("killed");
  const disk = newDisk();
  for (let life = 0; ; life++) {
    let left = questions(life);
    const mortal = (handle: PartyHandle): PartyHandle => ({
      name: handle.name,
      ask: async (method, meta, rest) => {
        if (--left < 0) throw killed;
        return meddle(handle).ask(method, meta, rest);
      },
    });
    try {
      return { ...(await simulate(sites, card, { disk, meddle: mortal })), lives: life + 1 };
    } catch (error) {
      if (error !== killed) throw error;
    }
  }
}
