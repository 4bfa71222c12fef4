import { partsOfCards, refusedCards } from "./cards-de.js";
import { composed, ended } from "./ended-de.js";
import { happened } from "./happened-de.js";
import { partsOfPages, refusedByPages } from "./pages-de.js";
import { parts, refused, type Sentence } from "./refused-de.js";

/**
 * What the core says in whole sentences, in German: warnings, policies, journals, what the coordinator could learn, and what methods are.
 * `said.test.ts` and `src/pages/said.test.ts` hold them together.
 */
const said: readonly Sentence[] = [
  // What a sweep says of some of its values only
  [/^at ((?:k \d+[^:]*?)): (.*)$/, "bei $1: @2"],

  [/^(.*) is not on the card$/, "$1 steht nicht auf der Karte"],
  [/^the site has no policy: every job is refused$/, "die Stelle hat keine Richtlinie: jeder Auftrag wird abgelehnt"],
  [/^analyst '(.*)' is named$/, "'$1' ist genannt"],
  [/^analyst '(.*)' is not among those that the policy names$/, "'$1' ist nicht unter denen, die die Richtlinie nennt"],
  [/^algorithm (\S+) is allowed$/, "Verfahren $1 ist erlaubt"],
  [/^algorithm (\S+) is not allowed$/, "Verfahren $1 ist nicht erlaubt"],
  [/^distance (\S+) is allowed$/, "Abstand $1 ist erlaubt"],
  [
    /^distance (\S+) is not allowed: add '(.*)' to the policy$/,
    "Abstand $1 ist nicht erlaubt: ergänzen Sie '$2' in der Richtlinie",
  ],
  [/^column '(.*)' may be a feature$/, "mit Spalte '$1' darf gerechnet werden"],
  [/^column '(.*)' may not be a feature$/, "mit Spalte '$1' darf nicht gerechnet werden"],
  [/^column '(.*)' may be protected$/, "Spalte '$1' darf geschützt werden"],
  [/^column '(.*)' may not be protected$/, "Spalte '$1' darf nicht geschützt werden"],
  [/^column '(.*)' of (.*) may say how much people weigh$/, "Spalte '$1' von $2 darf sagen, wie viel Personen zählen"],
  [
    /^column '(.*)' of (.*) may not say how much people weigh: add '(.*)' to the policy$/,
    "Spalte '$1' von $2 darf nicht sagen, wie viel Personen zählen: ergänzen Sie '$3' in der Richtlinie",
  ],
  [/^column '(.*)' of (.*) may say who belongs together$/, "Spalte '$1' von $2 darf sagen, wer zusammengehört"],
  [
    /^column '(.*)' of (.*) may not say who belongs together: add '(.*)' to the policy$/,
    "Spalte '$1' von $2 darf nicht sagen, wer zusammengehört: ergänzen Sie '$3' in der Richtlinie",
  ],
  [/^clusters may be at given places in column '(.*)'$/, "Cluster dürfen an gegebenen Orten in Spalte '$1' sein"],
  [
    /^clusters may not be at given places in column '(.*)': add '(.*)' to the policy$/,
    "Cluster dürfen nicht an gegebenen Orten in Spalte '$1' sein: ergänzen Sie '$2' in der Richtlinie",
  ],
  [
    /^sites may learn everybody's cell, and how far apart cells are$/,
    "Stellen dürfen die Zelle aller Personen erfahren, und wie weit Zellen auseinanderliegen",
  ],
  [
    /^sites may not learn everybody's cell, and how far apart cells are: add '(.*)' to the policy$/,
    "Stellen dürfen nicht die Zelle aller Personen erfahren, und nicht, wie weit Zellen auseinanderliegen: ergänzen Sie '$1' in der Richtlinie",
  ],
  [/^column '(.*)' may name people$/, "Spalte '$1' darf Personen benennen"],
  [
    /^column '(.*)' may not name people: add '(.*)' to the policy$/,
    "Spalte '$1' darf Personen nicht benennen: ergänzen Sie '$2' in der Richtlinie",
  ],
  [/^people's '(.*)' may go to the analyst$/, "'$1' der Personen darf an die Analyse gehen"],
  [/^no id goes to the analyst$/, "keine Kennung geht an die Analyse"],
  [
    /^people's '(.*)' may not go to the analyst: add '(.*)' to the policy, or leave out (.*)$/,
    "'$1' der Personen darf nicht an die Analyse gehen: ergänzen Sie '$2' in der Richtlinie, oder lassen Sie $3 weg",
  ],
  [/^at least (\d+) people$/, "mindestens $1 Personen"],
  [
    /^fewer people than the (\d+) that the policy asks for$/,
    "weniger Personen als die $1, die die Richtlinie verlangt",
  ],
  [/^(a quorum of )?(\d+) parties, of at least (\d+)$/, "$2 Stellen, von mindestens $3"],
  [
    /^(a quorum of )?(\d+) parties, and the policy asks for at least (\d+)$/,
    "$2 Stellen, und die Richtlinie verlangt mindestens $3",
  ],
  [/^clusters of at least (\d+)$/, "Cluster von mindestens $1"],
  [
    /^clusters of (\S+), and the policy asks for at least (\d+): use minSize: (\d+)$/,
    "Cluster ab $1, und die Richtlinie verlangt mindestens $2: verwenden Sie minSize: $3",
  ],
  [
    /^clusters of (\d+), and the policy asks for at least (\d+): use (.*) with (.*)$/,
    "Cluster von $1, und die Richtlinie verlangt mindestens $2: verwenden Sie $3 mit $4",
  ],
  [/^protection '(.*)' is enough$/, "Schutz '$1' genügt"],
  [/^protection '(.*)' is weaker than the policy's$/, "Schutz '$1' ist schwächer als der der Richtlinie"],
  [/^sums of at least (\d+) people$/, "Summen über mindestens $1 Personen"],
  [
    /^sums of (\d+) people, and the policy asks for at least (\d+): use (.*)$/,
    "Summen über $1 Personen, und die Richtlinie verlangt mindestens $2: verwenden Sie $3",
  ],
  [/^labels may go to role parties$/, "die Cluster der Personen dürfen an die Stellen gehen"],
  [/^labels may not go to role parties$/, "die Cluster der Personen dürfen nicht an die Stellen gehen"],
  [/^labels may go to role analyst$/, "die Cluster der Personen dürfen an die Analyse gehen"],
  [/^labels may not go to role analyst$/, "die Cluster der Personen dürfen nicht an die Analyse gehen"],
  [/^job (\d+) of (\d+)$/, "Auftrag $1 von $2"],
  [/^the policy's budget of (\d+) jobs is used up$/, "das Budget der Richtlinie von $1 Aufträgen ist aufgebraucht"],
  [/^column '(.*)' may be learnt$/, "Spalte '$1' darf gelernt werden"],
  [/^column '(.*)' may not be learnt$/, "Spalte '$1' darf nicht gelernt werden"],
  [/^decisions may depend on people's groups$/, "Entscheidungen dürfen von den Gruppen der Personen abhängen"],
  [
    /^decisions may not depend on people's groups \(useGroup\): where that is lawful, add '(.*)' to the policy$/,
    "Entscheidungen dürfen nicht von den Gruppen der Personen abhängen (useGroup): wo es rechtmäßig ist, ergänzen Sie '$1' in der Richtlinie",
  ],
  [
    /^others may see this site's own shares, sizes and cost$/,
    "andere dürfen Anteile, Größen und Kosten der eigenen Personen dieser Stelle sehen",
  ],
  [
    /^others may not see this site's own shares, sizes and cost: add '(.*)' to the policy, or leave it out of the job$/,
    "andere dürfen Anteile, Größen und Kosten der eigenen Personen dieser Stelle nicht sehen: ergänzen Sie '$1' in der Richtlinie, oder lassen Sie es im Auftrag weg",
  ],
  [/^the model may go to role parties$/, "das Modell darf an die Stellen gehen"],
  [/^the model may not go to role parties$/, "das Modell darf nicht an die Stellen gehen"],
  [/^the model may go to role analyst$/, "das Modell darf an die Analyse gehen"],
  [/^the model may not go to role analyst$/, "das Modell darf nicht an die Analyse gehen"],
  [/^there is a privacy budget of epsilon (.*)$/, "es gibt ein Privatsphäre-Budget von Epsilon $1"],
  [/^no noise, and no privacy budget$/, "kein Rauschen, und kein Privatsphäre-Budget"],
  [
    /^the policy sets no privacy budget: it needs (.*), say, before anything is disclosed under noise$/,
    "die Richtlinie setzt kein Privatsphäre-Budget: sie braucht etwa $1, bevor etwas unter Rauschen offengelegt wird",
  ],
  [
    /^no noise at all \(epsilon: inf\), and the policy has a privacy budget$/,
    "gar kein Rauschen (epsilon: inf), und die Richtlinie hat ein Privatsphäre-Budget",
  ],
  [/^up to (\d+) passes, of (\d+)$/, "bis zu $1 Durchgänge, von $2"],
  [/^up to (\d+) passes, and the policy allows (\d+)$/, "bis zu $1 Durchgänge, und die Richtlinie erlaubt $2"],
  [/^consent$/, "Zustimmung"],
  [/^1 signature$/, "1 Unterschrift"],
  [/^row count$/, "Zahl der Personen"],
  [/^number of ids$/, "Zahl der Kennungen"],
  [/^1 number$/, "1 Zahl"],
  [/^numbers$/, "Zahlen"],
  [/^(\d+) numbers$/, "$1 Zahlen"],
  [/^own ids under this site's key$/, "eigene Kennungen unter dem Schlüssel dieser Stelle"],
  [/^another site's ids under one more key$/, "Kennungen einer anderen Stelle unter einem weiteren Schlüssel"],
  [/^ids under all sites' keys$/, "Kennungen unter den Schlüsseln aller Stellen"],
  [/^up to (\d+) ids$/, "bis zu $1 Kennungen"],
  [/^up to (\d+) digests$/, "bis zu $1 Prüfsummen"],
  [/^parts of the sites' key$/, "Teile des Schlüssels der Stellen"],
  [/^proof of the same people$/, "Nachweis derselben Personen"],
  [/^1 digest$/, "1 Prüfsumme"],
  [/^(\d+) bytes$/, "$1 Bytes"],
  [/^digests of columns$/, "Prüfsummen der Spalten"],
  [/^1 for each column$/, "1 für jede Spalte"],
  [/^blinded rows$/, "geblendete Zeilen"],
  [/^masked rows$/, "maskierte Zeilen"],
  [/^people x (\d+)$/, "Personen x $1"],
  [/^possible moves x (\d+)$/, "mögliche Wechsel x $1"],
  [/^proposed moves x (\d+)$/, "vorgeschlagene Wechsel x $1"],
  [/^spread of the columns$/, "Streuung der Spalten"],
  [/^where a centre could go$/, "wohin ein Zentrum könnte"],
  [/^SSE and status of the limits$/, "SSE und Stand der Grenzen"],
  [
    /^sites may learn everybody's cell in every round, and noisy means of all columns$/,
    "Stellen dürfen in jeder Runde die Zelle aller Personen erfahren, und verrauschte Mittel aller Spalten",
  ],
  [
    /^sites may not learn everybody's cell in every round, and noisy means of all columns: add '(.*)' to the policy$/,
    "Stellen dürfen nicht in jeder Runde die Zelle aller Personen erfahren, und nicht verrauschte Mittel aller Spalten: ergänzen Sie '$1' in der Richtlinie",
  ],
  [
    /^clusters of (\d+), and the policy asks for at least (\d+): where everything is private sizes are noisy, and none can be promised; it would take (.*)$/,
    "Cluster ab $1, und die Richtlinie verlangt mindestens $2: wo alles privat ist, sind Größen verrauscht, und keine lässt sich versprechen; es bräuchte $3",
  ],
  [/^word that noise is kept$/, "Bescheid, dass Rauschen aufbewahrt ist"],
  [/^(\d+) x columns$/, "$1 x Spalten"],
  [/^(counts and )?sums of people in cells, with noise$/, "Summen von Personen in Zellen, mit Rauschen"],
  [
    /^(counts and )?sums of people in cells, with noise, epsilon (\S+)$/,
    "Summen von Personen in Zellen, mit Rauschen, Epsilon $2",
  ],
  [/^(counts and )?sums of people in cells(, without noise)?$/, "Summen von Personen in Zellen, ohne Rauschen"],
  [/^(counts and )?sums of people in cells(, with noise)?, repeated$/, "Summen von Personen in Zellen, wiederholt"],
  [/^distances between cells$/, "Abstände zwischen Zellen"],
  [/^(\d+) x (\d+)$/, "$1 x $2"],
  [/^(\d+) x groups$/, "$1 x Gruppen"],
  [/^people of each group in cells, without noise$/, "Personen jeder Gruppe in Zellen, ohne Rauschen"],
  [/^people of each group in cells, with noise$/, "Personen jeder Gruppe in Zellen, mit Rauschen"],
  [
    /^people of each group in cells, with noise, epsilon (\S+)$/,
    "Personen jeder Gruppe in Zellen, mit Rauschen, Epsilon $1",
  ],
  [/^people of each group in cells(, with noise)?, repeated$/, "Personen jeder Gruppe in Zellen, wiederholt"],
  [/^zeros, where others count groups(, repeated)?$/, "Nullen, wo andere Gruppen zählen"],
  [/^sum of distances and status of the limits$/, "Summe der Abstände und Stand der Grenzen"],
  [/^people$/, "Personen"],
  [/^everybody's weight(, for every site)?$/, "das Gewicht aller Personen"],
  [/^who belongs together(, for every site)?$/, "wer zusammengehört"],
  [/^sums$/, "Summen"],
  [/^result$/, "Ergebnis"],
  [/^this journal, and own shares with columns split$/, "dieses Journal, und bei geteilten Spalten eigene Anteile"],
  [/^labels$/, "Cluster der Personen"],
  [/^people, by id where there is one$/, "Personen, mit Kennung, wo es eine gibt"],

  // Warnings about people and columns
  [
    /^(\d+) of (\d+) rows left out: a value is missing in a column that is used$/,
    "$1 von $2 Zeilen ausgelassen: In einer benutzten Spalte fehlt ein Wert",
  ],
  [/^(\d+) of (\d+) rows left out: the label is missing$/, "$1 von $2 Zeilen ausgelassen: Die Antwort fehlt"],
  [
    /^the rows left out change the share of groups by over 5%: (.*)$/,
    "die ausgelassenen Zeilen ändern den Anteil von Gruppen um mehr als 5 %: $1",
  ],
  [
    /^protected attribute '(.*)' has (\d+) groups: bounds of small ones mean little; merge some$/,
    "das geschützte Merkmal '$1' hat $2 Gruppen: Grenzen kleiner Gruppen bedeuten wenig; legen Sie einige zusammen",
  ],
  [
    /^column '(.*)' has the same value for all people: left out$/,
    "Spalte '$1' hat für alle Personen denselben Wert: ausgelassen",
  ],
  [
    /^columns (.*) and (\d+) others each have the same value for all people: left out$/,
    "Spalten $1 und $2 weitere haben je für alle Personen denselben Wert: ausgelassen",
  ],
  [
    /^columns (.*) each have the same value for all people: left out$/,
    "Spalten $1 haben je für alle Personen denselben Wert: ausgelassen",
  ],
  [
    /^column '(.*)' decides (\d+)% of all distances: use a smaller (.*)$/,
    "Spalte '$1' bestimmt $2 % aller Abstände: verwenden Sie ein kleineres $3",
  ],
  [
    /^column '(.*)' decides (\d+)% of all distances: use (.*), or leave it out$/,
    "Spalte '$1' bestimmt $2 % aller Abstände: verwenden Sie $3, oder lassen Sie sie aus",
  ],
  [
    /^(\d+)% of '(.*)' lies beyond the bounds of the box, and is moved to them$/,
    "$1 % von '$2' liegt außerhalb des festgelegten Bereichs und wird an seinen Rand gerückt",
  ],
  [/^(.*) is not UTF-8: it was read as Windows-1252$/, "$1 ist kein UTF-8: gelesen als Windows-1252"],

  // Warnings about clusters
  [
    /^(\S+) looks at no groups, so they are only measured: use (.*), which keeps both promises at once$/,
    "$1 achtet auf keine Gruppen, sie werden nur gemessen: verwenden Sie $2, das beide Versprechen zugleich einhält",
  ],
  [/^(\d+) of (\d+) clusters are empty: (.*)$/, "$1 von $2 Clustern sind leer: $3"],
  [/^(\d+) of (\d+) clusters are outside their sizes: (.*)$/, "$1 von $2 Clustern haben nicht ihre Größe: $3"],
  [
    /^(\d+) of (\d+) clusters are outside the sizes that were asked for$/,
    "$1 von $2 Clustern haben nicht die verlangte Größe",
  ],
  [
    /^(\d+) of (\d+) clusters are outside the sizes (\S+) to (\S+): (.*)$/,
    "$1 von $2 Clustern sind nicht $3 bis $4 Personen groß: $5",
  ],
  [
    /^not converged after (\d+) passes: use a larger (.*)$/,
    "nach $1 Durchgängen nicht konvergiert: verwenden Sie ein größeres $2",
  ],
  [
    /^a tolerance of (\S+) covers whole bounds in clusters? (.*), of fewer than (\d+) people; k=(\d+) clusters as large as that were not found to be feasible: use a smaller k or wider groups$/,
    "eine Toleranz von $1 deckt ganze Grenzen in Cluster $2, mit weniger als $3 Personen; k=$4 Cluster von dieser Größe erwiesen sich nicht als erfüllbar: verwenden Sie ein kleineres k oder weitere Gruppen",
  ],
  [
    /^a tolerance of (\S+) covers whole bounds in clusters? (.*), of fewer than (\d+) people: use a smaller k, or (\S+) with (.*)$/,
    "eine Toleranz von $1 deckt ganze Grenzen in Cluster $2, mit weniger als $3 Personen: verwenden Sie ein kleineres k, oder $4 mit $5",
  ],
  [
    /^a tolerance of (\S+) covers whole bounds in clusters? (.*), of fewer than (\d+) people: use (.*)$/,
    "eine Toleranz von $1 deckt ganze Grenzen in Cluster $2, mit weniger als $3 Personen: verwenden Sie $4",
  ],
  [
    /^(\S+) works on split rows, so (.*) is implied, all of them at one party: use (.*) or (.*)$/,
    "$1 arbeitet auf geteilten Zeilen, also gilt $2, hier alle bei einer Partei: verwenden Sie $3 oder $4",
  ],
  [/^(\S+) works on split rows, so (.*) is implied$/, "$1 arbeitet auf geteilten Zeilen, also gilt $2"],
  [
    /^after (\d+) rounds every cluster of every party was below (\d+) people$/,
    "nach $1 Runden war jeder Cluster jeder Partei kleiner als $2 Personen",
  ],
  [
    /^every local cluster was below the minimum count: each party was asked for fewer (.*) instead$/,
    "jeder örtliche Cluster war kleiner als die Mindestzahl: jede Partei wurde stattdessen um weniger gefragt ($1)",
  ],
  [
    /^(\d+) part(?:y|ies) sent nothing at the start: all clusters below (\d+) people$/,
    "$1 Parteien sandten am Anfang nichts: alle Cluster unter $2 Personen",
  ],
  [
    /^(\d+) part(?:y|ies) had people for fewer than k=(\d+) clusters$/,
    "$1 Parteien hatten Personen für weniger als k=$2 Cluster",
  ],
  [
    /^(\d+) means are known for k=(\d+) clusters: the others begin at random places$/,
    "$1 Mittelwerte sind bekannt für k=$2 Cluster: die übrigen beginnen an zufälligen Stellen",
  ],
  [
    /^the share of (.*) went from (\S+)% to (\S+)%: are the bounds still right\?$/,
    "der Anteil von $1 ging von $2 % auf $3 %: stimmen die Grenzen noch?",
  ],
  [
    /^no teams were found that keep every bound, and it could not be shown that there are none: use a larger tolerance or wider bounds$/,
    "es wurden keine Teams gefunden, die jede Grenze einhalten, und nicht gezeigt, dass es keine gibt: verwenden Sie eine größere Toleranz oder weitere Grenzen",
  ],
  [
    /^(\d+) people can be in no panel that keeps the quotas: their chance is 0$/,
    "$1 Personen können in keinem Gremium sein, das die Quoten einhält: ihre Chance ist 0",
  ],
  [
    /^chances above the least may not be as equal as they could be: use fewer quotas$/,
    "Chancen über der geringsten sind vielleicht nicht so gleich, wie sie sein könnten: verwenden Sie weniger Quoten",
  ],

  // Warnings about noise
  [
    /^no privacy budget is set, epsilon (\S+) is spent in all: set one with (.*)$/,
    "kein Privatsphäre-Budget ist gesetzt, Epsilon $1 ist insgesamt ausgegeben: setzen Sie eines mit $2",
  ],
  [
    /^k=(\d+): a balance of (\S+) with a margin for noise was not reached; by the noisy counts it is (\S+): use fewer clusters, more (\S+), a larger (\S+) or a lower (\S+)$/,
    "k=$1: eine Balance von $2 mit Spielraum für das Rauschen wurde nicht erreicht; nach den verrauschten Zahlen ist sie $3: verwenden Sie weniger Cluster, mehr $4, ein größeres $5 oder ein kleineres $6",
  ],
  [
    /^k=(\d+): a balance of (\S+) with a margin for noise was not reached; by the noisy counts it is (\S+): use fewer clusters, more (\S+) or a lower (\S+)$/,
    "k=$1: eine Balance von $2 mit Spielraum für das Rauschen wurde nicht erreicht; nach den verrauschten Zahlen ist sie $3: verwenden Sie weniger Cluster, mehr $4 oder ein kleineres $5",
  ],
  [
    /^k=(\d+): the noise is too large for the margin of (.*): true balances may be off by (\S+) and more, since a group needs about (\S+) people here; use fewer clusters, fewer (\S+), larger groups or a larger (\S+)$/,
    "k=$1: das Rauschen ist zu groß für den Spielraum von $2: wahre Balancen können um $3 und mehr abweichen, denn eine Gruppe braucht hier etwa $4 Personen; verwenden Sie weniger Cluster, weniger $5, größere Gruppen oder ein größeres $6",
  ],
  [
    /^n=(\d+) is few for epsilon (\S+): the noise moves each of (\d+) centres by about (\S+) where the whole box is 2 wide; use more people, a larger (\S+) or fewer (\S+)$/,
    "n=$1 ist wenig für Epsilon $2: das Rauschen verschiebt jedes von $3 Zentren um etwa $4, wo der ganze Bereich 2 breit ist; verwenden Sie mehr Personen, ein größeres $5 oder weniger $6",
  ],
  [
    /^n=(\d+) is few for this epsilon: expect errors of about (\S+) people in cells of about (\S+), so balances may be off by (\S+)$/,
    "n=$1 ist wenig für dieses Epsilon: erwarten Sie Fehler von etwa $2 Personen in Zellen von etwa $3, Balancen können also um $4 abweichen",
  ],

  // What noise promises
  [
    /^the same people, of whom one has other protected attributes$/,
    "dieselben Personen, von denen eine andere geschützte Merkmale hat,",
  ],
  [/^the same people with one person more or less$/, "dieselben Personen mit einer mehr oder weniger"],
  [
    /^what is published reveals almost nothing about the protected groups that any one person belongs to$/,
    "Was veröffentlicht wird, verrät fast nichts über die geschützten Gruppen einer einzelnen Person",
  ],
  [
    /^what is published reveals almost nothing about any one person, not even whether they were among the people$/,
    "Was veröffentlicht wird, verrät fast nichts über eine einzelne Person, nicht einmal, ob sie dabei war",
  ],
  [
    /^to those who see the model and the noisy counts alone, these reveal almost nothing about any one person, not even whether they were among the people; nothing is promised against the sites, which know that and everybody's cluster, nor against the coordinator$/,
    "Wer allein das Modell und die verrauschten Zahlen sieht, erfährt fast nichts über eine einzelne Person, nicht einmal, ob sie dabei war; nichts wird gegenüber den Stellen versprochen, die das und den Cluster aller wissen, noch gegenüber dem Koordinator",
  ],
  [/^groups in each cell$/, "Gruppen in jeder Zelle"],
  [/^discrete Laplace, scale (\S+)$/, "diskrete Laplace-Verteilung, Skala $1"],
  [
    /^discrete Gaussian, deviation (\S+) people on each count$/,
    "diskrete Normalverteilung, Abweichung $1 Personen bei jeder Zahl",
  ],
  [/^clusters that are balanced by noisy counts$/, "Cluster, die nach verrauschten Zahlen ausgeglichen sind"],
  [/^tight clusters by noisy means$/, "enge Cluster nach verrauschten Mittelwerten"],

  // Warnings about federations
  [
    /^no id on the card: rows were assumed to be in the same order at all sites$/,
    "keine Kennung auf der Karte: die Zeilen wurden bei allen Stellen in derselben Reihenfolge angenommen",
  ],
  [
    /^(.*) leaves out groups with fewer than (\d+) people in a cluster, and others with them; of these it tells only whether all are within the tolerance$/,
    "$1 lässt Gruppen mit weniger als $2 Personen in einem Cluster weg, und andere mit ihnen; von diesen sagt es nur, ob alle innerhalb der Toleranz sind",
  ],
  [
    /^what each site's own people are like is not shown: a site has fewer than (\d+) in a cluster, or was not there to the end$/,
    "wie die eigenen Personen jeder Stelle sind, wird nicht gezeigt: eine Stelle hat weniger als $1 in einem Cluster, oder war nicht bis zum Ende da",
  ],
  [
    /^what the model does at each site is not shown: a site has fewer than (\d+) people of a group and label to measure on, or was not there to the end$/,
    "was das Modell an jeder Stelle tut, wird nicht gezeigt: eine Stelle hat weniger als $1 zu messende Personen einer Gruppe und Antwort, oder war nicht bis zum Ende da",
  ],
  [
    /^each site's own shares of (.*) are not shown: a site has fewer than (\d+) people of a group in a cluster$/,
    "die Anteile von $1 an jeder Stelle werden nicht gezeigt: eine Stelle hat weniger als $2 Personen einer Gruppe in einem Cluster",
  ],
  [
    /^(.*) left in round (\d+) and did not come back: the rest was learnt without its people$/,
    "$1 ging in Runde $2 und kam nicht zurück: der Rest wurde ohne seine Personen gelernt",
  ],
  [
    /^(.*) left in round (\d+) and did not come back: its people have no clusters$/,
    "$1 ging in Runde $2 und kam nicht zurück: seine Personen haben keine Cluster",
  ],
  [
    /^(.*) was away in rounds? (\d+)(?: to (\d+))?: the others learnt without its people$/,
    "$1 fehlte ab Runde $2: die anderen lernten ohne seine Personen, bis es zurück war",
  ],
  [
    /^(.*) was away in rounds? (\d+)(?: to (\d+))?: the centres were those of the others then$/,
    "$1 fehlte ab Runde $2: bis es zurück war, waren die Zentren die der anderen",
  ],

  // What speaks against a classifier
  [/^no person of group '(.*)' is in the training data$/, "in den Daten zum Lernen ist niemand aus Gruppe '$1'"],
  [
    /^group '(.*)' has (\d+) people to measure on: see the intervals$/,
    "Gruppe '$1' hat $2 Personen, an denen gemessen wird: siehe die Intervalle",
  ],
  [
    /^One answer: it predicts '(.*)' for every person, which makes every difference 0\.$/,
    "Eine einzige Antwort: Er sagt für alle Personen '$1' voraus, jeder Unterschied ist daher 0.",
  ],
  [
    /^Near the commoner class: right no more often than always answering '(.*)' would be, (\S+)% against (\S+)%, within the sampling error of (\S+) points\.$/,
    "Nahe an der häufigeren Antwort: nicht öfter richtig als mit immer '$1', $2 % gegen $3 %, innerhalb des Stichprobenfehlers von $4 Punkten.",
  ],
  [
    /^Near the commoner class: right no more often than always answering '(.*)' would be, (\S+)% against (\S+)%\.$/,
    "Nahe an der häufigeren Antwort: nicht öfter richtig als mit immer '$1', $2 % gegen $3 %.",
  ],
  [
    /^No better than chance: it puts people in order with an AUC of (\S+), where chance has 0\.5, give or take (\S+)\.$/,
    "Nicht besser als Zufall: Er ordnet die Personen mit einer AUC von $1, wo der Zufall 0,5 hat, bis auf $2.",
  ],
  [
    /^Diverged: (?:its|the control's) training was beyond hope in round (\d+), and what was kept is the start, which has learnt nothing; try a lower (.*)\.$/,
    "Auseinandergelaufen: Das Lernen war in Runde $1 ohne Hoffnung, und behalten wurde der Anfang, der nichts gelernt hat; versuchen Sie ein kleineres $2.",
  ],
  [
    /^Diverged: (?:its|the control's) training was beyond hope in round (\d+), and the model of round (\d+), the best before it, was kept; try a lower (.*)\.$/,
    "Auseinandergelaufen: Das Lernen war in Runde $1 ohne Hoffnung, und behalten wurde das Modell der Runde $2, das beste davor; versuchen Sie ein kleineres $3.",
  ],

  [
    /^Not settled, as far as (\d+) rounds? can tell: leave out (.*), and it goes on until it settles\.$/,
    "Nicht zur Ruhe gekommen, soweit Runden ($1) es zeigen: Lassen Sie $2 weg, dann geht es weiter, bis es zur Ruhe kommt.",
  ],
  [
    /^Not settled, as far as (\d+) rounds? can tell: give more (\S+), or none\.$/,
    "Nicht zur Ruhe gekommen, soweit Runden ($1) es zeigen: Geben Sie mehr $2, oder keine.",
  ],
  [
    /^Not settled, as far as (\d+) rounds? can tell: give more (\S+), a larger (\S+) or fewer (\S+)\.$/,
    "Nicht zur Ruhe gekommen, soweit Runden ($1) es zeigen: Geben Sie mehr $2, ein größeres $3 oder weniger $4.",
  ],

  // What the coordinator could learn
  [/^the job$/, "der Auftrag"],
  [/^the result$/, "das Ergebnis"],
  [/^values$/, "Werte"],
  [/^groups$/, "Gruppen"],
  [/^clusters$/, "Cluster"],
  [/^quality$/, "Güte"],
  [/^columns held twice$/, "doppelt gehaltene Spalten"],
  [/^nothing$/, "nichts"],
  [/^how many there are$/, "wie viele es sind"],
  [
    /^the card: algorithm, settings, the sites and the names of their columns$/,
    "die Karte: Verfahren, Einstellungen, die Stellen und die Namen ihrer Spalten",
  ],
  [
    /^the card: the sites, and the name of their column of ids$/,
    "die Karte: die Stellen, und der Name ihrer Spalte mit Kennungen",
  ],
  [/^nothing: letters are sealed for their readers$/, "nichts: Briefe sind für ihre Leser versiegelt"],
  [/^nothing else: letters are sealed for their readers$/, "sonst nichts: Briefe sind für ihre Leser versiegelt"],
  [
    /^that (\d+) are common to all, and that no site's ids have changed since they were aligned$/,
    "dass $1 allen gemeinsam sind, und dass sich seit dem Abgleich bei keiner Stelle Kennungen geändert haben",
  ],
  [
    /^how many ids each site has and how many of them some or all others hold: (\d+) are common to all; no id$/,
    "wie viele Kennungen jede Stelle hat und wie viele davon einige oder alle anderen halten: $1 sind allen gemeinsam; keine Kennung",
  ],
  [/^that there are none$/, "dass es keine gibt"],
  [
    /^that there are (\d+); no person's cluster and no size$/,
    "dass es $1 gibt; von niemandem den Cluster, und keine Größe",
  ],
  [
    /^that there are (\d+), and of how many cells; no person's cluster and no size$/,
    "dass es $1 gibt, und aus wie vielen Zellen; von niemandem den Cluster, und keine Größe",
  ],
  [
    /^each person's cell, by a row number that only the sites can turn into an id; sizes$/,
    "die Zelle jeder Person, nach einer Zeilennummer, aus der nur die Stellen eine Kennung machen können; Größen",
  ],
  [/^nothing: noisy sums pass it sealed$/, "nichts: verrauschte Summen gehen versiegelt durch sie hindurch"],
  [/^nothing: noisy counts pass it sealed$/, "nichts: verrauschte Zahlen gehen versiegelt durch sie hindurch"],
  [/^that there are (\d+)$/, "dass es $1 sind"],
  [/^which one is; no value$/, "welche es ist; kein Wert"],
  [/^which (\d+) are; no value$/, "welche $1 es sind; kein Wert"],
  [
    /^total SSE, largest violation to a tenth, number of moves and passes$/,
    "gesamte SSE, größte Verletzung auf ein Zehntel, Zahl der Wechsel und Durchgänge",
  ],
  [
    /^total sum of distances, largest violation to a tenth, number of moves and passes$/,
    "gesamte Summe der Abstände, größte Verletzung auf ein Zehntel, Zahl der Wechsel und Durchgänge",
  ],
  [
    /^no value; ratios of differences within rows that are shuffled and scaled with fresh secrets$/,
    "kein Wert; Verhältnisse von Unterschieden innerhalb von Zeilen, die mit frischen Geheimnissen gemischt und skaliert sind",
  ],
  [
    /^no value; for each person, sums over all sites of differences of Manhattan distances to the centres$/,
    "kein Wert; für jede Person Summen über alle Stellen von Unterschieden der Manhattan-Abstände zu den Zentren",
  ],
  [
    /^no value; for each person, sums over all sites of differences of squared distances to the centres$/,
    "kein Wert; für jede Person Summen über alle Stellen von Unterschieden der quadrierten Abstände zu den Zentren",
  ],
  [
    /^no name or size; which people have the same combination of groups, from what limits cost them$/,
    "kein Name und keine Größe; welche Personen dieselbe Kombination von Gruppen haben, aus dem, was Grenzen sie kosten",
  ],
  [
    /^each person's of the (\d+), by a row number that only the sites can turn into an id; sizes$/,
    "den jeder Person unter den $1, nach einer Zeilennummer, aus der nur die Stellen eine Kennung machen können; Größen",
  ],
  [/^how many each site has; no id$/, "wie viele jede Stelle hat; keine Kennung"],
  [/^not even how many each site has$/, "nicht einmal, wie viele jede Stelle hat"],
  [/^sums over all sites, of at least (\d+) people$/, "Summen über alle Stellen, von mindestens $1 Personen"],
  [
    /^means of each site's own clusters of at least (\d+) people; sums over all sites, of at least (\d+) people$/,
    "Mittelwerte der eigenen Cluster jeder Stelle von mindestens $1 Personen; Summen über alle Stellen, von mindestens $2 Personen",
  ],
  [
    /^how many people all sites have of each combination, in all and in each cluster$/,
    "wie viele Personen jeder Kombination alle Stellen haben, insgesamt und in jedem Cluster",
  ],
  [/^sizes and centres; no person's cluster$/, "Größen und Zentren; von niemandem den Cluster"],
  [
    /^sums over all sites, exact: features are taken as known$/,
    "Summen über alle Stellen, genau: Merkmale gelten als bekannt",
  ],
  [/^sums over all sites, without noise$/, "Summen über alle Stellen, ohne Rauschen"],
  [
    /^sums over all sites, with noise that the sites have added$/,
    "Summen über alle Stellen, mit Rauschen, das die Stellen hinzugefügt haben",
  ],
  [
    /^how many are in each cell, over all sites, without noise$/,
    "wie viele in jeder Zelle sind, über alle Stellen, ohne Rauschen",
  ],
  [
    /^how many are in each cell, over all sites, with noise that the sites have added$/,
    "wie viele in jeder Zelle sind, über alle Stellen, mit Rauschen, das die Stellen hinzugefügt haben",
  ],
  [/^the model; no person's cluster$/, "das Modell; von niemandem den Cluster"],

  // Journals
  [/^model and counts with noise, this journal$/, "Modell und Zahlen mit Rauschen, dieses Journal"],
  [/^counts of groups with noise, SSE, this journal$/, "Zahlen der Gruppen mit Rauschen, SSE, dieses Journal"],
  [/^own attributes' shares, SSE, this journal$/, "Anteile der eigenen Merkmale, SSE, dieses Journal"],
  [
    /^own attributes' shares, SSE and sum of distances, this journal$/,
    "Anteile der eigenen Merkmale, SSE und Summe der Abstände, dieses Journal",
  ],
  [/^this journal$/, "dieses Journal"],
  [
    /^own rates that open with a word of every site, this journal$/,
    "eigene Raten, die sich mit einem Wort jeder Stelle öffnen, dieses Journal",
  ],
  [
    /^own shares and SSE that open with a word of every site, this journal$/,
    "eigene Anteile und SSE, die sich mit einem Wort jeder Stelle öffnen, dieses Journal",
  ],
  [/^sums once more$/, "Summen noch einmal"],
  [/^as before$/, "wie zuvor"],
  [/^(\S+) x (\d+)$/, "$1 x $2"],
  [/^reach of the columns$/, "Reichweite der Spalten"],
  [/^columns x 2 x levels, yes or no$/, "Spalten x 2 x Stufen, Ja oder Nein"],
  [/^people of each kind$/, "Personen jeder Art"],
  [/^combinations of groups$/, "Kombinationen von Gruppen"],
  [/^moments$/, "Momente"],
  [/^columns x 3$/, "Spalten x 3"],
  [/^squared lengths$/, "quadrierte Längen"],
  [/^people at centres$/, "Personen an Zentren"],
  [/^candidates x \(clusters x 2, SSE\)$/, "Kandidaten x (Cluster x 2, SSE)"],
  [/^sums at centres$/, "Summen an Zentren"],
  [/^candidates x clusters x \(columns, people\)$/, "Kandidaten x Cluster x (Spalten, Personen)"],
  [/^people of each kind in clusters$/, "Personen jeder Art in Clustern"],
  [/^kinds x clusters, SSE$/, "Arten x Cluster, SSE"],
  [/^people below thresholds$/, "Personen unter Schwellen"],
  [/^moves x thresholds$/, "Wechsel x Schwellen"],
  [/^sums of clusters$/, "Summen der Cluster"],
  [/^clusters x \(columns, people\)$/, "Cluster x (Spalten, Personen)"],
  [/^silhouette$/, "Silhouette"],
  [/^people of each group and label$/, "Personen jeder Gruppe und Antwort"],
  [/^groups x labels x 2$/, "Gruppen x Antworten x 2"],
  [/^answers of a model$/, "Antworten eines Modells"],
  [/^answers of a model about people set aside$/, "Antworten eines Modells über beiseitegelegte Personen"],
  [/^\(groups x \(labels x answers \+ 1\) \+ 1\) x 2$/, "(Gruppen x (Antworten x Vorhersagen + 1) + 1) x 2"],
  [/^groups x \(labels x answers \+ 1\) \+ 1$/, "Gruppen x (Antworten x Vorhersagen + 1) + 1"],
  [/^update of the model$/, "Änderung des Modells"],
  [/^parameters, groups x 2, weight$/, "Parameter, Gruppen x 2, Gewicht"],
  [/^parameters$/, "Parameter"],
  [/^histogram of scores$/, "Histogramm der Bewertungen"],
  [/^histogram of scores, for thresholds by group$/, "Histogramm der Bewertungen, für Schwellen nach Gruppe"],
  [/^groups x 2 labels x 128 steps$/, "Gruppen x 2 Antworten x 128 Stufen"],
  [/^groups x labels x 128 steps, or answers$/, "Gruppen x Antworten x 128 Stufen, oder Vorhersagen"],
  [/^gap to everybody's difference$/, "Abstand zum Unterschied aller"],
  [/^sums of the mixture$/, "Summen der Mischung"],
  [/^components x \(1, columns, their products\)$/, "Komponenten x (1, Spalten, ihre Produkte)"],
  [/^people of each group in cells$/, "Personen jeder Gruppe in Zellen"],
  [/^cells x groups$/, "Zellen x Gruppen"],
  [/^people in cells$/, "Personen in Zellen"],
  [/^cells$/, "Zellen"],
  [/^a signature$/, "eine Unterschrift"],
  [/^blinded$/, "geblendet"],
  [/^masked$/, "maskiert"],
  [/^sealed$/, "versiegelt"],
  [/^encrypted$/, "verschlüsselt"],
  [/^open$/, "offen"],

  // What methods are
  [
    /^a baseline for even sizes: clusters as the targets of a ridge regression, in one process$/,
    "ein Vergleichsverfahren für gleiche Größen: Cluster als Ziele einer Ridge-Regression, in einem Prozess",
  ],
  [
    /^k-means by coordinate descent, one person at a time; never above Lloyd's from the same start$/,
    "k-means durch Koordinatenabstieg, eine Person nach der anderen; vom selben Anfang nie über Lloyd",
  ],
  [
    /^differentially private and fair: tight clusters of cells, as balanced as asked by noisy counts$/,
    "differentiell privat und fair: enge Cluster aus Zellen, so ausgeglichen wie verlangt nach verrauschten Zahlen",
  ],
  [
    /^fair k-means: every group within its bounds in every cluster, columns on one or many parties$/,
    "faires k-means: jede Gruppe in jedem Cluster innerhalb ihrer Grenzen, Spalten bei einer oder vielen Parteien",
  ],
  [
    /^socially fair k-means: the mean cost of the worst-off group is as low as a local search finds$/,
    "sozial faires k-means: die mittleren Kosten der am schlechtesten gestellten Gruppe so gering, wie eine örtliche Suche findet",
  ],
  [
    /^the literature's baseline: k-means centres, then a fair assignment by linear programming$/,
    "das Vergleichsverfahren der Literatur: Zentren von k-means, dann eine faire Zuordnung durch lineare Programme",
  ],
  [
    /^individually fair k-means: everybody has a centre within a factor of the distance to their n\/k-th neighbour$/,
    "individuell faires k-means: alle haben ein Zentrum innerhalb eines Faktors des Abstands zu ihrem n/k-ten Nachbarn",
  ],
  [
    /^a baseline for even sizes: Lloyd's passes with a penalty on the size of a cluster$/,
    "ein Vergleichsverfahren für gleiche Größen: Durchgänge nach Lloyd mit einer Strafe auf die Größe eines Clusters",
  ],
  [
    /^k-means over parties that hold rows: means of many once, then only sums over all parties$/,
    "k-means über Parteien, die Zeilen halten: einmal Mittelwerte vieler, dann nur Summen über alle Parteien",
  ],
  [
    /^k-means over parties that hold rows, as published: every round the coordinator clusters their means$/,
    "k-means über Parteien, die Zeilen halten, wie veröffentlicht: in jeder Runde gruppiert der Koordinator ihre Mittelwerte",
  ],
  [
    /^the one-shot baseline: one message of means from each party that holds rows$/,
    "das Vergleichsverfahren mit einer Nachricht: Mittelwerte von jeder Partei, die Zeilen hält",
  ],
  [/^k-means, started by k-means\+\+$/, "k-means, begonnen mit k-means++"],
  [
    /^even k-means: sizes balanced against squared distance, or all alike with (.*)$/,
    "gleichmäßiges k-means: Größen gegen quadrierte Abstände abgewogen, oder alle gleich mit $1",
  ],
  [
    /^averages in which parties with differences of their own count less$/,
    "Mittelwerte, in denen Parteien mit eigenen Unterschieden weniger zählen",
  ],
  [
    /^classifiers by federated averaging, without fairness: measures only$/,
    "Klassifikatoren durch föderierte Mittelung, ohne Fairness: misst nur",
  ],
  [
    /^fair classifiers: the difference between groups over all parties, from sums of answers alone$/,
    "faire Klassifikatoren: der Unterschied zwischen Gruppen über alle Parteien, allein aus Summen von Antworten",
  ],
  [
    /^fair classifiers by an augmented Lagrangian of each party's group losses$/,
    "faire Klassifikatoren durch eine erweiterte Lagrange-Funktion der Gruppenverluste jeder Partei",
  ],
  [
    /^every group's loss held to everybody's by the method of multipliers$/,
    "der Verlust jeder Gruppe an dem aller gehalten, durch die Multiplikatorenmethode",
  ],
];

/** What of a training was still moving, how, and what to do. */
const unsettled =
  /^Not settled after (\d+) rounds?: (its|the control's) (loss|accuracy|.* difference) ?(\(\w+\))? ?(?:went from (\S+)( points)? to (\S+)(?: points)?|still swung by (\S+)( points)? from round to round) at the end, among the people learnt from; (.*)\.$/;
const advices: readonly Sentence[] = [
  [
    /^leave out (.*), and it goes on until it settles$/,
    "lassen Sie $1 weg, dann geht es weiter, bis es zur Ruhe kommt",
  ],
  [/^give more (\S+), or none$/, "geben Sie mehr $1, oder keine"],
  [/^give more (\S+), a larger (\S+) or fewer (\S+)$/, "geben Sie mehr $1, ein größeres $2 oder weniger $3"],
];

function unsettledInGerman(text: string): string | undefined {
  const found = unsettled.exec(text);
  if (!found) return undefined;
  const [, rounds, whose, what = "", short, from, points, to, by, swing, rest = ""] = found;
  const [advice] = advices.flatMap(([english, german]) => (english.test(rest) ? [rest.replace(english, german)] : []));
  const name = short ? `der Unterschied ${short}` : what === "loss" ? "der Verlust" : "die Genauigkeit";
  const of = whose === "its" ? "" : " der Kontrolle";
  const moved = from
    ? `ging${points ? ", in Punkten," : ""} von ${from} auf ${to}`
    : `schwankte noch um ${by}${swing ? " Punkte" : ""} von Runde zu Runde`;
  return `Nach ${rounds} Runden nicht zur Ruhe gekommen: ${name}${of} ${moved} am Ende, unter denen, von denen gelernt wurde; ${advice}.`;
}

/** What stands in quotes or backticks, options and addresses are as they are there; of all other numbers Germans write a comma. */
const verbatim = /'[^']*'|`[^`]*`|--\S+ \S+|[\w.]*\.\d+\.[\w.:]*|[\w/]*[A-Za-z_/][\w./-]*/;
const numbers = new RegExp(`(${verbatim.source})|(\\d)\\.(\\d)`, "g");

/** Shares that changed, lists that are cut, and numbers, inside of a sentence. */
function listed(text: string): string {
  return text
    .replace(numbers, (_, kept, before, after) => kept ?? `${before},${after}`)
    .replace(/(\d)% to (\S+)%/g, "$1 % auf $2 %")
    .replace(/ and (\d+) more\b/g, " und $1 weitere");
}

/** A sentence or a name in German; undefined where there is no German for it. */
export function inGerman(text: string): string | undefined {
  return translated(text, sentences) ?? unsettledInGerman(text);
}

const sentences = [...said, ...refusedByPages, ...refusedCards, ...refused, ...ended, ...happened, ...composed];
const pieces = [...parts, ...sentences, ...partsOfCards, ...partsOfPages];

/** By the first that fits, whose parts have a German as well. */
function translated(text: string, known: readonly Sentence[]): string | undefined {
  for (const [english, german] of known) {
    const found = english.exec(text);
    if (!found) continue;
    const inner = found.map((part = "", at) => (german.includes(`@${at}`) ? translated(part, pieces) : part));
    if (inner.includes(undefined)) continue;
    const piece = (mark: string, at: number) => (mark === "~" ? translated(found[at] ?? "", pieces) : inner[at]);
    return listed(german.replace(/([$@~])(\d)/g, (_, mark, at) => piece(mark, at) ?? found[at] ?? ""));
  }
  return undefined;
}
