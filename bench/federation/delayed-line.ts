import { createServer, connect as dial, type Socket } from "node:net";

/** A port whose connections go on to another port of this machine, with everything so many milliseconds late each way. */
export interface DelayedLine {
  readonly port: number;
  close(): void;
}

export async function delayedLine(target: number, milliseconds: number): Promise<DelayedLine> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = dial(target, "127.0.0.1");
    for (const [from, to] of [[near, far] as const, [far, near] as const]) {
      sockets.add(from.setNoDelay());
      const later = (act: () => void) => void setTimeout(act, milliseconds);
      from.on("data", (bytes) => later(() => to.write(bytes)));
      from.on("end", () => later(() => to.end()));
      from.on("error", () => to.destroy());
      from.on("close", () => sockets.delete(from));
    }
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    port: (server.address() as { port: number }).port,
    close: () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
