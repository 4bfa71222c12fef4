import type { Card } from "../consent/card.js";
import { findsCells, isCountPrivate, isPrivate } from "../consent/private-card.js";
import type { RunFacts } from "./summary.js";

/** One thing that passed the coordinator, and what it can make of it. */
export interface Learnt {
  readonly about: string;
  readonly seen: string;
}

/** All that the coordinator could learn of a job, if it looked at everything that passed it. */
export function learntByCoordinator(card: Card, { n, prepared }: RunFacts): Learnt[] {
  return [
    { about: "the job", seen: "the card: algorithm, settings, the sites and the names of their columns" },
    ...(card.split === "rows" ? ofRows(card) : [...ofPeople(card, prepared, n), ...ofColumns(card)]),
    { about: "the result", seen: "nothing: letters are sealed for their readers" },
  ];
}

/** Of a job that only finds out whom the sites have in common. */
export function learntOfAlignment({ common, reused }: { readonly common: number; readonly reused: boolean }): Learnt[] {
  return [
    { about: "the job", seen: "the card: the sites, and the name of their column of ids" },
    ofIds(common, reused),
    { about: "the result", seen: "nothing else: letters are sealed for their readers" },
  ];
}

function ofIds(common: number, reused: boolean): Learnt {
  const seen = reused
    ? `that ${common} are common to all, and that no site's ids have changed since they were aligned`
    : `how many ids each site has and how many of them some or all others hold: ${common} are common to all; no id`;
  return { about: "people", seen };
}

function ofPeople(card: Card, prepared: RunFacts["prepared"], n: number): Learnt[] {
  if (!prepared?.alignment) return [{ about: "people", seen: `that there are ${n}` }];
  // Where everything is private none are compared.
  if (isCountPrivate(card)) return [ofIds(n, prepared.alignment.reused)];
  const columns = prepared.overlaps.length;
  return [
    ofIds(n, prepared.alignment.reused),
    {
      about: "columns held twice",
      seen: columns === 0 ? "that there are none" : `which ${columns === 1 ? "one is" : `${columns} are`}; no value`,
    },
  ];
}

const sealedCounts = "nothing: noisy counts pass it sealed";

/** The solver runs at the sites: the coordinator sees rows that it says the smallest of, and sums that are sealed. */
function ofColumns(card: Card): Learnt[] {
  const { k, protection, distance, capacity } = card;
  const cells = findsCells(card);
  const total = distance === "manhattan" ? "sum of distances" : "SSE";
  const rounds = isCountPrivate(card);
  const quality = {
    about: "quality",
    seen: rounds
      ? "nothing: noisy sums pass it sealed"
      : `total ${total}, largest violation to a tenth, number of moves and passes`,
  };
  if (protection === "blinded") {
    return [
      {
        about: "values",
        seen: "no value; ratios of differences within rows that are shuffled and scaled with fresh secrets",
      },
      { about: "groups", seen: cells ? sealedCounts : "nothing" },
      {
        about: "clusters",
        seen: `that there are ${k}${cells ? ", and of how many cells" : ""}; no person's cluster and no size${capacity ? " beyond the limits on the card" : ""}`,
      },
      quality,
    ];
  }
  return [
    {
      about: "values",
      seen: `no value; for each person, sums over all sites of differences of ${distance === "manhattan" ? "Manhattan" : "squared"} distances to the centres`,
    },
    {
      about: "groups",
      seen: cells
        ? sealedCounts
        : "no name or size; which people have the same combination of groups, from what limits cost them",
    },
    {
      about: "clusters",
      seen: `each person's ${cells ? "cell" : `of the ${k}`}, by a row number that only the sites can turn into an id; sizes`,
    },
    quality,
  ];
}

function ofRows(card: Card): Learnt[] {
  if (isPrivate(card)) return ofNoise(card);
  const { minCount, protection } = card;
  const means = protection === "means" ? `means of each site's own clusters of at least ${minCount} people; ` : "";
  return [
    { about: "people", seen: "how many each site has; no id" },
    { about: "values", seen: `${means}sums over all sites, of at least ${minCount} people` },
    { about: "groups", seen: "how many people all sites have of each combination, in all and in each cluster" },
    { about: "clusters", seen: "sizes and centres; no person's cluster" },
  ];
}

function ofNoise(card: Card): Learnt[] {
  const { epsilon, parties } = card;
  const noise = epsilon === "inf" ? "without noise" : "with noise that the sites have added";
  const open = !isCountPrivate(card);
  return [
    { about: "people", seen: open ? "how many each site has; no id" : "not even how many each site has" },
    {
      about: "values",
      seen: open ? "sums over all sites, exact: features are taken as known" : `sums over all sites, ${noise}`,
    },
    ...(parties[0].protect.length > 0
      ? [{ about: "groups", seen: `how many are in each cell, over all sites, ${noise}` }]
      : []),
    { about: "clusters", seen: "the model; no person's cluster" },
  ];
}
