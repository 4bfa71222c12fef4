/** The words of reports in German, by the English of the code. {0}, {1} and so on are values, in the order of the English. */
export const german: Readonly<Record<string, string>> = {
  // Numbers and lists
  "{0}%": "{0} %",
  "{0}{1}%": "{0}{1} %",
  "{0} times": "{0}-mal so viel",
  "{0} and {1}": "{0} und {1}",
  "{0} more": "{0} weitere",
  "and {0} more": "und {0} weitere",
  "{0} to {1}": "{0} bis {1}",
  "to {0}": "bis {0}",
  to: "bis",
  "not {0}": "nicht {0}",
  "of {0} to {1}": "mit {0} bis {1}",
  "{0} of {1}": "{0} von {1}",
  "{0} in {1}": "{0} in {1}",
  "in {0}": "in {0}",
  person: "Person",
  people: "Personen",
  cluster: "Cluster",
  clusters: "Cluster",
  team: "Team",
  share: "Anteil",
  shares: "Anteilen",
  dimension: "Dimension",
  dimensions: "Dimensionen",
  pass: "Durchgang",
  passes: "Durchgänge",
  set: "Satz",
  sets: "Sätze",
  round: "Runde",
  rounds: "Runden",
  group: "Gruppe",
  groups: "Gruppen",
  category: "Kategorie",
  categories: "Kategorien",
  value: "Wert",
  values: "Werte",
  "value is": "Wert ist",
  "values are": "Werte sind",
  scan: "Durchlauf",
  scans: "Durchläufen",
  household: "Haushalt",
  households: "Haushalte",
  pair: "Paar",
  pairs: "Paare",
  parameter: "Parameter",
  parameters: "Parametern",
  party: "Partei",
  parties: "Parteien",
  is: "ist",
  are: "sind",
  has: "hat",
  have: "haben",
  more: "mehr",
  less: "weniger",
  nothing: "nichts",
  none: "keine",
  any: "beliebig",
  hard: "streng",

  // The page and its parts
  "{0} · Moiety report": "{0} · Bericht von Moiety",
  "Moiety report": "Bericht von Moiety",
  "Moiety {0}": "Moiety {0}",
  Sections: "Abschnitte",
  "<b>Warning:</b> {0}.": "<b>Warnung:</b> {0}.",
  "{0}, from cluster {1} on": "{0}, ab Cluster {1}",
  "Cluster {0}": "Cluster {0}",
  "<b>Cluster {0}</b>": "<b>Cluster {0}</b>",
  "{0}<b>Cluster {1}</b>": "{0}<b>Cluster {1}</b>",
  "{0} of all {1} clusters": "{0} aller {1} Cluster",
  Command: "Befehl",
  Source: "Quelle",
  Made: "Erstellt",
  Version: "Version",
  Warnings: "Warnungen",
  Settings: "Einstellungen",
  "Settings and provenance": "Einstellungen und Herkunft",
  Group: "Gruppe",
  Everybody: "Alle",
  Allowed: "Erlaubt",
  Cluster: "Cluster",
  People: "Personen",
  Share: "Anteil",
  bar: "Balken",
  "{0}: nothing to show.": "{0}: nichts zu zeigen.",
  "{0}: not feasible": "{0}: nicht erfüllbar",
  "not feasible": "nicht erfüllbar",
  "not feasible: {0}": "nicht erfüllbar: {0}",

  // The verdict
  Fair: "Fair",
  "Fair to rounding": "Fair bis auf Rundung",
  "Fair without meaning": "Fair ohne Bedeutung",
  "Not fair": "Nicht fair",
  fair: "fair",
  "fair to rounding": "fair bis auf Rundung",
  "fair without meaning": "fair ohne Bedeutung",
  "not fair": "nicht fair",
  "Least found": "Das Geringste, das gefunden wurde",
  "Not the least": "Nicht das Geringste",
  "Nothing protected": "Nichts geschützt",
  "Measured by noisy counts": "Nach verrauschten Zahlen",
  "The true shares of groups are not known: {0}.": "Die wahren Anteile der Gruppen sind nicht bekannt: {0}.",
  Balanced: "Ausgeglichen",
  "Sizes kept": "Größen eingehalten",
  "Sizes not kept": "Größen nicht eingehalten",
  "In the one cluster": "In dem einen Cluster",
  "In both clusters": "In beiden Clustern",
  "In all {0} clusters": "In allen {0} Clustern",
  ", give or take {0}": ", bis auf {0}",
  "{0} No group was protected.": "{0} Keine Gruppe war geschützt.",
  "No group was protected, so this page describes the clusters but cannot say whether they are fair.":
    "Keine Gruppe war geschützt: Diese Seite beschreibt die Cluster, kann aber nicht sagen, ob sie fair sind.",
  "Formally every group of {0} is within its bounds{1}. But {2} {3} so small that {4} {5} as much as a whole bound requires: bounds are meaningful in clusters of {6} or more.":
    "Formal hält jede Gruppe von {0} ihre Grenzen ein{1}. Aber in {2} sind so wenige Personen, dass {4} schon so viel {5}, wie eine ganze Grenze verlangt: Grenzen bedeuten etwas ab einer Clustergröße von {6}.",
  "{0}, every group of {1} has a share within the bounds that were set for it{2}.":
    "{0} hat jede Gruppe von {1} einen Anteil innerhalb der für sie gesetzten Grenzen{2}.",
  "{0}, every group of {1} has between {2} and {3} of its overall share{4}.":
    "{0} hat jede Gruppe von {1} zwischen {2} und {3} ihres Gesamtanteils{4}.",
  "Every group of {0} is within its bounds, but some clusters are smaller or larger than was asked for.":
    "Jede Gruppe von {0} hält ihre Grenzen ein, aber einige Cluster sind kleiner oder größer als verlangt.",
  "In cluster {0}, the group <em>{1}</em> of {2} has {3} of the people where {4} was asked for: {5} {6}.":
    "In Cluster {0} stellt die Gruppe <em>{1}</em> von {2} einen Anteil von {3} der Personen, wo {4} verlangt war: {5} {6}.",
  "at least {0}": "mindestens {0}",
  "at most {0}": "höchstens {0}",
  "too few": "zu wenig",
  "too many": "zu viel",
  "--min-size meaningful asks for clusters large enough.":
    "--min-size meaningful verlangt Cluster, die groß genug sind.",
  "{0} in cluster {1} ({2})": "{0} in Cluster {1} ({2})",
  "Bounds without effect: {0}.{1}": "Grenzen ohne Wirkung: {0}.{1}",
  "Beyond the bounds by no more than the tolerance, in people: {0}.":
    "Jenseits der Grenzen um nicht mehr als die Toleranz, in Personen: {0}.",
  "Too few for a promise in clusters of average size: {0}.":
    "Zu wenige für ein Versprechen in Clustern mittlerer Größe: {0}.",
  "{0} of {1} (each group in each cluster) are beyond their bounds by more than {2}, in {3}.":
    "{0} von {1} (jede Gruppe in jedem Cluster) liegen um mehr als {2} jenseits ihrer Grenzen, und zwar in {3}.",
  ": no more than is tolerated": ": nicht mehr als geduldet",
  "The 80% rule holds everywhere: no group has less than 80% or more than 125% of its overall share in any cluster.":
    "Die 80-Prozent-Regel gilt überall: Keine Gruppe hat in einem Cluster weniger als 80 % oder mehr als 125 % ihres Gesamtanteils.",
  "By the 80% rule, {0} of {1} would stand out (marked ◇ below), by {2} at most{3}.":
    "Nach der 80-Prozent-Regel würden {0} von {1} auffallen (unten mit ◇ markiert), um höchstens {2}{3}.",
  "tight clusters": "enge Cluster",
  "tight clusters of even size": "enge Cluster gleicher Größe",
  "{0} seeks {1}. The bounds here were measured on the true counts, not enforced: {2} keeps bounds, without privacy.":
    "{0} sucht {1}. Die Grenzen wurden hier an den wahren Zahlen gemessen, nicht erzwungen: {2} hält Grenzen ein, ohne Privatheit.",
  "This method ({0}) looks for {1} only. The bounds were measured, not enforced: {2} keeps them.":
    "Dieses Verfahren ({0}) sucht nur {1}. Die Grenzen wurden gemessen, nicht erzwungen: {2} hält sie ein.",
  "This method ({0}) looks for tight clusters only: this was measured, not sought.":
    "Dieses Verfahren ({0}) sucht nur enge Cluster: Dies wurde gemessen, nicht angestrebt.",
  "With a single cluster, every share is the overall share.":
    "Bei einem einzigen Cluster ist jeder Anteil der Gesamtanteil.",
  Clusters: "Cluster",
  "Largest violation": "Größte Verletzung",
  "nothing protected": "nichts geschützt",
  "beyond the bounds; {0} allowed": "jenseits der Grenzen; {0} erlaubt",
  "{0} allowed": "{0} erlaubt",
  "Price of fairness": "Preis der Fairness",
  "Sum of distances": "Summe der Abstände",
  "sum of distances": "Summe der Abstände",
  "Manhattan, to the medians": "Manhattan, zu den Medianen",
  SSE: "SSE",
  "sum of squared distances": "Summe der quadrierten Abstände",
  Time: "Zeit",
  converged: "konvergiert",
  "not converged": "nicht konvergiert",
  "any multiple": "beliebig viel",
  "(tolerance: {0})": "(Toleranz: {0})",
  "{0} beyond the bounds": "{0} jenseits der Grenzen",
  "{0}: every group is within its bounds in every {1} {2}.": "{0}: Jede Gruppe hält in jedem {1} ihre Grenzen ein {2}.",
  "{0}: {1} in the worst group and {2} {3}.": "{0}: {1} in der schlechtesten Gruppe und dem schlechtesten {2} {3}.",
  "some {0}s are smaller or larger than was asked for": "einige {0} sind kleiner oder größer als verlangt",
  "groups that are not shown are beyond their bounds, or {0}":
    "nicht gezeigte Gruppen liegen jenseits ihrer Grenzen, oder {0}",
  "groups that are not shown have too small a share, or {0}":
    "nicht gezeigte Gruppen haben einen zu kleinen Anteil, oder {0}",
  "{0}: {1}; {2} are within their bounds.": "{0}: {1}; {2} halten ihre Grenzen ein.",
  "those that are shown": "die gezeigten",
  "{0} {1} in {2} {3} ({4})": "{0} {1} in {2} {3} ({4})",
  "Where: {0}.": "Wo: {0}.",
  "{0}: at most {1} in any group and {2} {3}.{4}":
    "{0}: höchstens {1}, in welcher Gruppe und welchem {2} auch immer {3}.{4}",
  "{0} {1} in {2}": "{0} {1} in {2}",
  "at most {0} in any group and {1}": "höchstens {0}, in welcher Gruppe und welchem {1} auch immer",
  "no group is beyond its bounds": "keine Gruppe liegt jenseits ihrer Grenzen",
  "In {0}s of {1} or more the bounds mean something": "Ab einer Größe von {1} bedeuten die Grenzen etwas",
  "{0}: {1}, but the tolerance of {2} is as much as whole bounds ask for: {3}. {4}{5}.":
    "{0}: {1}, aber die Toleranz von {2} ist so viel, wie ganze Grenzen verlangen: {3}. {4}{5}.",
  "Too few for a promise in {0}s of average size: {1}.": "Zu wenige für ein Versprechen bei mittlerer Größe: {1}.",
  "the one {0}": "dem einen {0}",
  "both {0}s": "beiden {0}n",
  "all {0} {1}s": "allen {0} {1}n",
  "{0}s {1}": "{0} {1}",

  // Shares
  Shares: "Anteile",
  "Each group’s share in each cluster": "Der Anteil jeder Gruppe in jedem Cluster",
  "Shares of {0}": "Anteile von {0}",
  "Each dot is a cluster{0}. At 100% a group is as frequent in the cluster as overall; further left it is rarer, further right more frequent.{1}":
    "Jeder Punkt ist ein Cluster{0}. Bei 100 % ist eine Gruppe im Cluster so häufig wie insgesamt; weiter links seltener, weiter rechts häufiger.{1}",
  ", with its number": " mit seiner Nummer",
  "Dots in the shaded band are within the bounds that were asked for; {0} beyond it {1} tolerated.":
    "Punkte im schattierten Band halten die verlangten Grenzen ein; {0} darüber hinaus {1} geduldet.",
  "No bounds were asked for: the verdict does not depend on these shares alone.":
    "Es waren keine Grenzen verlangt: Das Urteil hängt nicht allein von diesen Anteilen ab.",
  allowed: "erlaubt",
  "the overall share": "der Gesamtanteil",
  "80% and 125% of it": "80 % und 125 % davon",
  "outside the 80% rule": "außerhalb der 80-Prozent-Regel",
  "beyond the bounds": "jenseits der Grenzen",
  "where it would be without promises": "wo er ohne Versprechen wäre",
  "The 80% rule is a rule of thumb of employment law: a group that is selected at less than four fifths of another’s rate deserves a second look. Here it compares a group’s share in a cluster with its share among everybody; ◇ marks shares below 80% or above 125% of that. In small clusters chance alone can do it. Below each share is the number of people, or by how many a bound is broken: “short” of the lower one, “over” the upper one{0}.":
    "Die 80-Prozent-Regel ist eine Faustregel des Arbeitsrechts: Eine Gruppe, die seltener als vier Fünftel so oft ausgewählt wird wie eine andere, verdient einen zweiten Blick. Hier vergleicht sie den Anteil einer Gruppe in einem Cluster mit ihrem Anteil an allen; ◇ markiert Anteile unter 80 % oder über 125 % davon. In kleinen Clustern genügt dafür der Zufall. Unter jedem Anteil steht die Zahl der Personen, oder um wie viele eine Grenze verletzt ist: „zu wenig“ für die untere, „zu viel“ für die obere{0}.",
  "; and then what the share would be without promises, in the cluster that has most people in common with this one":
    "; und danach, wie groß der Anteil ohne Versprechen wäre, im Cluster mit den meisten gemeinsamen Personen",
  "Without promises no share would be beyond its bounds by more than is tolerated, either.":
    "Auch ohne Versprechen läge kein Anteil um mehr als das Geduldete jenseits seiner Grenzen.",
  "<b>Without promises</b> {0} of {1} shares would be beyond their bounds: most of all that of <em>{2}</em> of {3}, with {4} of cluster {5} where {6} is allowed. With them it is {7}.":
    "<b>Ohne Versprechen</b> lägen {0} von {1} Anteilen jenseits ihrer Grenzen: am weitesten der von <em>{2}</em> ({3}), mit {4} von Cluster {5}, wo {6} erlaubt ist. Mit ihnen sind es {7}.",
  "The {0} groups furthest from their overall share are shown; the other {1} of {2} are closer.":
    "Gezeigt sind die {0} Gruppen, die am weitesten von ihrem Gesamtanteil entfernt sind; die übrigen {1} von {2} sind näher.",
  "Empty cluster": "Leerer Cluster",
  "{0} without": "{0} ohne",
  short: "zu wenig",
  over: "zu viel",
  "{0} to {1} allowed": "{0} bis {1} erlaubt",
  "no bounds": "keine Grenzen",
  "Allowed: {0} to {1}": "Erlaubt: {0} bis {1}",
  "{0}: shares in {1} clusters; exact numbers are in the table":
    "{0}: Anteile in {1} Clustern; genaue Zahlen stehen in der Tabelle",
  "{0} overall; {1}": "{0} insgesamt; {1}",
  "Cluster {0}: {1} of {2} people, {3}": "Cluster {0}: {1} von {2} Personen, {3}",
  "{0}% of the overall share": "{0} % des Gesamtanteils",
  ", within the tolerance": ", innerhalb der Toleranz",
  "{0} without promises": "{0} ohne Versprechen",

  // Sizes
  Sizes: "Größen",
  "How large the clusters are": "Wie groß die Cluster sind",
  "No cluster was to have fewer than {0}.": "Kein Cluster sollte kleiner sein als {0}.",
  "If all were equal, each would have {0}: the thin line in each bar. {1}{2}":
    "Wären alle gleich groß, hätte jeder {0}: die dünne Linie in jedem Balken. {1}{2}",
  "Evenness is {0} on a scale from 0 (all in one cluster) to 1 (all equal).":
    "Die Gleichmäßigkeit beträgt {0} auf einer Skala von 0 (alle in einem Cluster) bis 1 (alle gleich groß).",
  "Every cluster has at least {0}, so that the bounds mean something":
    "Jeder Cluster hat mindestens {0}, damit die Grenzen etwas bedeuten",
  "{0}; that cost nothing.": "{0}; das kostete nichts.",
  "{0}{1} (--min-size 2 allows smaller ones).": "{0}{1} (--min-size 2 erlaubt kleinere).",
  "of {0} each": "mit je {0}",
  "{0}: clusters {1}, where {2} were asked for.": "{0}: Cluster {1}, wo {2} verlangt waren.",
  "{0} {1} + {2} balance loss": "{0} {1} + {2} Balanceverlust",
  "Clusters {0}:": "Cluster {0}:",
  "{0}{1} is {2}, with a balance loss of {3}.": "{0}{1} ist {2}, bei einem Balanceverlust von {3}.",
  "sizes of their own": "je eigene Größen",
  "(from which on the bounds mean something)": "(ab da bedeuten die Grenzen etwas)",
  "at least {0}{1}": "mindestens {0}{1}",

  // The map
  Map: "Karte",
  "Map of the people, along the directions of largest variance":
    "Karte der Personen, entlang der Richtungen größter Streuung",
  "{0} of {1} people, drawn at random,": "{0} von {1} Personen, zufällig gezogen,",
  "All people": "Alle Personen",
  "{0} of them lie further out and are drawn at the edge.":
    "{0} davon liegen weiter außen und sind am Rand gezeichnet.",
  "{0} on the two directions (principal components) that hold {1} of the variation between them. Numbers are the clusters’ centres.{2} What overlaps here may be apart in the other {3}.":
    "{0} auf den zwei Richtungen (Hauptkomponenten), die {1} der Unterschiede zwischen ihnen enthalten. Zahlen sind die Zentren der Cluster.{2} Was sich hier überlappt, kann in den übrigen {3} getrennt sein.",
  "Scatter plot of people, coloured by cluster, with numbered centres":
    "Streudiagramm der Personen, nach Cluster gefärbt, mit nummerierten Zentren",
  "<b>{0} Component {1}</b> ({2} of the variation){3}{4}": "<b>{0} Komponente {1}</b> ({2} der Unterschiede){3}{4}",

  // How the run settled
  Convergence: "Verlauf",
  "How the run settled": "Wie der Lauf zur Ruhe kam",
  "tried {0} of starting centres": "Startzentren probiert ({0})",
  "made {0} on a sample of the people": "eine Stichprobe der Personen bearbeitet ({0})",
  "Before that it {0}.": "Davor wurden {0}.",
  "It ended because a further pass changed nothing.": "Er endete, weil ein weiterer Durchgang nichts änderte.",
  "It ended at the limit of passes, before it had settled: more passes may give tighter clusters.":
    "Er endete an der Grenze der Durchgänge, bevor er zur Ruhe kam: Mehr Durchgänge können engere Cluster ergeben.",
  "Finding cells took {0}; they were then merged, which takes no passes over the people.":
    "Die Zellen zu finden brauchte {0}; sie wurden dann vereinigt, ohne Durchgänge über die Personen.",
  "This run kept no record of its passes.": "Dieser Lauf hat seine Durchgänge nicht aufgezeichnet.",
  "The curves show the {0} over all people. {1} {2}": "Die Kurven zeigen {0} über alle Personen. {1} {2}",
  "Sum of Manhattan distances": "Summe der Manhattan-Abstände",
  "Sum of squared distances (SSE)": "Summe der quadrierten Abstände (SSE)",
  "Largest violation, in people": "Größte Verletzung, in Personen",
  "kept: {0}": "behalten: {0}",
  "allowed: {0}": "erlaubt: {0}",
  "{0} by pass: from {1} to {2}": "{0} nach Durchgang: von {1} bis {2}",
  "pass 1": "Durchgang 1",
  "The passes in numbers": "Die Durchgänge in Zahlen",
  Pass: "Durchgang",
  "keeping the promises →": "Versprechen einhalten →",
  "Pass {0}: {1}": "Durchgang {0}: {1}",

  // What each cluster is like
  Portraits: "Porträts",
  "What each cluster is like": "Wie jeder Cluster ist",
  "In words, how each cluster’s average differs from the overall average. These are averages: they describe no single person.":
    "In Worten, wie der Durchschnitt jedes Clusters vom Gesamtdurchschnitt abweicht. Es sind Durchschnitte: Sie beschreiben keine einzelne Person.",
  "Empty cluster.": "Leerer Cluster.",
  "Feature by feature": "Merkmal für Merkmal",
  "The average of each feature in each cluster, and below it the difference from the overall average: in standard deviations (sd), or in points of percent for categories. The stronger the colour, the further from everybody.":
    "Der Durchschnitt jedes Merkmals in jedem Cluster, darunter der Unterschied zum Gesamtdurchschnitt: in Standardabweichungen (sd), bei Kategorien in Prozentpunkten (pt). Je kräftiger die Farbe, desto weiter von allen entfernt.",
  "below average": "unter dem Durchschnitt",
  "above average": "über dem Durchschnitt",
  lower: "niedriger:",
  higher: "höher:",
  "The {0} dimensions that differ most are shown; the other {1} differ less.":
    "Gezeigt sind die {0} Dimensionen mit den größten Unterschieden; die übrigen {1} unterscheiden sich weniger.",
  "{0} sd": "{0} sd",
  "{0} pt": "{0} pt",
  Feature: "Merkmal",
  Features: "Merkmale",
  "Features by cluster": "Merkmale nach Cluster",
  "Close to the overall average in every feature.": "In jedem Merkmal nahe am Gesamtdurchschnitt.",
  "({0}, overall {1})": "({0}, insgesamt {1})",
  "{0}{1} often": "{0}{1} häufig:",
  far: "weit",
  much: "viel",
  older: "älter",
  younger: "jünger",
  longer: "länger:",
  shorter: "kürzer:",
  fewer: "weniger",

  // What the promises cost
  Price: "Preis",
  "The price of even sizes": "Der Preis gleicher Größen",
  "The price of fairness": "Der Preis der Fairness",
  "Nothing was promised to any group, so nothing was paid. {0}":
    "Keiner Gruppe war etwas versprochen, also wurde nichts bezahlt. {0}",
  "The reference is the best that this run found without promises: from the same starts, and from these clusters with all promises dropped, improved in the same way. The true optimum cannot be computed.":
    "Verglichen wird mit dem Besten, das dieser Lauf ohne Versprechen fand: von denselben Anfängen und von diesen Clustern ohne alle Versprechen aus, auf dieselbe Weise verbessert. Das wahre Optimum lässt sich nicht berechnen.",
  "more {0}": "mehr {0}",
  "nothing was promised": "nichts war versprochen",
  "no cost without promises to compare": "keine Kosten ohne Versprechen zum Vergleich",
  distance: "Abstand",
  "squared distance": "quadrierter Abstand",
  "Without promises the {0} would be 0, since there are no more distinct people than clusters; so the price cannot be given as a percentage.":
    "Ohne Versprechen wäre {0} gleich 0, denn es gibt nicht mehr verschiedene Personen als Cluster; der Preis lässt sich daher nicht in Prozent angeben.",
  "The promises cost nothing: the clusters are as tight as they would be without them.":
    "Die Versprechen kosteten nichts: Die Cluster sind so eng, wie sie ohne sie wären.",
  "Keeping the promises made the clusters <b>{0}</b> less tight than they would be without them.":
    "Die Versprechen einzuhalten machte die Cluster um <b>{0}</b> weniger eng, als sie ohne sie wären.",
  "Keeping the promises cost <b>{0}</b> the {1} that there would be without them.":
    "Die Versprechen einzuhalten kostete <b>{0}</b> {1} wie ohne sie.",
  ", against {0} without promises": ", gegenüber {0} ohne Versprechen",
  "Knowing a person’s cluster accounts for {0} of the variation between people{1}.":
    "Den Cluster einer Person zu kennen erklärt {0} der Unterschiede zwischen den Personen{1}.",
  "{0}: less is tighter": "{0}: weniger ist enger",
  "Without promises": "Ohne Versprechen",
  "These clusters": "Diese Cluster",

  // Columns, settings and provenance
  Columns: "Spalten",
  "Left out": "Weggelassen",
  "People left out by group": "Weggelassene Personen nach Gruppe",
  "Share before": "Anteil vorher",
  after: "nachher",
  "{0} of {1} rows were left out because a value is missing.":
    "{0} von {1} Zeilen wurden weggelassen, weil ein Wert fehlt.",
  Algorithm: "Verfahren",
  Paper: "Veröffentlichung",
  Seed: "Startwert",
  "{0}; the same people, options and seed give the same clusters":
    "{0}; dieselben Personen, Einstellungen und derselbe Startwert ergeben dieselben Cluster",
  "{0}; the same people, options and seed give the same values":
    "{0}; dieselben Personen, Einstellungen und derselbe Startwert ergeben dieselben Werte",
  "{0}; the same people, options and seed give the same model":
    "{0}; dieselben Personen, Einstellungen und derselbe Startwert ergeben dasselbe Modell",
  "Weights and links": "Gewichte und Bindungen",
  Protected: "Geschützt",
  "Notion of fairness": "Begriff von Fairness",
  Bounds: "Grenzen",
  Tolerance: "Toleranz",
  "{0} in each group and cluster": "{0} in jeder Gruppe und jedem Cluster",
  "Smallest cluster asked for": "Kleinster verlangter Cluster",
  Seconds: "Sekunden",
  Communication: "Kommunikation",
  "{0} reading, {1} choosing starting centres, {2} clustering, {3} in all":
    "{0} Lesen, {1} Wahl der Startzentren, {2} Clustern, {3} insgesamt",
  "{0} rounds between the parties; {1} bytes up, {2} down":
    "{0} Runden zwischen den Parteien; {1} Bytes hin, {2} zurück",
  "set one by one: see the tables above": "einzeln gesetzt: siehe die Tabellen oben",
  "from delta {0}: share × {1} to share / {2}, at most 100%":
    "aus Delta {0}: Anteil × {1} bis Anteil / {2}, höchstens 100 %",
  "{0}: a number, less {1}, divided by {2}": "{0}: eine Zahl, minus {1}, geteilt durch {2}",
  "{0}: one dimension for each of {1}, weighted by {2}": "{0}: {1} mit je einer Dimension, gewichtet mit {2}",
  "Fair here means that protected groups are represented in every cluster within the stated bounds. It says nothing about what is done with the clusters, and nothing about groups that were not protected. The map shows positions of individuals without ids or groups; treat this page with the same care as the data.":
    "Fair heißt hier, dass geschützte Gruppen in jedem Cluster innerhalb der genannten Grenzen vertreten sind. Es sagt nichts darüber, was mit den Clustern gemacht wird, und nichts über Gruppen, die nicht geschützt waren. Die Karte zeigt Positionen Einzelner ohne Kennungen und Gruppen; behandeln Sie diese Seite so sorgsam wie die Daten.",
  "held in memory": "im Speicher gehalten",
  streamed: "gelesen, ohne sie zu halten,",
  "scanned in their engine": "in ihrer Datenbank durchlaufen",
  "{0} in {1}, after a sample of {2} was clustered": "{0} in {1}, nachdem eine Stichprobe von {2} geclustert war",
  "Everybody counts as often as {0} says: the {1} count for {2}, and so do sizes, shares, bounds, tolerance and SSE.":
    "Jede Person zählt so oft, wie {0} sagt: Die {1} zählen für {2}, und so auch Größen, Anteile, Grenzen, Toleranz und SSE.",
  "of {0} by {1}": "von {0} nach {1}",
  "{0} {1} {2} split over clusters.": "{0} {1} {2} auf Cluster verteilt.",
  ", the largest of {0}": ", der größte mit {0}",
  "People with the same {0} share a cluster: {1} stay whole{2}.":
    "Personen mit demselben Wert von {0} teilen einen Cluster: {1} bleiben ganz{2}.",
  "The largest weight is {0}.": "Das größte Gewicht ist {0}.",
  "{0} of people with the same {1} {2} a cluster.": "{0} von Personen mit demselben Wert von {1} im selben Cluster.",
  "No two people with the same {0} share a cluster.":
    "Keine zwei Personen mit demselben Wert von {0} teilen einen Cluster.",
  // Why columns are left out, as the core says it
  "a category": "eine Kategorie",
  "every value is different": "jeder Wert ist anders",
  "looks like an id": "sieht aus wie eine Kennung",
  "the same value for all people": "derselbe Wert für alle",
  "no values": "keine Werte",
  "is text; name it as categorical to use it": "ist Text",
  protected: "geschützt",
  "left out": "weggelassen",
  "not named among the features": "nicht unter den Merkmalen genannt",
  "a number": "eine Zahl",
  text: "Text",
  date: "Datum",
  "many values are missing": "viele Werte fehlen",
  "infinite numbers": "unendliche Zahlen",

  // Privacy
  Privacy: "Privatheit",
  "{0} Clusters were made as tight as that allows.": "{0} Die Cluster wurden so eng gemacht, wie das erlaubt.",
  "<b>For the owner of the data alone.</b> This page shows {0} that were computed from the data without noise. What may be published of this run: {1}.":
    "<b>Nur für die Eigentümerin der Daten.</b> Diese Seite zeigt {0}, die ohne Rauschen aus den Daten berechnet wurden. Von diesem Lauf darf veröffentlicht werden: {1}.",
  "shares, verdicts and a map": "Anteile, Urteile und eine Karte",
  "costs and verdicts": "Kosten und Urteile",
  "<b>Not private.</b> An infinite epsilon adds no noise: the labels and the model may reveal what is in the data.":
    "<b>Nicht privat.</b> Ein unendliches Epsilon fügt kein Rauschen hinzu: Labels und Modell können verraten, was in den Daten steht.",
  "<b>But the noise came from a seed, so this result is not private.</b>":
    "<b>Aber das Rauschen kam aus einem Startwert: Dieses Ergebnis ist nicht privat.</b>",
  "<b>{0}.</b> The promise: {1}. Exactly: for {2}, no event becomes more likely by more than a factor of {3}{4}.{5}":
    "<b>{0}.</b> Das Versprechen: {1}. Genau: Für {2} wird kein Ereignis um mehr als den Faktor {3} wahrscheinlicher{4}.{5}",
  ", but for a chance of {0}": ", bis auf eine Wahrscheinlichkeit von {0}",
  "May be shown to others": "Darf anderen gezeigt werden",
  "For the owner alone": "Nur für die Eigentümerin",
  "Noise on {0}": "Rauschen auf {0}",
  "{0}; rho {1}": "{0}; Rho {1}",
  "any number": "jede Zahl",
  "Spent on this data in all, this run included: epsilon <b>{0}</b> (at delta {1}). No budget is set.":
    "Für diese Daten insgesamt ausgegeben, mit diesem Lauf: Epsilon <b>{0}</b> (bei Delta {1}). Es ist kein Budget gesetzt.",
  "Spent on this data in all, this run included: epsilon <b>{0}</b> of {1} (at delta {2}); <b>{3}</b> is left.":
    "Für diese Daten insgesamt ausgegeben, mit diesem Lauf: Epsilon <b>{0}</b> von {1} (bei Delta {2}); <b>{3}</b> bleibt übrig.",
  "The privacy budget": "Das Privatheitsbudget",
  part: "Teil",
  epsilon: "Epsilon",
  Spent: "Ausgegeben",
  Budget: "Budget",
  "They are exact.": "Sie sind genau.",
  "Each group's is the sum over several cells of counts with noise ({0}). One person changes a count by 1 at most, and the noise hides that as far as epsilon says.{1}":
    "Die Zahl jeder Gruppe ist die Summe verrauschter Zahlen mehrerer Zellen ({0}). Eine Person ändert eine Zahl um höchstens 1, und das Rauschen verbirgt das so weit, wie Epsilon sagt.{1}",
  "Sizes follow from the features, and are exact.": "Größen folgen aus den Merkmalen und sind genau.",
  "The counts that the clusters were made from": "Die Zahlen, aus denen die Cluster gemacht wurden",
  "Least balance of any cluster": "Kleinste Balance eines Clusters",
  "Error of one count, in people": "Fehler einer Zahl, in Personen",
  "<b>{0}, by epsilon</b>": "<b>{0}, nach Epsilon</b>",
  "{0} at epsilon {1}": "{0} bei Epsilon {1}",
  "epsilon {0}: {1}": "Epsilon {0}: {1}",
  "epsilon {0}": "Epsilon {0}",
  "epsilon {0}, delta {1}": "Epsilon {0}, Delta {1}",
  "The same cells under other epsilons, a few draws of noise each. Choosing an epsilon by this figure is a use of the data: the figure is for the owner, and for planning later runs.":
    "Dieselben Zellen unter anderen Epsilon, mit je einigen Ziehungen des Rauschens. Ein Epsilon nach diesem Bild zu wählen nutzt die Daten: Das Bild ist für die Eigentümerin und für die Planung späterer Läufe.",
  "The effect of the noise alone; it follows from epsilon and does not depend on the data.":
    "Die Wirkung des Rauschens allein; sie folgt aus Epsilon und hängt nicht von den Daten ab.",
  "by the counts": "nach den Zahlen",
  "by the noisy counts, less a margin for the noise":
    "nach den verrauschten Zahlen, abzüglich eines Spielraums für das Rauschen",
  "Least balance {0}: {1}, where {2} was enough.": "Kleinste Balance {0}: {1}, wo {2} genügte.",

  // Other notions of fairness
  Notion: "Begriff",
  "Here that is {0}.": "Hier sind das {0}.",
  "What each group costs": "Was jede Gruppe kostet",
  "Where each group is represented": "Wo jede Gruppe vertreten ist",
  "How near everybody’s centre is": "Wie nah das Zentrum jeder Person ist",
  "The mean cost of a group is the mean squared distance of its members to the centre of their cluster, in the scaled space: how badly the clusters describe them, or how far they are from what serves them. The search lowers that of the worst-off group. It says nothing of shares.":
    "Die mittleren Kosten einer Gruppe sind der mittlere quadrierte Abstand ihrer Mitglieder zum Zentrum ihres Clusters, im skalierten Raum: wie schlecht die Cluster sie beschreiben, oder wie weit sie von dem entfernt sind, was ihnen dient. Die Suche senkt die Kosten der am schlechtesten gestellten Gruppe. Über Anteile sagt das nichts.",
  "A group is represented in a cluster where it has at least the share that was asked for. In other clusters nothing is asked for.":
    "Eine Gruppe ist in einem Cluster vertreten, in dem sie mindestens den verlangten Anteil hat. In anderen Clustern ist nichts verlangt.",
  "An even share of k clusters is n/k people. Everybody’s radius is the distance to the n/k-th person nearest to them, themselves counted: so near a centre could be if they had one of their own. A factor of 1 may not exist, and 2 always does. It says nothing of groups.":
    "Ein gleicher Teil von k Clustern sind n/k Personen. Der Radius einer Person ist der Abstand zur n/k-nächsten Person, sie selbst mitgezählt: So nah könnte ein Zentrum sein, wenn sie ein eigenes hätte. Einen Faktor von 1 gibt es vielleicht nicht, 2 immer. Über Gruppen sagt das nichts.",
  "the worst-off group, {0} {1}, has a mean cost of {2}":
    "die am schlechtesten gestellte Gruppe, {0} {1}, hat mittlere Kosten von {2}",
  "; of plain k-means the worst-off, {0} {1}, has {2} ({3})":
    "; bei einfachem k-Means hat die am schlechtesten gestellte, {0} {1}, {2} ({3})",
  "A local optimum, which another round would not lower by 1%; other clusters may be better still. No cost is called fair: there is no threshold.":
    "Ein lokales Optimum, das eine weitere Runde nicht um 1 % senken würde; andere Cluster können noch besser sein. Keine Kosten heißen fair: Es gibt keine Schwelle.",
  "Another round of the search for it would lower that by {0}.":
    "Eine weitere Runde der Suche würde das um {0} senken.",
  "no change": "keine Änderung",
  "from 0": "von 0",
  "at least {0} of at least {1}": "mindestens {0} in mindestens {1}",
  ", and had it under plain k-means": ", und hatte es schon bei einfachem k-Means",
  "; under plain k-means {0} had not": "; bei einfachem k-Means hatten {0} das nicht",
  "{0} {1} not {2}{3}.": "{0} {1} nicht {2}{3}.",
  "; but in some clusters that it counts the tolerance is as much as the whole share":
    "; aber in einigen der gezählten Cluster ist die Toleranz so viel wie der ganze Anteil",
  "every group has {0}{1}{2}.": "jede Gruppe hat {0}{1}{2}.",
  "; under plain k-means {0}, with {1} beyond": "; bei einfachem k-Means {0}, mit {1} jenseits davon",
  "the distance to their {0} nearest person, themselves counted":
    "der Abstand zur {0}-nächsten Person, sie selbst mitgezählt",
  "nobody is further from the nearest centre than {0} {1} (asked for: {2}){3}.":
    "niemand ist weiter vom nächsten Zentrum entfernt als {0} {1} (verlangt: {2}){3}.",
  "{0} {1} further from the nearest centre than {2} times {3}; the furthest {4}{5}.":
    "{0} {1} weiter vom nächsten Zentrum entfernt als {2}-mal {3}; am weitesten {4}{5}.",
  "any number of times": "beliebig oft",
  th: "",
  "mean cost": "mittlere Kosten",
  change: "Änderung",
  which: "welche",
  "plain k-means": "einfaches k-Means",
  "under plain k-means": "bei einfachem k-Means",
  "Worst-off group": "Am schlechtesten gestellte Gruppe",
  "mean cost of {0} {1}": "mittlere Kosten von {0} {1}",
  "Largest ratio": "Größtes Verhältnis",
  "to the n/k-th neighbour; {0} allowed": "zum n/k-ten Nachbarn; {0} erlaubt",
  "Groups not represented": "Nicht vertretene Gruppen",
  "in {0} with {1}": "in {0} mit {1}",

  // Values of a sweep
  "What fairness costs": "Was Fairness kostet",
  "What even sizes cost": "Was gleiche Größen kosten",
  "What more clusters bring": "Was mehr Cluster bringen",
  "{0} tried on {1}": "{0} probiert an {1}",
  "at least; {0} at most": "mindestens; {0} höchstens",
  "{0} of {1} can be had.": "{0} von {1} sind zu haben.",
  "{0} not feasible": "{0} nicht erfüllbar",
  "of {0}, within {1}": "von {0}, innerhalb von {1}",
  "{0} reading": "{0} Lesen",
  Values: "Werte",
  "Every value": "Alle Werte",
  Evenness: "Gleichmäßigkeit",
  "Evenness and cost": "Gleichmäßigkeit und Kosten",
  Fairness: "Fairness",
  "Fairness and cost": "Fairness und Kosten",
  "Clusters and cost": "Cluster und Kosten",
  "more people beyond a bound than are tolerated, or sizes that were not kept":
    "mehr Personen jenseits einer Grenze als geduldet, oder nicht eingehaltene Größen",
  "the tolerance is as much as whole bounds ask for in some cluster":
    "die Toleranz ist in einem Cluster so viel, wie ganze Grenzen verlangen",
  "a group is beyond a bound, within the tolerance": "eine Gruppe liegt jenseits einer Grenze, innerhalb der Toleranz",
  "A balance of 0.8 minimises 0.8 × {0} + 0.2 × the sum of (size − n/k)²; hard promises sizes that differ by one at most.{1}":
    "Eine Balance von 0,8 minimiert 0,8 × {0} + 0,2 × die Summe von (Größe − n/k)²; streng verspricht Größen, die sich um höchstens eins unterscheiden.{1}",
  "Cost against the balance, one line for each k and delta; all values are in the table":
    "Kosten gegen die Balance, eine Linie je k und Delta; alle Werte stehen in der Tabelle",
  "balance: how little uneven sizes weigh (left is more even)":
    "Balance: wie wenig ungleiche Größen wiegen (links ist gleichmäßiger)",
  "Price: {0} over the unconstrained": "Preis: {0} über dem ohne Versprechen",
  "With a delta of 0.2 every group has between 80% and 125% of its share in every cluster. The smaller the delta, the fairer the clusters, and the more they cost.{0}":
    "Mit einem Delta von 0,2 hat jede Gruppe in jedem Cluster zwischen 80 % und 125 % ihres Anteils. Je kleiner das Delta, desto fairer die Cluster, und desto mehr kosten sie.{0}",
  "Cost against delta, one line for each k; all values are in the table":
    "Kosten gegen Delta, eine Linie je k; alle Werte stehen in der Tabelle",
  "delta: how far shares may be from the overall shares (left is fairer)":
    "Delta: wie weit Anteile von den Gesamtanteilen entfernt sein dürfen (links ist fairer)",
  "balance {0}": "Balance {0}",
  "delta {0}": "Delta {0}",
  "k {0}, unconstrained: {1} {2}": "k {0}, ohne Versprechen: {1} {2}",
  "SSE is the sum of squared distances to the clusters’ means":
    "SSE ist die Summe der quadrierten Abstände zu den Mittelpunkten der Cluster",
  "Distances are Manhattan ones to the clusters’ medians":
    "Abstände sind Manhattan-Abstände zu den Medianen der Cluster",
  "{0}: less is tighter. Without promises more clusters are always tighter; with them nearly always. A knee is where more of them stop paying.{1}":
    "{0}: Weniger ist enger. Ohne Versprechen sind mehr Cluster immer enger, mit ihnen fast immer. Ein Knick ist, wo sich mehr nicht mehr lohnen.{1}",
  "{0} against the number of clusters; all values are in the table":
    "{0} gegen die Zahl der Cluster; alle Werte stehen in der Tabelle",
  "k: the number of clusters": "k: die Zahl der Cluster",
  "Of {0} values of {1} the plot shows {2}.": "Von {0} Werten von {1} zeigt das Bild {2}.",
  "k and delta": "k und Delta",
  "k and balance": "k und Balance",
  "balance and delta": "Balance und Delta",
  unconstrained: "ohne Versprechen",
  knee: "Knick",
  "No clear knee in {0}": "Kein klarer Knick in {0}",
  "Knee at {0} {1}": "Knick bei {0} {1}",
  "the cost falls fast up to here, and slowly after": "bis hierher sinken die Kosten schnell, danach langsam",
  "the cost falls too evenly": "die Kosten sinken zu gleichmäßig",
  "a curve needs three values or more": "eine Kurve braucht drei Werte oder mehr",
  "the cost hardly falls": "die Kosten sinken kaum",
  k: "k",
  balance: "Balance",
  delta: "Delta",
  price: "Preis",
  "least balance": "kleinste Balance",
  "people beyond": "Personen jenseits",
  verdict: "Urteil",
  silhouette: "Silhouette",
  "Simplified silhouette": "Vereinfachte Silhouette",
  "balance loss": "Balanceverlust",
  sizes: "Größen",

  // Newcomers
  Newcomers: "Neue",
  "Newcomers in each cluster": "Neue in jedem Cluster",
  "By the nearest centres": "Nach den nächsten Zentren",
  "people beyond the bounds": "Personen jenseits der Grenzen",
  "above the cost of the nearest centres": "über den Kosten der nächsten Zentren",

  // Classifiers
  "A classifier{0} of {1}": "Ein Klassifikator{0}, gelernt von {1}",
  "for {0}": "für {0}",
  "demographic parity": "demografische Parität",
  "equal opportunity": "Chancengleichheit",
  "accuracy parity": "gleiche Genauigkeit",
  "the share that gets a yes": "den Anteil, der ein Ja bekommt",
  "the share that gets a yes among those whose label is yes":
    "den Anteil, der ein Ja bekommt, unter denen, deren Antwort Ja ist",
  "the share that gets a class, whichever differs most":
    "den Anteil, der eine Klasse bekommt, wo er sich am meisten unterscheidet",
  "the share that gets a class among those whose label it is, whichever differs most":
    "den Anteil, der eine Klasse bekommt, unter denen, zu denen sie gehört, wo er sich am meisten unterscheidet",
  "the share that gets a wrong answer": "den Anteil, der eine falsche Antwort bekommt",
  "It predicts which of {0} labels a person has, and does not use the groups of {1}.":
    "Es sagt voraus, welche von {0} Antworten zu einer Person gehört, und verwendet die Gruppen von {1} nicht.",
  "It predicts whether a person’s label is {0}, and {1} the groups of {2}.":
    "Er sagt voraus, ob die Antwort einer Person {0} ist, und {1} die Gruppen von {2}.",
  "needs to know": "muss dafür wissen:",
  "does not use": "benutzt dafür nicht",
  "{0} by always answering {1}": "{0} mit immer derselben Antwort {1}",
  "points, the control {0}": "Punkte, die Kontrolle {0}",
  "nothing was asked for": "nichts war verlangt",
  "people; learnt from {0}": "Personen; gelernt von {0}",
  "0.5 is chance, 1 is perfect": "0,5 ist Zufall, 1 ist perfekt",
  "of all people measured on": "aller Personen, an denen gemessen wurde",
  settled: "zur Ruhe gekommen",
  "not settled": "nicht zur Ruhe gekommen",
  "Of no use as it is": "So nicht zu gebrauchen",
  Diverged: "Auseinandergelaufen",
  "Not settled": "Nicht zur Ruhe gekommen",
  Measured: "Gemessen",
  "Fairer than the control": "Fairer als die Kontrolle",
  "No fairer than the control": "Nicht fairer als die Kontrolle",
  "Of those whose label is {0}, groups of": "Unter denen, deren Antwort {0} ist, in Gruppen von",
  "Groups of": "In Gruppen von",
  "a wrong answer": "eine falsche Antwort",
  "a yes": "ein Ja",
  "{0} {1} get {2} at rates that differ by {3} points, from the highest to the lowest ({4} difference, {5}); with a plain model that says yes as often, the control, they differ by {6}.":
    "{0} {1}: wie oft es {2} gibt, unterscheidet sich um {3} Punkte, von der höchsten zur niedrigsten (Unterschied bei „{4}“, {5}); bei einem einfachen Modell, das gleich oft Ja sagt, der Kontrolle, um {6}.",
  "Says yes": "Sagt Ja",
  "Between groups of {0}, {1}, differs by {2} points, from the highest to the lowest ({3} difference, {4}); with the plain model, the control, by {5}.":
    "Zwischen Gruppen von {0} unterscheidet sich, {1}, verglichen, das Höchste vom Niedrigsten um {2} Punkte ({3}, {4}); beim einfachen Modell, der Kontrolle, um {5}.",
  "Class by class": "Klasse für Klasse",
  Class: "Klasse",
  "Has it": "Hat sie",
  "Gets it": "Bekommt sie",
  "Gets it who has it": "Bekommt sie, wer sie hat",
  "Group and class": "Gruppe und Klasse",
  "{0}, {1}": "{0}, {1}",
  "Not every label of": "Nicht jede Antwort von",
  "Each point is one model, with the answers that it gives. Up and to the left is better.":
    "Jeder Punkt ist ein Modell mit den Antworten, die es gibt. Oben links ist besser.",
  "{0}: {1} right, {2} {3}": "{0}: {1} richtig, {2} {3}",
  "Of each class, and of each group of {0}, among the people measured on, with 95% intervals: the fewer people, the wider. No class is the yes: a difference above is the largest of any class.":
    "Von jeder Klasse und jeder Gruppe von {0}, unter den Personen, an denen gemessen wurde, mit 95-%-Intervallen: je weniger Personen, desto breiter. Keine Klasse ist das Ja: ein Unterschied oben ist der größte irgendeiner Klasse.",
  "No verdict against the control, the plain model, for the reasons given first: {0}.":
    "Kein Urteil im Vergleich mit der Kontrolle, dem einfachen Modell, aus den zuerst genannten Gründen: {0}.",
  "{0} the control, the plain model: {1}.": "{0} die Kontrolle, das einfache Modell: {1}.",
  Accuracy: "Genauigkeit",
  "Measured on": "Gemessen an",
  Rounds: "Runden",
  Model: "Modell",
  Models: "Modelle",
  "Accuracy and fairness": "Genauigkeit und Fairness",
  "In points, with 95% intervals below. Differences are between groups, the highest less the lowest:":
    "In Punkten, darunter 95-Prozent-Intervalle. Unterschiede sind zwischen Gruppen, die höchste weniger die niedrigste:",
  AUC: "AUC",
  "how often a person whose label is yes has a higher score than a person whose label is no":
    "wie oft eine Person mit der Antwort Ja höher bewertet wird als eine mit der Antwort Nein",
  "{0} difference: {1}": "Unterschied bei „{0}“: vergleicht {1}",
  "The control is {0}, the plain model, with one threshold for all people, moved until it says yes as often as this one: what it reaches is possible without any fairness method.":
    "Die Kontrolle ist {0}, das einfache Modell, mit einer Schwelle für alle, verschoben, bis es so oft Ja sagt wie dieses: Was es erreicht, ist ohne jedes Fairnessverfahren möglich.",
  control: "Kontrolle",
  "Yes above": "Ja über",
  Groups: "Gruppen",
  "Group by group": "Gruppe für Gruppe",
  "Label yes": "Antwort Ja",
  Yes: "Ja",
  "Yes where label is yes": "Ja, wo die Antwort Ja ist",
  "Yes where label is no": "Ja, wo die Antwort Nein ist",
  "Of each group of {0}, among the people measured on, with 95% intervals: the fewer people, the wider.":
    "Von jeder Gruppe von {0}, unter den Personen, an denen gemessen wurde, mit 95-Prozent-Intervallen: je weniger Personen, desto weiter.",
  "Each group has its own threshold: a person gets a yes if the model’s probability is above it.":
    "Jede Gruppe hat ihre eigene Schwelle: Eine Person bekommt ein Ja, wenn die Wahrscheinlichkeit des Modells darüber liegt.",
  "Fair here means that the stated share is much the same in every group, among the people measured on. It says nothing about whether the labels are fair, and nothing about groups that were not protected.":
    "Fair heißt hier, dass der genannte Anteil in jeder Gruppe etwa derselbe ist, unter den Personen, an denen gemessen wurde. Es sagt nichts darüber, ob die Antworten selbst fair sind, und nichts über Gruppen, die nicht geschützt waren.",
  "{0} reading, {1} training, {2} in all": "{0} Lesen, {1} Lernen, {2} insgesamt",
  Net: "Netz",
  "{0} with {1}": "{0} mit {1}",
  Parties: "Parteien",
  ", labels dealt unevenly (skew {0})": ", Antworten ungleich verteilt (Schiefe {0})",
  Label: "Antwort",
  "yes is {0}, no is {1}": "Ja ist {0}, Nein ist {1}",
  "{0} as trained": "{0} wie gelernt",
  "as trained": "wie gelernt",
  "Trade-offs": "Abwägung",
  "Accuracy against fairness": "Genauigkeit gegen Fairness",
  "Each line is one model: the highest accuracy that one threshold for all people reaches with at most that difference. Up and to the left is better; where a line begins, the model says the same to nearly everybody.":
    "Jede Linie ist ein Modell: die höchste Genauigkeit, die eine Schwelle für alle bei höchstens diesem Unterschied erreicht. Weiter oben und links ist besser; wo eine Linie beginnt, sagt das Modell fast allen dasselbe.",
  "A group has no people to compare: there is no difference to show.":
    "Eine Gruppe hat niemanden zum Vergleichen: Es gibt keinen Unterschied zu zeigen.",
  "{0}: {1} right, {2} {3}, says yes to {4}": "{0}: {1} richtig, {2} {3}, sagt Ja zu {4}",
  "Accuracy against {0}": "Genauigkeit gegen {0}",
  "The {0} difference ({1}) compares {2}, the highest group less the lowest.":
    "Der Unterschied bei „{0}“ ({1}) vergleicht {2}, die höchste Gruppe weniger die niedrigste.",
  "Accuracy against {0} in numbers": "Genauigkeit gegen {0} in Zahlen",
  "Accuracy against the {0} difference; exact numbers are in the table below":
    "Genauigkeit gegen den Unterschied bei „{0}“; genaue Zahlen stehen in der Tabelle darunter",
  "{0}, points (left is fairer)": "{0}, Punkte (links ist fairer)",
  "in one place": "an einem Ort",
  "in one place, as trained for no difference": "an einem Ort, wie gelernt für keinen Unterschied",
  "“In one place” is the best of several models of the same net that were trained on everybody’s data pooled, plainly and for differences of 0 to 10 points: about as far as any training over parties can be expected to come.":
    "„An einem Ort“ ist das Beste mehrerer Modelle desselben Netzes, die von den zusammengelegten Daten aller gelernt haben, einfach und für Unterschiede von 0 bis 10 Punkten: etwa so weit, wie ein Lernen über Parteien kommen kann.",
  "measured on": "gemessen an",
  "set aside": "beiseitegelegt",
  "{0}, set aside": "{0}, beiseitegelegt",
  "After each round, in points, but for the loss, a mean cross-entropy: of the people set aside to choose the model on, of those learnt from, and of {0}, the plain model, on the people set aside. Those measured on were looked at once, in the end.":
    "Nach jeder Runde, in Punkten, außer dem Verlust, einer mittleren Kreuzentropie: der Personen, die zur Wahl des Modells beiseitegelegt wurden, derer, von denen gelernt wurde, und von {0}, dem einfachen Modell, an den Beiseitegelegten. Diejenigen, an denen gemessen wurde, kamen erst am Ende vor, einmal.",
  "the model of round {0}, the best among {1} set aside": "das Modell der Runde {0}, das beste an beiseitegelegten {1}",
  ", settled: {0}": ", zur Ruhe gekommen: {0}",
  "Each attribute is to be fair by itself: a difference above is the largest of these, in points.":
    "Jedes Merkmal soll für sich fair sein: Ein Unterschied oben ist der größte von diesen, in Punkten.",
  "Attribute by attribute": "Merkmal für Merkmal",
  "Whether it is fair at each party cannot be said: every one of them lacks a group to compare.":
    "Ob es bei jeder Partei fair ist, lässt sich nicht sagen: Jeder fehlt eine Gruppe zum Vergleichen.",
  "(sought there)": "(dort gesucht)",
  "(the control: {0})": "(die Kontrolle: {0})",
  "At each party by itself{0}, {1} is {2} on average over {3}{4}, and {5} at most, at {6}; among everybody it is {7}.":
    "Bei jeder Partei für sich{0} ist {1} im Mittel über {3} {2}{4} und höchstens {5}, bei {6}; unter allen zusammen {7}.",
  "Undecidable at {0} that {1} a group to compare: {2}.":
    "Nicht zu entscheiden bei {0}, wo eine Gruppe zum Vergleichen {1}: {2}.",
  lacks: "fehlt",
  lack: "fehlt",
  "{0} and {1} more": "{0} und {1} weitere",
  "Control’s {0}": "{0} der Kontrolle",
  Lacks: "Es fehlt",
  "No label yes of": "Keine Antwort Ja von",
  Party: "Partei",
  "A model that is fair among everybody may be unfair at each party, and the other way round. Of each party’s own people measured on, in points; a party that lacks a group cannot be judged, and with few people differences are largely chance.":
    "Ein Modell, das unter allen fair ist, kann bei jeder Partei unfair sein, und umgekehrt. Von den eigenen Personen jeder Partei, an denen gemessen wurde, in Punkten; eine Partei, der eine Gruppe fehlt, lässt sich nicht beurteilen, und bei wenigen Personen sind Unterschiede großenteils Zufall.",
  "Party by party": "Partei für Partei",
  "learnt from": "gelernt von",
  "{0}, measured on": "{0}, gemessen an",
  "{0}, round {1}: {2}": "{0}, Runde {1}: {2}",
  "Learning curves": "Lernkurven",
  "After each round, in points, but for the loss, a mean cross-entropy: of the people measured on, of those learnt from, and of {0}, the plain model, on the people measured on.":
    "Nach jeder Runde, in Punkten, außer dem Verlust, einer mittleren Kreuzentropie: der Personen, an denen gemessen wurde, derer, von denen gelernt wurde, und von {0}, dem einfachen Modell, an den Personen, an denen gemessen wurde.",
  "Learning curves in numbers": "Lernkurven in Zahlen",
  "{0} by round; numbers are in the table below": "{0} nach Runde; Zahlen stehen in der Tabelle darunter",
  Loss: "Verlust",
  Round: "Runde",
  "Loss: mean cross-entropy": "Verlust: mittlere Kreuzentropie",
  "{0}, points": "{0}, Punkte",
  "{0}, by round": "{0}, nach Runde",
  "{0}, thresholds by group": "{0}, Schwellen nach Gruppe",
  "{0} right at {1}D {2}": "{0} richtig bei {1}D {2}",
  "Thresholds were chosen on {0} set aside from those to learn from: the most right answers with {1}D at most {2}, to half a person of each group. There: {3}.":
    "Die Schwellen wurden an {0} gewählt, die vom Lernen ausgenommen waren: die meisten richtigen Antworten bei {1}D höchstens {2}, bis auf eine halbe Person jeder Gruppe. Dort: {3}.",
  ", settled": ", zur Ruhe gekommen",
  ", stopped early: the model of round {0}": ", früh beendet: das Modell der Runde {0}",
  ", diverged: the model of round {0}": ", auseinandergelaufen: das Modell der Runde {0}",
  "No fairness was asked for: {0} seeks it.": "Fairness war nicht verlangt: {0} sucht sie.",
  "A group has no people to compare: the difference is unknown.":
    "Eine Gruppe hat niemanden zum Vergleichen: Der Unterschied ist unbekannt.",
  "{0} {1} ({2} to {3} in 95 of 100 samples) against {4}, with {5} right against {6}":
    "{0} {1} ({2} bis {3} in 95 von 100 Stichproben) gegen {4}, bei {5} richtig gegen {6}",
  "No verdict against the control, which says yes as often, for the reasons given first: {0}.":
    "Kein Urteil gegenüber der Kontrolle, die gleich oft Ja sagt, aus den zuerst genannten Gründen: {0}.",
  "Fairer than": "Fairer als",
  "No fairer than": "Nicht fairer als",
  "{0} the control, which says yes as often: {1}.": "{0} die Kontrolle, die gleich oft Ja sagt: {1}.",

  // Federations
  "{0} in {1} at {2} sites": "{0} in {1} bei {2} Stellen",
  "{0} common to {1} sites": "{0}, die {1} Stellen gemeinsam sind",
  Aligned: "Abgeglichen",
  "No group was protected: this page describes the clusters only.":
    "Keine Gruppe war geschützt: Diese Seite beschreibt nur die Cluster.",
  "minSize on the card can require that": "minSize auf der Karte kann das verlangen",
  Sites: "Stellen",
  "What left each site": "Was jede Stelle verlassen hat",
  "What left {0}": "Was {0} verlassen hat",
  What: "Was",
  "One holds": "Eine enthält",
  Protection: "Schutz",
  Messages: "Nachrichten",
  Bytes: "Bytes",
  "Masked numbers mean nothing by themselves: only their sum over all sites does, and only that was seen. Sealed letters can be opened by their reader alone. What is encrypted can be compared, and nothing else. What is open is known to all sites anyway.":
    "Maskierte Zahlen bedeuten für sich nichts: nur ihre Summe über alle Stellen, und nur diese wurde gesehen. Versiegelte Briefe kann allein öffnen, wer sie lesen soll. Verschlüsseltes kann verglichen werden, sonst nichts. Offenes wissen ohnehin alle Stellen.",
  "Shares of groups that are too small to be shown are left out by the site that holds them.":
    "Anteile von Gruppen, die zu klein sind, um gezeigt zu werden, lässt die Stelle weg, die sie hält.",
  "Own people": "Eigene Personen",
  "The people of this site": "Die Personen dieser Stelle",
  "The people of each site": "Die Personen jeder Stelle",
  "Each site": "Jede Stelle",
  "Beyond bounds": "Jenseits der Grenzen",
  "Clusters that are fair in all may be unfair at a site. What is allowed follows from the shares of groups there, unless the card names bounds. Every site’s policy allows that this is shown, and no site has few people of a group in a cluster.":
    "Cluster, die im Ganzen fair sind, können an einer Stelle unfair sein. Was erlaubt ist, folgt aus den Anteilen der Gruppen dort, es sei denn, die Karte nennt Grenzen. Die Regeln jeder Stelle erlauben, dass dies gezeigt wird, und keine Stelle hat wenige Personen einer Gruppe in einem Cluster.",
  "Only this site knows these numbers: they are in no letter. Clusters that are fair in all may be unfair here. What is allowed follows from the shares of groups here, unless the card names bounds.":
    "Nur diese Stelle kennt diese Zahlen: Sie stehen in keinem Brief. Cluster, die insgesamt fair sind, können hier unfair sein. Was erlaubt ist, folgt aus den Anteilen der Gruppen hier, wenn die Karte keine Grenzen nennt.",
  "People in each cluster": "Personen in jedem Cluster",
  "SSE around the centres of all": "SSE um die Zentren aller",
  "{0} people beyond the bounds that follow from the shares here":
    "{0} Personen jenseits der Grenzen, die aus den Anteilen hier folgen",
  "Within the tolerance here": "Hier innerhalb der Toleranz",
  Coordinator: "Koordinator",
  "What the coordinator could learn": "Was der Koordinator erfahren konnte",
  "By inspecting every message, if no site disclosed more to it.":
    "Aus allen Nachrichten, wenn ihm keine Stelle mehr offengelegt hat.",
  Job: "Auftrag",
  "job {0} at {1}": "Auftrag {0} bei {1}",
  "People and columns": "Personen und Spalten",
  "Weights and households": "Gewichte und Haushalte",
  "Card, as all signed it": "Karte, wie alle sie unterschrieben haben",
  time: "Mal",
  times: "Mal",
  "{0}; begun {1}": "{0}; begonnen {1}",
  "{0} rounds, {1} passes over everybody, {2} up, {3} down; begun {4}":
    "{0} Runden, {1} Durchgänge über alle, {2} hinauf, {3} hinab; begonnen {4}",
  "Held twice: {0}'s {1} counts, and not that of {2}.": "Doppelt gehalten: {1} von {0} zählt, und nicht die von {2}.",
  "These are the people whose '{0}' all sites hold, {1}.":
    "Dies sind die Personen, deren '{0}' alle Stellen halten, {1}.",
  "as aligned for an earlier job": "wie für einen früheren Auftrag abgeglichen",
  "aligned by the private protocol": "nach dem privaten Protokoll abgeglichen",
  "All sites hold the '{0}' of {1}, {2}.": "Alle Stellen halten von {1} die '{0}', {2}.",
  "{0} Each site has their ids in its own results.": "{0} Jede Stelle hat die Kennungen in ihren eigenen Ergebnissen.",
  "Whether any clusters of what moves as a whole keep all promises was not decided within the effort.":
    "Ob irgendwelche Cluster dessen, was nur als Ganzes wechselt, alle Versprechen einhalten, wurde mit diesem Aufwand nicht entschieden.",
  // Papers that were not followed to the letter
  "F3KM: Federated, Fair, and Fast k-means (PACMMOD 1(4), December 2023), solved by prices; `solver: admm` is the paper's method":
    "F3KM: Federated, Fair, and Fast k-means (PACMMOD 1(4), Dezember 2023), über Preise gelöst; `solver: admm` ist das Verfahren der Veröffentlichung",
  "Federated and Balanced Clustering (Teb-means, PVLDB 2025), solved by prices; `rule: gbco` is the paper's":
    "Federated and Balanced Clustering (Teb-means, PVLDB 2025), über Preise gelöst; `rule: gbco` ist die Regel der Veröffentlichung",
  "after Fairness-aware Federated Minimax Optimization with Convergence Guarantee (2024), with exact global differences":
    "nach Fairness-aware Federated Minimax Optimization with Convergence Guarantee (2024), mit genauen Unterschieden über alle",
  "after Federated K-means Clustering (Garst and Reinders 2023), with exact and maskable rounds":
    "nach Federated K-means Clustering (Garst und Reinders 2023), mit genauen und maskierbaren Runden",
};
