import type { Tally } from "../../tally.js";
import { type Method, plainLoss } from "../method.js";

/** Averages, weighted by people, and nothing about fairness. */
export class FedAvg implements Method {
  memory = [];

  plan(tally: Tally) {
    return plainLoss(tally.groups);
  }
}
