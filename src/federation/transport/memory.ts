import { failed } from "../../errors.js";
import type { Identity } from "../identity/kit.js";
import { decodeFrame, encodeFrame, type Frame } from "./frame.js";
import type { Dialling, Link, Listener, Listening } from "./types.js";

/** Frames that may wait to be read before a sender has to wait. */
const mostQueued = 8;

/**
 * A network inside one process: the same frames, byte for byte. For simulations, and for applications that embed Moiety; nothing
 * protects its sides from each other.
 */
export class MemoryNetwork implements Listening {
  private accept: ((link: Link) => void) | undefined;

  constructor(private readonly coordinator: Identity = { role: "coordinator", name: "coordinator" }) {}

  async listen(accept: (link: Link) => void): Promise<Listener> {
    if (this.accept) throw failed("this network has a coordinator already");
    this.accept = accept;
    const close = async () => {
      this.accept = undefined;
    };
    return { port: 0, close };
  }

  dialling(identity: Identity): Dialling {
    return {
      dial: async () => {
        if (!this.accept) throw failed("the coordinator cannot be reached: it is not listening");
        const there = new Pipe();
        const back = new Pipe();
        this.accept(new MemoryLink(identity, there, back));
        return new MemoryLink(this.coordinator, back, there);
      },
    };
  }
}

class MemoryLink implements Link {
  constructor(
    readonly peer: Identity,
    private readonly incoming: Pipe,
    private readonly outgoing: Pipe,
  ) {}

  send(frame: Frame): Promise<void> {
    return this.outgoing.push(encodeFrame(frame));
  }

  async *frames(): AsyncIterable<Frame> {
    for (;;) {
      const bytes = await this.incoming.pull();
      if (!bytes) return;
      yield decodeFrame(bytes);
    }
  }

  close(): void {
    this.outgoing.end();
    this.incoming.end();
  }
}

/** Bytes one way, a few frames at a time. */
class Pipe {
  private readonly queue: Uint8Array[] = [];
  private readonly waiting: (() => void)[] = [];
  private ended = false;

  async push(bytes: Uint8Array): Promise<void> {
    if (this.ended) throw failed("the link is closed");
    this.queue.push(bytes);
    this.wake();
    while (this.queue.length > mostQueued && !this.ended) await this.change();
  }

  async pull(): Promise<Uint8Array | undefined> {
    while (this.queue.length === 0) {
      if (this.ended) return undefined;
      await this.change();
    }
    const bytes = this.queue.shift();
    this.wake();
    return bytes;
  }

  end(): void {
    this.ended = true;
    this.wake();
  }

  private change(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}
