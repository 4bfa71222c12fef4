import type { CoordinatorService, CoordinatorView } from "../federation/coordinator/service.js";
import { serveLive } from "./live-page.js";
import type { LocalServer } from "./local-server.js";
import type { Login } from "./login.js";
import type { RecentLine, RecentLines } from "./recent-lines.js";

/** What the coordinator's page shows. */
export interface CoordinatorState extends CoordinatorView {
  readonly lines: readonly RecentLine[];
}

/** The page of whoever runs a coordinator. */
export function serveCoordinator(
  service: CoordinatorService,
  lines: RecentLines,
  port: number | undefined,
  login?: Login,
): Promise<LocalServer> {
  return serveLive<CoordinatorState>(
    {
      state: () => ({ ...service.view(), lines: lines.list() }),
      answers: { cancel: ({ id }: { readonly id: string }, person) => service.cancel(id, person) },
    },
    { page: "coordinator.html", command: "moiety coordinator", port, login },
  );
}
