import type { Sentence } from "./refused-de.js";

/** Why private runs, classifiers, newcomers, jobs and policies are refused. `pages-de.test.ts` holds them together. */
export const refusedByPages: readonly Sentence[] = [
  // Log-in
  [
    /^the provider (\S+) does not answer \((.*)\): try again later$/,
    "der Anbieter $1 antwortet nicht ($2): versuchen Sie es später noch einmal",
  ],
  [
    /^the provider (\S+) refused the log-in \((.*)\): log in again$/,
    "der Anbieter $1 hat die Anmeldung abgelehnt ($2): melden Sie sich noch einmal an",
  ],
  [
    /^the answer of the provider (\S+) does not hold \((.*)\): log in again$/,
    "die Antwort des Anbieters $1 stimmt nicht ($2): melden Sie sich noch einmal an",
  ],
  [
    /^the provider (\S+) does not know this page: check clientId, and its secret in MOIETY_OIDC_SECRET$/,
    "der Anbieter $1 kennt diese Seite nicht: prüfen Sie clientId, und das Geheimnis in MOIETY_OIDC_SECRET",
  ],
  [
    /^this log-in was not begun in this tab, or is over: log in again$/,
    "diese Anmeldung wurde nicht in diesem Tab begonnen oder ist vorbei: melden Sie sich noch einmal an",
  ],
  [
    /^(.*) \(subject (.*)\) may not use this page: nothing in allow names them$/,
    "$1 (Subjekt $2) darf diese Seite nicht benutzen: nichts in allow nennt diese Person",
  ],
  // The page's engines
  [
    /^private runs need moiety explore: a ledger that a reload forgets is no budget$/,
    "private Läufe brauchen moiety explore: ein Buch, das beim Neuladen vergessen wird, ist kein Budget",
  ],
  [
    /^name the dataset whose budget is spent: the same name whenever it is these people$/,
    "nennen Sie den Datensatz, dessen Budget ausgegeben wird: immer denselben Namen, wenn es diese Personen sind",
  ],
  [
    /^nothing was spent: type (\S+) once more to spend it$/,
    "es wurde nichts ausgegeben: tippen Sie noch einmal $1, um es auszugeben",
  ],
  [
    /^there is nothing of that kind to save yet: start a run first$/,
    "davon gibt es noch nichts zu speichern: starten Sie zuerst einen Lauf",
  ],
  [
    /^a file must be sent before it is opened$/,
    "eine Datei muss gesendet sein, bevor sie geöffnet wird: wählen Sie sie noch einmal",
  ],
  [
    /^this page reads files that you choose: paths and queries need moiety explore$/,
    "diese Seite liest Dateien, die Sie auswählen: Pfade und Abfragen brauchen moiety explore",
  ],
  [/^the engine stopped: (.*)$/, "die Berechnung brach ab ($1): laden Sie die Seite neu"],
  [
    /^moiety explore does not answer: is it still running in its terminal\?$/,
    "moiety explore antwortet nicht: läuft es noch in seinem Terminal?",
  ],
  [/^moiety explore gave no answer$/, "moiety explore gab keine Antwort"],
  [/^moiety explore stopped answering$/, "moiety explore hörte auf zu antworten"],
  [/^moiety explore stopped before it answered$/, "moiety explore endete, bevor es antwortete"],
  [/^moiety explore gave no reason$/, "moiety explore nannte keinen Grund"],
  [
    /^this is more than a page may send: name the file by its path$/,
    "das ist mehr, als eine Seite senden darf: nennen Sie die Datei mit ihrem Pfad",
  ],
  [/^the process that serves this page does not answer$/, "der Prozess, zu dem diese Seite gehört, antwortet nicht"],
  [/^this page does not ask that$/, "das fragt diese Seite nicht"],
  [/^this is not a question of a page$/, "das ist keine Frage einer Seite"],

  // Private runs
  [
    /^no protected column has groups that are known without the data: protect one of few values$/,
    "keine geschützte Spalte hat Gruppen, die ohne die Daten bekannt sind: schützen Sie eine mit wenigen Werten",
  ],
  [
    /^the privacy budget of (.*) does not cover this release: for (each person(?:'s protected attributes)?) epsilon (\S+) is left(?: \((\S+) for (`[^`]*`), at delta (\S+)\))?, and it would bring the total to epsilon (\S+) of (\S+); use a smaller (`[^`]*`|epsilon), or raise the budget with moiety budget set$/,
    "das Privatsphäre-Budget von $1 reicht für diese Veröffentlichung nicht: für @2 ist Epsilon $3 übrig, und sie brächte die Summe auf Epsilon $7 von $8; verwenden Sie ein kleineres Epsilon, oder erhöhen Sie das Budget mit moiety budget set",
  ],
  [
    /^attribute '(.*)' has one group only, so there is nothing to balance: leave it out of (`[^`]*`)$/,
    "das Merkmal '$1' hat nur eine Gruppe, es gibt also nichts auszugleichen: nehmen Sie es aus $2",
  ],
  [
    /^(\S+) needs protected attributes: name them with (`[^`]*`)$/,
    "$1 braucht geschützte Merkmale: nennen Sie sie mit $2",
  ],
  [
    /^the people fall into (\d+) cells only, which cannot make k=(\d+) clusters: use k=(\d+) or less, or more (`[^`]*`)$/,
    "die Personen fallen in nur $1 Zellen, aus denen keine k=$2 Cluster werden: verwenden Sie k=$3 oder weniger, oder mehr $4",
  ],
  [
    /^(\d+) components cannot be merged into k=(\d+) clusters: give a whole number from (\d+) to (\d+)$/,
    "aus $1 Komponenten werden keine k=$2 Cluster: geben Sie eine ganze Zahl von $3 bis $4",
  ],
  [/^epsilon is (\S+): give a number above 0, such as 1$/, "Epsilon ist $1: geben Sie eine Zahl über 0, etwa 1"],

  // Classifiers
  [
    /^the label '(.*)' has (\d+) missing values; a label cannot be filled in: use (`[^`]*`)$/,
    "in der Antwort '$1' fehlen Werte ($2); eine Antwort lässt sich nicht ersetzen: verwenden Sie $3",
  ],
  [
    /^the label '(.*)' has one class, and two are needed: name another column$/,
    "die Antwort '$1' hat eine Klasse, und zwei sind nötig: nennen Sie eine andere Spalte",
  ],
  [
    /^the label '(.*)' has (\d+) classes, and at most (\d+) are allowed: merge some, or name the one to learn with (`[^`]*`), and the others are its no$/,
    "die Antwort '$1' hat $2 Klassen, und höchstens $3 sind erlaubt: legen Sie einige zusammen, oder nennen Sie mit $4 die, die gelernt werden soll: die anderen sind ihr Nein",
  ],
  [/^unknown class of '(.*?)' '(.*?)'(.*)$/, "unbekannte Klasse von '$1': '$2'@3"],
  [
    /^'(.*)' is the label, and cannot be (?:protected|a feature) too: .*$/,
    "'$1' ist die Antwort, und kann nichts anderes zugleich sein: nennen Sie eine andere Spalte",
  ],
  [
    /^protected attribute '(.*)' has (\d+) groups, and at most (\d+) are allowed: merge some$/,
    "das geschützte Merkmal '$1' hat $2 Gruppen, und höchstens $3 sind erlaubt: legen Sie einige zusammen",
  ],
  [
    /^of group '(.*)' fewer than (\d+) people of a label are left to choose a threshold on: merge groups, or lower minCount$/,
    "von Gruppe '$1' bleiben weniger als $2 Personen einer Antwort, um eine Schwelle zu wählen: legen Sie Gruppen zusammen, oder senken Sie minCount",
  ],
  [
    /^of (\d+) people a share of (\S+) leaves none to (train|test) on: give another share with (`[^`]*`), or others with (`[^`]*`)$/,
    "von $1 Personen lässt ein Anteil von $2 niemanden @3: geben Sie einen anderen Anteil mit $4, oder andere mit $5",
  ],

  // Newcomers
  [
    /^this model promises nothing to groups and no sizes: make one with protected columns or sizes, or use predict$/,
    "dieses Modell verspricht Gruppen nichts und keine Größen: machen Sie eines mit geschützten Spalten oder Größen, oder nehmen Sie die nächsten Zentren",
  ],
  [
    /^the model has no counts of the people in its clusters, since some are of fewer than (\d+): place the newcomers by themselves$/,
    "das Modell nennt nicht, wie viele Personen seine Cluster haben, denn einige haben weniger als $1: lassen Sie die Neuen für sich dazukommen",
  ],
  [
    /^the model has no bounds for (\d+) groups? of '(.*)' among the newcomers: it knows (.*); train again, or leave those people out$/,
    "das Modell hat keine Grenzen für $1 Gruppen von '$2' unter den Neuen: es kennt $3; machen Sie ein neues, oder lassen Sie diese Personen weg",
  ],

  // Jobs and policies
  [/^(the (?:job|policy)) cannot be used( at [^,:]+)?(, line \d+)?: (.*)$/, "@1 ist nicht brauchbar@2@3: @4"],
  [
    /^(the (?:job|policy)) is not YAML(, line \d+)?: repair it, or name another file$/,
    "@1 ist kein YAML@2: berichtigen Sie den Text",
  ],
  [/^the text is not YAML: repair it first$/, "der Text ist kein YAML: berichtigen Sie ihn zuerst"],
  [/^the job: (.*)$/, "der Auftrag: @1"],
  [
    /^a job needs at least (\d+) parties to hide among$/,
    "ein Auftrag braucht mindestens $1 Stellen, unter denen man sich verbirgt",
  ],
  [
    /^(\S+) has neither features nor categorical columns: name some$/,
    "$1 hat weder Merkmale noch Kategorien: nennen Sie welche",
  ],
  [/^(\S+) is for (.*) with an epsilon$/, "$1 ist für @2 mit einem epsilon"],
  [/^(\S+) works on split rows: add split: rows$/, "$1 arbeitet mit geteilten Zeilen: ergänzen Sie split: rows"],
  [/^(\S+) needs an epsilon, such as epsilon: 1$/, "$1 braucht ein Epsilon, etwa epsilon: 1"],
  [/^(\S+) without noise has no epsilon: leave it out$/, "$1 ohne Rauschen hat kein epsilon: lassen Sie es weg"],
  [/^name the groups of '(.*)', such as groups: \{ (.*) \}$/, "nennen Sie die Gruppen von '$1', etwa groups: { $2 }"],
  [/^name the groups of '(.*)' under groups$/, "nennen Sie die Gruppen von '$1' unter groups"],
  [
    /^groups, minCount, quorum and protection: means are for split: rows$/,
    "groups, minCount, quorum und protection: means sind für split: rows",
  ],
  [
    /^rows split over (\d+) parties: with fewer than (\d+) a sum shows the others' rows$/,
    "Zeilen über $1 Stellen geteilt: bei weniger als $2 zeigt eine Summe die Zeilen der anderen",
  ],
  [/^(\S+) keeps no sizes: use (.*)$/, "$1 hält keine Größen ein: verwenden Sie @2"],
  [
    /^(\S+) is a column of one party: name it in that party's part, such as (.*)$/,
    "$1 ist eine Spalte einer Stelle: nennen Sie sie im Teil dieser Stelle, etwa $2",
  ],
  [/^(\S+) does not work on split rows: use (.*)$/, "$1 arbeitet nicht mit geteilten Zeilen: verwenden Sie @2"],
  [
    /^(\d+) parties: with (rows|columns) split a job has at most (\d+)(?:, and with rows split (\d+))?$/,
    "$1 Stellen: mit geteilten @2 hat ein Auftrag höchstens $3",
  ],
  [/^'(.*)' cannot be a name(?: on a card)?; rename it$/, "'$1' kann kein Name sein; benennen Sie es um"],
  [
    /^'(.*)' has more than (\d+) groups: merge some, or say maxGroups$/,
    "'$1' hat mehr als $2 Gruppen: legen Sie einige zusammen, oder geben Sie maxGroups an",
  ],
  [
    /^'(.*)' needs everybody's values, which no site has with rows split: give cuts, such as (.*)$/,
    "'$1' braucht die Werte aller, die bei geteilten Zeilen keine Stelle hat: geben Sie Grenzen an, etwa $2",
  ],
  [
    /^labels of several parties' people need an id: name the column, or leave labels to the parties$/,
    "für die Cluster der Personen mehrerer Stellen braucht es eine Kennung: nennen Sie die Spalte, oder lassen Sie labels bei den Stellen",
  ],
  [
    /^'(.*)' needs groups that its values decide, which noise would not hide: give cuts, such as (.*)$/,
    "'$1' braucht Gruppen, über die seine Werte entscheiden, was Rauschen nicht verbirgt: geben Sie Grenzen an, etwa $2",
  ],
  [
    /^(\S+) belongs to private: all: leave it out, or add that$/,
    "$1 gehört zu private: all: lassen Sie es weg, oder geben Sie das an",
  ],
  [
    /^(\S+) belongs to the paper's form of (\S+), which needs densities over all columns in one place: leave it out$/,
    "$1 gehört zur Form von $2 in der Veröffentlichung, die Dichten über alle Spalten an einem Ort braucht: lassen Sie es weg",
  ],
  [
    /^with columns split every site scales its own, unless everything is private: leave out box, or add private: all$/,
    "bei geteilten Spalten skaliert jede Stelle ihre eigenen, wenn nicht alles privat ist: lassen Sie box weg, oder geben Sie private: all an",
  ],
  [
    /^the box names '(.*)', which is not a feature: leave it out, or name the feature$/,
    "box nennt '$1', das kein Merkmal ist: lassen Sie es weg, oder nennen Sie das Merkmal",
  ],
  [
    /^'(.*)' is a feature at two parties, and no values are compared where everything is private: name it at one of them$/,
    "'$1' ist bei zwei Stellen ein Merkmal, und wo alles privat ist, werden keine Werte verglichen: nennen Sie es bei einer davon",
  ],
  [
    /^nothing is promised against the sites and the coordinator, who know whom the sites have in common: leave out colluders$/,
    "gegenüber den Stellen und dem Koordinator, die wissen, wen die Stellen gemeinsam haben, wird nichts versprochen: lassen Sie colluders weg",
  ],
  [
    /^of cells whose sizes are private no size can be promised: leave out minSize$/,
    "für Zellen, deren Größen privat sind, lässt sich keine Größe versprechen: lassen Sie minSize weg",
  ],
  [
    /^where everything is private the rounds are fixed: leave out starts, init, effort and block$/,
    "wo alles privat ist, stehen die Runden fest: lassen Sie starts, init, effort und block weg",
  ],
  [
    /^whoever holds the groups adds all the noise, against everybody else together: leave out colluders$/,
    "wer die Gruppen hält, fügt das ganze Rauschen hinzu, gegen alle anderen zusammen: lassen Sie colluders weg",
  ],
  [
    /^the paper's admm makes no cells: leave out solver$/,
    "das ADMM der Veröffentlichung macht keine Zellen: lassen Sie solver weg",
  ],
  [
    /^true shares are not told in a private job: leave out bounds$/,
    "wahre Anteile werden in einem privaten Auftrag nicht mitgeteilt: lassen Sie bounds weg",
  ],
  [
    /^(\S+) needs protected attributes: name some at the party that holds them$/,
    "$1 braucht geschützte Merkmale: nennen Sie welche bei der Stelle, die sie hält",
  ],
  [
    /^'(.*)' is protected at two parties, and its counts would leave twice: name it at one of them$/,
    "'$1' ist bei zwei Stellen geschützt, und seine Zahlen gingen zweimal hinaus: nennen Sie es bei einer davon",
  ],
  [
    /^'(.*)' is protected and a feature, and features are taken as known: leave it out of one of them$/,
    "'$1' ist geschützt und ein Merkmal der Abstände, und solche gelten als bekannt: lassen Sie es bei einem davon weg",
  ],
  [
    /^name the groups of '(.*)', such as (.*): which there are is not told by noisy counts$/,
    "nennen Sie die Gruppen von '$1', etwa $2: welche es gibt, sagen verrauschte Zahlen nicht",
  ],
  [/^(\d+) components cannot make k=(\d+) clusters$/, "$1 Zellen (components) ergeben keine k=$2 Cluster"],
  [
    /^all that leaves a site in a private job is masked: leave out protection$/,
    "was in einem privaten Auftrag eine Stelle verlässt, ist alles maskiert: lassen Sie protection weg",
  ],
  [/^name what is publicly known of '(.*)', such as (.*)$/, "nennen Sie, was von '$1' öffentlich bekannt ist, etwa $2"],
  [/^(\S+) learns a label: add (.*)$/, "$1 lernt eine Antwort: ergänzen Sie $2"],
  [
    /^train is for (.*): leave it out, or name one of them$/,
    "train ist für $1: lassen Sie es weg, oder nennen Sie eines davon",
  ],
  [
    /^a classifier is made fair for one attribute or more, and protect names none$/,
    "ein Klassifikator wird für ein Merkmal oder mehrere fair gemacht, und protect nennt keines",
  ],
  [/^classes names one class twice: give no, then yes$/, "classes nennt eine Klasse zweimal: geben Sie Nein, dann Ja"],
  [
    /^'(.*)' is the label, and cannot be (?:a feature|protected too)$/,
    "'$1' ist die Antwort, und kann nichts anderes zugleich sein",
  ],
  [
    /^the policy was changed meanwhile, here or elsewhere: look at it as it is now first$/,
    "die Richtlinie wurde inzwischen geändert, hier oder anderswo: sehen Sie sie zuerst an, wie sie jetzt ist",
  ],
  [/^job (\S+) is (\w+) already$/, "Auftrag $1 ist schon @2"],
  [/^job (\S+) has no result: it is (\w+)(.*)$/, "Auftrag $1 hat kein Ergebnis: er ist @2$3"],
  [
    /^no job '(.*?)'(?: of (\S+))?: (?:the latest are (.*)|there are none)$/,
    "es gibt keinen Auftrag '$1' (die letzten: $3)",
  ],
  [
    /^this card was submitted before, and its record is damaged: submit the job anew$/,
    "diese Karte wurde schon eingereicht, und ihr Eintrag ist beschädigt: reichen Sie den Auftrag neu ein",
  ],
  [/^cannot read (\S+)$/, "$1 ist nicht lesbar"],
  [/^this file is too long for a page: it is (.*)$/, "diese Datei ist zu lang für eine Seite: es ist $1"],
];

/** Parts of these sentences. */
export const partsOfPages: readonly Sentence[] = [
  [/^the job$/, "der Auftrag"],
  [/^the policy$/, "die Richtlinie"],
  [/^ at (.*)$/, " bei $1"],
  [/^, line (\d+)$/, ", Zeile $1"],
  [/^each person$/, "jede Person"],
  [/^each person's protected attributes$/, "die geschützten Merkmale jeder Person"],
  [/^train$/, "zum Lernen"],
  [/^test$/, "zum Messen"],
  [/^(done|finished)$/, "fertig"],
  [/^failed$/, "fehlgeschlagen"],
  [/^cancelled$/, "abgebrochen"],
  [/^running$/, "im Gange"],
  [/^waiting$/, "wartend"],
  [/^refused$/, "abgelehnt"],
  [/^; did you mean '(.*)'\?( \(there are: .*\))?$/, "; meinten Sie '$1'?@2"],
  [/^it is missing: (give .*)$/, "es fehlt: @1"],
  [/^unknown ('.*')$/, "unbekannt: $1"],
  [/^give (.*)$/, "geben Sie @1"],
  [/^a whole number$/, "eine ganze Zahl"],
  [/^a number of ([\d.e-]+) or more$/, "eine Zahl von $1 oder mehr"],
  [/^a number of ([\d.e-]+) or less$/, "eine Zahl von $1 oder weniger"],
  [/^a number above ([\d.e-]+)$/, "eine Zahl über $1"],
  [/^a number below ([\d.e-]+)$/, "eine Zahl unter $1"],
  [/^a list in brackets$/, "eine Liste in Klammern"],
  [/^names with values$/, "Namen mit Werten"],
  [/^at least (\d+) (?:entry|entries)$/, "mindestens $1"],
  [/^at most (\d+) (?:entry|entries)$/, "höchstens $1"],
  [/^at least (\d+) characters?$/, "mindestens $1 Zeichen"],
  [/^at most (\d+) characters?$/, "höchstens $1 Zeichen"],
  [/^(.*) or ([\w-]+)$/, "@1 oder $2"],
  // Names of methods and values.
  [/^([\w-]+(?:, [\w-]+)*)$/, "$1"],
];
