/**
 * A federation inside an application of one's own: job cards, a party and a coordinator over a transport that is given, and a
 * simulation of a whole federation in memory. For Node.
 *
 * ```ts
 * import { Simulation } from "moiety/federation";
 *
 * const simulation = await Simulation.open({ "bank-a": { table: accounts, policy }, hospital: { table: visits, policy } });
 * const { result, labels } = await simulation.run(job);
 * await simulation.close();
 * ```
 *
 * @packageDocumentation
 */
export { type ErrorCode, MoietyError } from "../errors.js";
export { AnalystClient } from "../federation/analyst/client.js";
export { MemberAudit } from "../federation/audit/member-audit.js";
export { type Card, cardHash, cardOf } from "../federation/consent/card.js";
export { type Policy, parsePolicy } from "../federation/consent/policy.js";
export { CoordinatorService } from "../federation/coordinator/service.js";
export type { Identity } from "../federation/identity/kit.js";
export { type Kit, loadKit } from "../federation/identity/kit.js";
export { type SimulatedSite, Simulation } from "../federation/local/simulation.js";
export type { PartyAlignment, PartyOptions, PartyResult, PartySummary } from "../federation/party/options.js";
export { PartyService } from "../federation/party/service.js";
export { type FederationPlan, makeKits, parseFederation, provision } from "../federation/provision.js";
export { FileStore } from "../federation/store/files.js";
export { MemoryStore } from "../federation/store/memory.js";
export type { Store } from "../federation/store/types.js";
export type { Frame } from "../federation/transport/frame.js";
export { MemoryNetwork } from "../federation/transport/memory.js";
export type { Dialling, Link, Listener, Listening } from "../federation/transport/types.js";
