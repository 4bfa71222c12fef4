import type { Sentence } from "./refused-de.js";

/** Why job cards are refused by their rarer rules. `pages-de.test.ts` holds them together. */
export const refusedCards: readonly Sentence[] = [
  [
    /^(\w+(?:: \w+)?) is not for a federation, since (.*): (leave it out|give a number)$/,
    "$1 gibt es nicht in einer Föderation, denn @2: @3",
  ],
  [
    /^(\w+(?:: \w+)?) is not for (rows|columns) split over sites, since (.*): (leave it out|leave out distance|split rows, or leave it out)$/,
    "$1 gibt es nicht, wo @2 über Stellen geteilt sind, denn @3: @4",
  ],
  [
    /^the paper's admm is made of means, and distance: manhattan has medians: leave out solver, or distance$/,
    "das admm der Veröffentlichung besteht aus Mittelwerten, und distance: manhattan hat Mediane: lassen Sie solver oder distance weg",
  ],
  [
    /^the paper's admm knows no even sizes: leave out solver, or balance$/,
    "das admm der Veröffentlichung kennt keine gleichen Größen: lassen Sie solver oder balance weg",
  ],
  [
    /^siteShares is for split: rows; with columns split all sites have the same people: leave it out$/,
    "siteShares ist für split: rows; bei geteilten Spalten haben alle Stellen dieselben Personen: lassen Sie es weg",
  ],
  [
    /^represent is missing: give the share that each group is to have, such as (represent: [\d.]+)$/,
    "represent fehlt: geben Sie den Anteil an, den jede Gruppe haben soll, etwa $1",
  ],
  [/^k is missing: the number of clusters$/, "k fehlt: die Anzahl der Cluster"],
  [/^(\w+) does nothing in a training: leave it out$/, "$1 bewirkt beim Lernen nichts: lassen Sie es weg"],
  [
    /^represent and inClusters are for notion: representation: say that too, or leave them out$/,
    "represent und inClusters sind für notion: representation: ergänzen Sie das, oder lassen Sie sie weg",
  ],
  [
    /^say the tolerance, such as (tolerance: \d+), since what moves as a whole may be beyond a bound as a whole, and only the sites know the heaviest$/,
    "nennen Sie die Toleranz, etwa $1, denn was als Ganzes wechselt, kann als Ganzes jenseits einer Grenze sein, und nur die Stellen kennen das Schwerste",
  ],
  [
    /^seats has (\d+) places?, and k is (\d+): give one for each cluster$/,
    "seats hat $1 Plätze, und k ist $2: geben Sie einen für jeden Cluster",
  ],
  [
    /^capacity has (\d+) sizes?: give one for each of k=(\d+) clusters$/,
    "capacity hat $1 Größen: geben Sie eine für jeden von k=$2 Clustern",
  ],
  [
    /^capacity says the sizes of all clusters: leave out minSize, maxSize and balance: hard$/,
    "capacity nennt die Größen aller Cluster: lassen Sie minSize, maxSize und balance: hard weg",
  ],
  [
    /^place (\d+) of seats has no '(.*)': give a value for every column of the job$/,
    "Platz $1 von seats hat kein '$2': geben Sie für jede Spalte des Auftrags einen Wert",
  ],
  [
    /^categoryWeight does nothing where no column is a category: name some as categorical, or leave it out$/,
    "categoryWeight bewirkt nichts, wo keine Spalte eine Kategorie ist: nennen Sie welche unter categorical, oder lassen Sie es weg",
  ],
  [
    /^(\w+) is named by several parties: name it at one of them$/,
    "$1 steht bei mehreren Stellen: nennen Sie es bei einer von ihnen",
  ],
  [
    /^(\S+) has no choice of distance: use (.*), or leave it out$/,
    "$1 hat keine Wahl des Abstands: verwenden Sie @2, oder lassen Sie es weg",
  ],
  [
    /^(\w+) is for squared distances, whose means can be weighed and contracted: leave out distance$/,
    "$1 ist für quadrierte Abstände, deren Mittelwerte sich gewichten und zusammenziehen lassen: lassen Sie distance weg",
  ],
  [
    /^name the categories of '(.*)', such as categories: \{ (.*) \}$/,
    "nennen Sie die Kategorien von '$1', etwa categories: { $2 }",
  ],
];

/** Reasons in these sentences, and what to do. */
export const partsOfCards: readonly Sentence[] = [
  [/^leave it out$/, "lassen Sie es weg"],
  [/^leave out distance$/, "lassen Sie distance weg"],
  [/^give a number$/, "geben Sie eine Zahl"],
  [/^split rows, or leave it out$/, "teilen Sie Zeilen, oder lassen Sie es weg"],
  [/^rows$/, "Zeilen"],
  [/^columns$/, "Spalten"],
  [/^kmeans\+\+ or random$/, "kmeans++ oder random"],
  [
    /^each set of people who are kept apart is decided by all their distances in one place$/,
    "über Personen, die getrennt bleiben, wird nach allen ihren Abständen an einem Ort entschieden",
  ],
  [
    /^it decides about eight people at a time, at the sizes that the eight before them left: one exchange after the other for every eight, each over everybody's rows or a thousand$/,
    "es entscheidet über je acht Personen, bei den Größen, die die acht vor ihnen hinterlassen: ein Austausch nach dem anderen für je acht, jeder über die Zeilen aller oder von tausend",
  ],
  [/^it works on columns alone$/, "es arbeitet nur mit Spalten"],
  [
    /^the size would tell everybody how rare the rarest group is$/,
    "die Größe würde allen sagen, wie selten die seltenste Gruppe ist",
  ],
  [
    /^which clusters hold a group depends on how far all centres are apart, and on combinations of groups, which no site may see$/,
    "welche Cluster eine Gruppe halten, hängt davon ab, wie weit alle Zentren voneinander entfernt sind, und von Kombinationen von Gruppen, die keine Stelle sehen darf",
  ],
  [
    /^weights of groups would take the groups away from whoever holds them$/,
    "Gewichte von Gruppen würden die Gruppen denen wegnehmen, die sie haben",
  ],
  [
    /^every person's neighbours are found among all people$/,
    "die Nachbarn jeder Person werden unter allen Personen gesucht",
  ],
  [
    /^each party decides about its own people one by one$/,
    "jede Stelle entscheidet einzeln über ihre eigenen Personen",
  ],
  [/^costs are a row for every person, in one place$/, "Kosten sind eine Zeile für jede Person, an einem Ort"],
  [
    /^minCount hides people among others who count as much, and in weight a sum of many may be one heavy person's$/,
    "minCount verbirgt Personen unter anderen, die so viel zählen, und im Gewicht kann eine Summe vieler die einer einzigen schweren Person sein",
  ],
  [
    /^medians are no sums, and only sums leave a site$/,
    "Mediane sind keine Summen, und nur Summen verlassen eine Stelle",
  ],
  [
    /^centres of an earlier run, which people's data have led to, would be on the card for every site and the coordinator to see$/,
    "die Zentren eines früheren Laufs, zu denen die Daten von Personen geführt haben, stünden auf der Karte, für jede Stelle und den Koordinator sichtbar",
  ],
];
