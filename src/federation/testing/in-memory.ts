import { randomBytes } from "node:crypto";
import { afterAll } from "vitest";
import { type SimulatedSite, Simulation } from "../local/simulation.js";
import type { PartyOptions } from "../party/options.js";
import type { Frame } from "../transport/frame.js";
import type { Link } from "../transport/types.js";
import { provisioned } from "./sites.js";

export { memoryAudit } from "../local/simulation.js";
export type Site = SimulatedSite;

/** A simulation whose sites hang up when a test wants it. */
export class MemoryFederation extends Simulation {
  private readonly leaving = new Map<string, { letters: number; readonly back: boolean }>();
  private readonly goings = new Map<string, AbortController>();
  private returning: string | undefined;
  /** While a site comes back, the others are asked nothing: the job cannot end before. */
  private arrival: Promise<void> = Promise.resolve();
  private coming: string | undefined;
  private readonly hangingUp = new Map<string, { readonly method: string; left: number }>();

  constructor(sites: Readonly<Record<string, Site>>) {
    super(sites);
    afterAll(() => this.close());
  }

  async start(folder: string, { analysts = ["alice"] } = {}): Promise<void> {
    await this.begin(await provisioned(folder, Object.keys(this.sites), { analysts }));
  }

  /** A site hangs up when it has sealed so many letters; `back` when the others are known to go on without it. */
  leaveAfter(name: string, letters: number, back = false): void {
    this.leaving.set(name, { letters, back });
  }

  /** A site hangs up when it is asked this for the n-th time from now. */
  leaveAt(name: string, method: string, left = 1): void {
    this.hangingUp.set(name, { method, left });
  }

  override async join(name: string, site = this.sites[name]): Promise<void> {
    const going = new AbortController();
    this.goings.set(name, going);
    await super.join(name, site, going.signal);
  }

  protected override async partyOptions(name: string, site: Site): Promise<PartyOptions> {
    const options = await super.partyOptions(name, site);
    const going = this.goings.get(name)!;
    const onFrame = async ({ kind, method }: Frame) => {
      if (kind === "ask" && name !== this.coming) await this.arrival;
      const hanging = this.hangingUp.get(name);
      if (!hanging || kind !== "ask" || method !== hanging.method || --hanging.left > 0) return;
      this.hangingUp.delete(name);
      going.abort();
    };
    const random = (bytes: number) => {
      const leaving = this.leaving.get(name);
      // A sealed letter has 12 random bytes.
      if (leaving && bytes === 12 && --leaving.letters === 0) {
        this.leaving.delete(name);
        going.abort();
        if (leaving.back) this.returning = name;
      }
      return randomBytes(bytes);
    };
    return { ...options, random, dialling: { dial: async () => watched(await options.dialling.dial(), onFrame) } };
  }

  protected override note(name: string, line: string): void {
    super.note(name, line);
    if (name !== "coordinator" || this.returning === undefined || !line.includes("going on with")) return;
    this.coming = this.returning;
    this.arrival = this.join(this.returning).catch((error: Error) => {
      this.logs.push(error.message);
    });
    this.returning = undefined;
  }

  /** Waits for what happens soon. */
  async until(happened: () => boolean): Promise<void> {
    for (const end = Date.now() + 900_000; !happened(); ) {
      if (Date.now() > end) throw new Error(`it never happened:\n${this.logs.join("\n")}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/** A link that shows what arrives to somebody else first, and waits for them. */
function watched(link: Link, onFrame: (frame: Frame) => Promise<void>): Link {
  return {
    peer: link.peer,
    send: (frame) => link.send(frame),
    close: () => link.close(),
    async *frames() {
      for await (const frame of link.frames()) {
        await onFrame(frame);
        yield frame;
      }
    },
  };
}
