import { failed } from "../src/errors.js";
import type { Identity } from "../src/federation/identity/kit.js";
import { decodeFrame, encodeFrame, type Frame } from "../src/federation/transport/frame.js";
import type { Dialling, Link, Listener, Listening } from "../src/federation/transport/types.js";
import type { World } from "./world.js";

/** Which way a frame goes: from a member to the coordinator, or back. */
type Direction = "up" | "down";

/** A frame on its way. */
export interface Passing {
  readonly member: string;
  /** The connection's number: calls are counted anew on each. */
  readonly line: number;
  readonly direction: Direction;
  readonly frame: Frame;
}

/**
 * What becomes of a frame: these frames arrive in its place, after so many milliseconds more than usual; or the line is cut; or nothing more
 * arrives on it, and neither side is told.
 */
export type Fate = { readonly frames: readonly Frame[]; readonly later?: number } | "cut" | "silent";

/** Milliseconds that a frame usually takes: any time up to this. */
const usualDelay = 20;

/** A network whose delays follow the world's seed, and whose lines do to frames what `decide` says. */
export class SimulatedNetwork implements Listening {
  /** Asked about every frame that leaves. */
  decide: (passing: Passing) => Fate = ({ frame }) => ({ frames: [frame] });
  private readonly lines = new Set<Line>();
  private accept: ((link: Link) => void) | undefined;
  private dialled = 0;

  constructor(private readonly world: World) {}

  async listen(accept: (link: Link) => void): Promise<Listener> {
    this.accept = accept;
    return {
      port: 0,
      close: async () => {
        if (this.accept === accept) this.accept = undefined;
      },
    };
  }

  dialling(identity: Identity): Dialling {
    return {
      dial: async () => {
        await new Promise<void>((resolve) => this.world.after(this.world.random.below(usualDelay), resolve));
        if (!this.accept) throw failed("the coordinator cannot be reached: it is not listening");
        const line = new Line(this.world, identity, this.dialled++, (passing) => this.decide(passing));
        this.lines.add(line);
        this.accept(line.end("down"));
        return line.end("up");
      },
    };
  }

  /** Cuts all lines of a member; of everybody where none is named. */
  cut(member?: string): void {
    for (const line of this.lines) {
      if (member !== undefined && line.identity.name !== member) continue;
      line.cut();
      this.lines.delete(line);
    }
  }
}

/** A connection between a member and the coordinator. */
class Line {
  private readonly arrived = { up: [] as Uint8Array[], down: [] as Uint8Array[] };
  private readonly last = { up: 0, down: 0 };
  private waiting: (() => void)[] = [];
  private ended = false;
  private silent = false;

  constructor(
    private readonly world: World,
    readonly identity: Identity,
    private readonly number: number,
    private readonly decide: (passing: Passing) => Fate,
  ) {}

  /** The end from which frames go this way. */
  end(direction: Direction): Link {
    const coordinator: Identity = { role: "coordinator", name: "coordinator" };
    const incoming = this.arrived[direction === "up" ? "down" : "up"];
    const next = () => this.next(incoming);
    return {
      peer: direction === "up" ? coordinator : this.identity,
      send: async (frame) => this.send(direction, frame),
      async *frames() {
        for (let bytes = await next(); bytes; bytes = await next()) yield decodeFrame(bytes);
      },
      close: () => this.cut(),
    };
  }

  cut(): void {
    this.ended = true;
    this.wake();
  }

  private send(direction: Direction, frame: Frame): void {
    if (this.ended) throw failed("the link is closed");
    // As bytes: nobody keeps what was sent.
    const sent = encodeFrame(frame);
    if (this.silent) return;
    const passing = { member: this.identity.name, line: this.number, direction, frame: decodeFrame(sent) };
    const fate = this.decide(passing);
    if (fate === "cut") this.cut();
    if (fate === "silent") this.silent = true;
    if (typeof fate === "string") return;
    for (const each of fate.frames) {
      const bytes = encodeFrame(each);
      const due = this.world.now + this.world.random.below(usualDelay) + (fate.later ?? 0);
      this.last[direction] = Math.max(due, this.last[direction]);
      this.world.after(this.last[direction] - this.world.now, () => {
        if (this.ended || this.silent) return;
        this.arrived[direction].push(bytes);
        this.wake();
      });
    }
  }

  private async next(incoming: Uint8Array[]): Promise<Uint8Array | undefined> {
    while (incoming.length === 0) {
      if (this.ended) return undefined;
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    return incoming.shift();
  }

  private wake(): void {
    for (const go of this.waiting.splice(0)) go();
  }
}
