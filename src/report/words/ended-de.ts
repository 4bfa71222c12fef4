import type { Sentence } from "./refused-de.js";

/** Why jobs wait, pause and end, and what is wrong with logs. `ended-de.test.ts` holds them together. */
export const ended: readonly Sentence[] = [
  // What somebody decided
  [/^cancelled by the coordinator's operator$/, "abgebrochen von der Koordination"],
  [/^cancelled by (\S+)$/, "abgebrochen von $1"],
  [/^(\S+) refused: (.*)$/, "$1 hat abgelehnt: $2"],
  [/^an operator at the site refused this job$/, "jemand an der Stelle hat diesen Auftrag abgelehnt"],
  [/^an operator at the site refused this job: (.*)$/, "jemand an der Stelle hat diesen Auftrag abgelehnt: $1"],
  [/^refuses every job: the site has no policy$/, "lehnt jeden Auftrag ab: die Stelle hat keine Richtlinie"],
  [
    /^refuses the job: fewer common people than the (\d+) that the policy asks for$/,
    "lehnt den Auftrag ab: weniger gemeinsame Personen als die $1, die die Richtlinie verlangt",
  ],
  [
    /^refuses the job: clusters of (\S+) in weight may have fewer than the (\d+) people that the policy asks for: use (.*)$/,
    "lehnt den Auftrag ab: Cluster vom Gewicht $1 können weniger als die $2 Personen haben, die die Richtlinie verlangt: verwenden Sie $3",
  ],
  [/^refuses the job: (.*)$/, "lehnt den Auftrag ab: @1"],
  [/^its nonce is that of another job$/, "seine Zufallszahl ist die eines anderen Auftrags"],
  [
    /^its people stay in a database, where nothing can be trained: give it a file of them$/,
    "die Personen bleiben in einer Datenbank, wo nichts gelernt werden kann: geben Sie der Stelle eine Datei mit ihnen",
  ],
  [
    /^its people stay in a database, which answers jobs with (.*) alone$/,
    "die Personen bleiben in einer Datenbank, die nur Aufträge mit $1 beantwortet",
  ],
  [
    /^its people stay in a database, which draws no noise: give it a file of them$/,
    "die Personen bleiben in einer Datenbank, die kein Rauschen zieht: geben Sie der Stelle eine Datei mit ihnen",
  ],
  [
    /^its people stay in a database, which finds no clusters of its own: use (.*)$/,
    "die Personen bleiben in einer Datenbank, die selbst keine Cluster findet: verwenden Sie $1",
  ],
  [
    /^its people stay in a database, whose rows have no order: name their column with id$/,
    "die Personen bleiben in einer Datenbank, deren Zeilen keine Reihenfolge haben: nennen Sie ihre Spalte mit id",
  ],
  [/^the policy sets no privacy budget$/, "die Richtlinie setzt kein Privatsphäre-Budget"],
  [
    /^this site keeps no privacy ledger, so it takes no part in private jobs$/,
    "diese Stelle führt kein Buch über Privatsphäre und nimmt daher an privaten Aufträgen nicht teil",
  ],
  [
    /^job (\S+) was signed already: ask its analyst to cancel it$/,
    "Auftrag $1 ist schon unterschrieben: bitten Sie die Analyse, ihn abzubrechen",
  ],
  [
    /^the reason must be one line of at most (\d+) characters$/,
    "der Grund muss eine Zeile von höchstens $1 Zeichen sein",
  ],
  [/^the card is that of analyst '(.*)'$/, "die Karte ist die von '$1'"],
  [/^the card is of another federation$/, "die Karte gehört zu einer anderen Föderation"],
  [
    /^(\S+) has (\d+) open jobs, the most that one analyst may have: wait until some are done, or end some with moiety job cancel$/,
    "$1 hat $2 offene Aufträge, mehr darf niemand haben: warten Sie, bis einige fertig sind, oder beenden Sie einige mit moiety job cancel",
  ],
  [
    /^(\d+) jobs are open, the most that a coordinator takes: wait for some$/,
    "$1 Aufträge sind offen, mehr nimmt ein Koordinator nicht: warten Sie auf einige",
  ],
  [
    /^what the coordinator keeps of job '(.*)' is damaged: ask its operator$/,
    "was der Koordinator von Auftrag '$1' aufbewahrt, ist beschädigt: fragen Sie dort nach",
  ],
  [/^job (\S+) is (\w+), and has no clusters$/, "Auftrag $1 ist $2 und hat keine Cluster"],
  [/^there is no such file$/, "diese Datei gibt es nicht"],

  // What is waited for
  [/^not asked yet$/, "noch nicht gefragt"],
  [/^([^;:]*) not connected$/, "$1 nicht verbunden"],
  [/^([^;:]*) to approve \(moiety job approve\)$/, "$1 noch ohne Zustimmung (moiety job approve)"],
  [/^goes on without ([^;]*)$/, "geht ohne $1 weiter"],
  [/^lost the connection to (.*)$/, "die Verbindung zu $1 ist verloren"],
  [/^lost (.*) (\d+) times without coming further$/, "$1 ging $2-mal verloren, ohne dass es weiterging"],
  [/^not done by its deadline; it was running$/, "bis zur Frist nicht fertig; er lief noch"],
  [/^not done by its deadline; (.*)$/, "bis zur Frist nicht fertig; @1"],
  [
    /^moiety is (\S+) at (\S+) and (\S+) at (\S+), and with columns split every site computes the same numbers: install the same minor version at all of them$/,
    "moiety ist $1 bei $2 und $3 bei $4, und mit verteilten Spalten rechnet jede Stelle dieselben Zahlen: installieren Sie überall dieselbe Unterversion",
  ],
  [
    /^its data differ from those that the job began with: the job goes on when the old ones are back$/,
    "ihre Daten sind andere als die, mit denen der Auftrag begann: er geht weiter, wenn die alten wieder da sind",
  ],
  [
    /^its state was put back: other sites have seen (\d+) entries of its audit log, and it has (\d+|others); bring the newest state back, or, if that is lost, say so there: moiety audit restored$/,
    "ihr Zustand ist ein alter: andere Stellen haben $1 Einträge ihres Protokolls gesehen, und sie hat @2; bringen Sie den neuesten zurück, oder, wenn er verloren ist, sagen Sie es dort: moiety audit restored",
  ],
  [/^(.*) at the coordinator$/, "beim Koordinator: @1"],
  [/^disk full$/, "der Datenträger ist voll"],
  [/^disk quota exceeded$/, "der zugeteilte Platz ist verbraucht"],
  [/^the disk fails$/, "der Datenträger versagt"],
  [/^no permission$/, "keine Erlaubnis"],
  [/^the file system is read-only$/, "das Dateisystem kann nur gelesen werden"],

  // What went wrong
  [
    /^something unexpected went wrong (\d+) times: see the coordinator's log$/,
    "$1-mal ging etwas Unerwartetes schief: siehe das Protokoll des Koordinators",
  ],
  [/^stopped before the end; nothing was written$/, "vor dem Ende angehalten; nichts wurde geschrieben"],
  [/^(\S+) did not answer in time \((\S+)\)$/, "$1 antwortete nicht rechtzeitig ($2)"],
  [/^(\S+) has been silent for too long$/, "$1 schwieg zu lange"],
  [/^(\S+) has hung up$/, "$1 hat die Verbindung beendet"],
  [/^the connection broke$/, "die Verbindung brach ab"],
  [/^a party (?:has left|left at the end)$/, "eine Stelle ist gegangen"],
  [
    /^only (\d+) of (\d+) parties (?:.*): sums need at least (\d+)$/,
    "nur $1 von $2 Stellen sind da: Summen brauchen mindestens $3",
  ],
  [
    /^a site's ids have changed since the job began: submit it again$/,
    "die Kennungen einer Stelle haben sich geändert, seit der Auftrag begann: reichen Sie ihn noch einmal ein",
  ],
  [
    /^the sites cannot agree on how far their logs are$/,
    "die Stellen sind sich nicht einig, wie weit ihre Protokolle sind",
  ],
  [
    /^the other side speaks version (\d+) of the wire contract, this side (.*): install a newer moiety$/,
    "die andere Seite spricht Version $1 des Protokolls, diese $2: installieren Sie ein neueres moiety",
  ],
  [
    /^the coordinator at (\S+) cannot be reached, or refuses this certificate$/,
    "der Koordinator unter $1 ist nicht erreichbar, oder lehnt dieses Zertifikat ab",
  ],
  [/^the certificate of (\w+) '(.*)' was revoked$/, "das Zertifikat von '$2' wurde widerrufen"],
  [
    /^(\S+) holds (\d+) people and (\S+) (\d+): all sites must hold the same people in the same order$/,
    "$1 hat $2 Personen und $3 $4: alle Stellen müssen dieselben Personen in derselben Reihenfolge haben",
  ],
  [
    /^no value of '(.*)' occurs at all sites: is it the same column at each of them\?$/,
    "kein Wert von '$1' kommt bei allen Stellen vor: ist es bei jeder dieselbe Spalte?",
  ],
  [
    /^fewer than (\d+) people with category '(.*)' of '(.*)' at all sites together: merge categories, or lower minCount$/,
    "weniger als $1 Personen der Kategorie '$2' von '$3' bei allen Stellen zusammen: legen Sie Kategorien zusammen, oder senken Sie minCount",
  ],
  [
    /^fewer than (\d+) people of (.*) at all sites together: merge groups, or lower minCount$/,
    "weniger als $1 Personen von $2 bei allen Stellen zusammen: legen Sie Gruppen zusammen, oder senken Sie minCount",
  ],
  [
    /^a threshold by group is chosen on a quarter of the people of (.*), and that is fewer than (\d+): merge groups, or lower minCount$/,
    "eine Schwelle je Gruppe wird an einem Viertel der Personen von $1 gewählt, und das sind weniger als $2: legen Sie Gruppen zusammen, oder senken Sie minCount",
  ],
  [
    /^a share of (\S+) leaves no people to measure on: give a larger test$/,
    "ein Teil von $1 lässt niemanden zum Messen: geben Sie ein größeres test",
  ],
  [
    /^all people have the same label: there is nothing to learn$/,
    "alle Personen haben dieselbe Antwort: es gibt nichts zu lernen",
  ],
  [
    /^outliers leave (\d+) bits for blinding, and (\d+) are needed: remove or transform them, or say (.*)$/,
    "Ausreißer lassen $1 Bits zum Verblenden, und $2 werden gebraucht: entfernen oder wandeln Sie sie um, oder sagen Sie $3",
  ],
  [/^(\d+) households should be >= k=(\d+) clusters$/, "$1 Haushalte reichen nicht für k=$2 Cluster"],
  [
    /^the groups on the card have more than (\d+) combinations: protect less$/,
    "die Gruppen auf der Karte haben mehr als $1 Kombinationen: schützen Sie weniger",
  ],

  // What is wrong with audit logs
  [/^(.*) is a second log of (\S+)$/, "$1 ist ein zweites Protokoll von $2"],
  [/^the audit log of (\S+) is empty$/, "das Protokoll von $1 ist leer"],
  [
    /^the audit log of (\S+) was cut: it has (\d+) entries and once had (\d+)$/,
    "das Protokoll von $1 wurde gekürzt: es hat $2 Einträge und hatte einst $3",
  ],
  [
    /^the audit log of (\S+) was written anew: its first (\d+) entries differ$/,
    "das Protokoll von $1 wurde neu geschrieben: seine ersten $2 Einträge sind andere",
  ],
  [
    /^entry (\d+) of the audit log is not readable: it was changed or half written$/,
    "Eintrag $1 des Protokolls ist nicht lesbar: er wurde geändert oder nur halb geschrieben",
  ],
  [/^entry (\d+) of the audit log of (\S+) was changed$/, "Eintrag $1 des Protokolls von $2 wurde geändert"],
  [
    /^entry (\d+) of the audit log of (\S+) is not signed by this site$/,
    "Eintrag $1 des Protokolls von $2 ist nicht von dieser Stelle unterschrieben",
  ],
  [
    /^entry (\d+) of the audit log of (\S+) does not follow the one before: something was removed, added or moved$/,
    "Eintrag $1 des Protokolls von $2 folgt nicht auf den vorigen: etwas wurde entfernt, eingefügt oder verschoben",
  ],
  [
    /^(.*) is the log of '(.*)', and this federation has no such site$/,
    "$1 ist das Protokoll von '$2', und diese Föderation hat keine solche Stelle",
  ],
  [
    /^the signing key of '(.*)' is not 32 bytes in base64: take it from a kit$/,
    "der Schlüssel von '$1' hat nicht 32 Bytes in base64: nehmen Sie ihn aus einer kit.json",
  ],
  [
    /^(.*) is not an audit log: its first line does not say whose it is$/,
    "$1 ist kein Protokoll: seine erste Zeile sagt nicht, wessen es ist",
  ],
];

/** Several of them, and whose they are. */
export const composed: readonly Sentence[] = [
  [/^([^\s:]+): (.*)$/, "$1: @2"],
  [/^(.*?); (.*)$/, "@1; @2"],
];
