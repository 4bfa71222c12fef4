import { type AssignOptions, type AssignResult, joiningRequest } from "../algorithms/assign.js";
import { CountedClusters } from "../algorithms/counted-clusters.js";
import type { Model } from "../algorithms/model.js";
import {
  askedAttributes,
  heldTo,
  inGroupsOf,
  judgeNewcomers,
  promisesIn,
  withBounds,
} from "../algorithms/newcomers.js";
import { defined } from "../defined.js";
import { type ScanOptions, settleScan, solveScan, writeLabels } from "./cluster.js";
import { costAround, scanFacts } from "./describe.js";
import { countedPeople, nobody, openInModel, prepareInModel } from "./in-model.js";
import type { Everybody } from "./prepare.js";
import { ScanLog } from "./scan-log.js";
import type { LabelSink, Scanner, ScanSums } from "./scanner.js";

export interface ScannedAssignment {
  readonly everybody: Everybody;
  readonly result: AssignResult;
  /** With the newcomers counted in it, as far as small cells allow. */
  readonly model: Model;
  /** Tells everybody's cluster; an error where the counts are not those of the result. */
  writeLabels(sink: LabelSink): Promise<void>;
}

/** As `assign`, a batch of people who are only scanned: counts say what they can keep, and prices where everybody goes. */
export async function assignScanned(
  source: Scanner,
  given: Model,
  options: Omit<AssignOptions, "online"> & Pick<ScanOptions, "onScan">,
): Promise<ScannedAssignment> {
  const { id, missing, weights, protect, onScan, signal, threads, seed, onProgress } = options;
  const log = new ScanLog(onScan, signal);
  const scanner = log.scanner(source);
  const bounded = withBounds(promisesIn(given), options.bounds);
  const asked = askedAttributes(bounded, protect);
  const columns = { ...defined({ id, missing, weights }), protect: asked.map((attribute) => attribute.protect) };
  const prepared = await prepareInModel(scanner, given, columns, (found) =>
    found.map((attribute, at) => inGroupsOf(asked[at], attribute)),
  );
  const { everybody, gridBits } = prepared;
  const heaviest = everybody.atoms?.largest;
  const model = heldTo(given, bounded, options.tolerance, heaviest);
  const clusters = new CountedClusters(model, asked, options.together ?? false);
  const { together } = clusters;
  const request = {
    ...joiningRequest(model, asked, together, everybody.weights?.total ?? everybody.n),
    ...defined({ threads, seed, signal, onProgress }),
  };
  const settings = await settleScan(everybody, request, source.method);
  const { people, nearest } = await openInModel(scanner, prepared, model);
  const found = await solveScan(prepared, people, settings, request);
  const near = await people.sums(nearest, nobody);
  const { k, provenance } = model;
  const counted = countedPeople(everybody, found.sums.counts, k);
  const countedNear = countedPeople(everybody, near.counts, k);
  clusters.count(counted.people, counted.labels);
  const sseOf = (sums: ScanSums) => costAround(people, sums, nearest.centres, k) * 4 ** -gridBits;
  const result: AssignResult = {
    ...{ algorithm: provenance.algorithm, method: source.method, n: everybody.n },
    ...defined({ weights: everybody.weights }),
    ...{ k, together, online: false, sse: sseOf(found.sums), nearestSse: sseOf(near) },
    nearestViolation: judgeNewcomers(model, countedNear.people, countedNear.labels, together).maxViolation,
    // Where everybody is in the sample, what is certified for it is certified for everybody.
    gap: found.rounds === 0 ? found.sample.clustering.result.gap : null,
    ...judgeNewcomers(model, counted.people, counted.labels, together),
    scanned: scanFacts(found, log.scans + 1),
    warnings: everybody.warnings,
  };
  return {
    everybody,
    result,
    model: clusters.updatedModel(Math.max(1, heaviest ?? 1)),
    writeLabels: (sink) => writeLabels(people, source, found.round, found.sums, sink),
  };
}
