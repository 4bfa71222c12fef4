export type Role = "coordinator" | "party" | "analyst";

/** Who somebody is: certificates prove it. */
export interface Identity {
  readonly role: Role;
  readonly name: string;
}
