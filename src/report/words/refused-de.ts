/** An English sentence and its German: $1 is what was found as it is, @1 is what was found in German, ~1 is that where there is one. */
export type Sentence = readonly [english: RegExp, german: string];

/** Why a file cannot be read, a table cannot be used, or a request cannot be met. `refused.test.ts` holds them together. */
export const refused: readonly Sentence[] = [
  // Files
  [/^not a table: (.*): (.*)$/, "keine Tabelle: $1: @2"],
  [/^(.*) is an empty file$/, "$1 ist eine leere Datei"],
  [/^(.*) is empty: nothing came in$/, "$1 ist leer: es kam nichts an"],
  [/^(.*) has no rows$/, "$1 hat keine Zeilen"],
  [/^(.*) has no columns$/, "$1 hat keine Spalten"],
  [/^the table has no (rows|columns): give at least one$/, "die Tabelle hat keine @1: nötig ist mindestens eine"],
  [
    /^(.*) has (\d+) columns named '(.*)'; names must differ$/,
    "$1 hat $2 Spalten namens '$3'; Namen müssen verschieden sein",
  ],
  [
    /^'(.*)' cannot name (.*): it means something else in JSON; rename it$/,
    "'$1' kann hier kein Name sein: es bedeutet in JSON etwas anderes; benennen Sie es um",
  ],
  [/^cannot read (.*): (.*)$/, "$1 lässt sich nicht lesen: @2"],
  [/^no such file: (.*); did you mean '(.*)'\?$/, "keine solche Datei: $1; meinten Sie '$2'?"],
  [/^no such file: (.*)$/, "keine solche Datei: $1"],
  [/^no such file in the query: (.*)$/, "keine solche Datei in der Abfrage: $1"],
  [
    /^(.*) is a folder, not a table; name a file in it, or use a query such as (.*)$/,
    "$1 ist ein Ordner, keine Tabelle; nennen Sie eine Datei darin, oder verwenden Sie eine Abfrage wie $2",
  ],
  [/^the query cannot be run: (.*)$/, "die Abfrage kann nicht ausgeführt werden: $1"],
  [
    /^the query failed: a value does not fit its column's type; use (.*), or (.*)$/,
    "die Abfrage ist gescheitert: ein Wert passt nicht zur Art seiner Spalte; verwenden Sie $1 oder $2",
  ],
  [/^the query failed( \(.*\))?$/, "die Abfrage ist gescheitert$1"],
  [
    /^the query has columns '(.*)' and '(.*)' that differ in case only; rename one$/,
    "die Spalten '$1' und '$2' der Abfrage unterscheiden sich nur in Groß- und Kleinschreibung; benennen Sie eine um",
  ],
  [
    /^the source holds (\d+) SQL statements; give one query$/,
    "die Quelle enthält $1 SQL-Anweisungen; geben Sie eine Abfrage",
  ],
  [/^not enough memory to read (.*)$/, "der Speicher reicht nicht, um $1 zu lesen"],
  [/^not enough memory to run the query$/, "der Speicher reicht nicht für die Abfrage"],
  [
    /^the source ended before its last row: it was changed while it was read, or memory ran out; run again when nobody writes to it$/,
    "die Quelle endete vor ihrer letzten Zeile: sie wurde beim Lesen geändert, oder der Speicher reichte nicht; nochmals starten, wenn niemand in sie schreibt",
  ],

  // Cells
  [
    /^column '(.*)' holds (.*) in row (\d+) and (.*) in row (\d+): make them all of one kind$/,
    "Spalte '$1' enthält @2 in Zeile $3 und @4 in Zeile $5: lassen Sie alle von einer Art sein",
  ],
  [
    /^column '(.*)' holds (.*) in row (\d+): give numbers, texts, booleans, dates or null$/,
    "Spalte '$1' enthält @2 in Zeile $3: geben Sie Zahlen, Texte, Wahrheitswerte, Daten oder null",
  ],
  [
    /^column '(.*)' has a number too large to be exact in row (\d+): give it as text$/,
    "Spalte '$1' hat in Zeile $2 eine Zahl, die zu groß ist, um genau zu sein: geben Sie sie als Text",
  ],
  [
    /^column '(.*)' has (.*) with infinity; repair them or leave the column out$/,
    "Spalte '$1' hat @2 mit unendlichen Zahlen; berichtigen Sie sie, oder lassen Sie die Spalte weg",
  ],
  [/^column '(.*)' has (\d+) missing values?; (.*)$/, "in Spalte '$1' fehlen Werte ($2); @3"],
  [/^column '(.*)' has no values at all; leave it out$/, "Spalte '$1' hat gar keine Werte; lassen Sie sie weg"],
  [
    /^column '(.*)' could be read in two ways: (.*) may stand before decimals or between thousands; say (`[^`]*`) or (`[^`]*`)(.*)$/,
    "Spalte '$1' lässt sich auf zwei Arten lesen: @2 können vor Dezimalstellen oder zwischen Tausendern stehen; geben Sie $3 oder $4 an@5",
  ],
  [
    /^column '(.*)' looks numeric, but (\d+) of its (\d+) cells( \(.*\))? (?:is not a number|are not numbers); name what is missing with (`[^`]*`), use (`[^`]*`), or (leave the column out|`[^`]*`)(.*)$/,
    "Spalte '$1' sieht nach Zahlen aus, aber $2 ihrer $3 Zellen sind keine@4; nennen Sie mit $5, was fehlt, verwenden Sie $6, oder @7@8",
  ],
  [
    /^column '(.*)' is not numeric: (.*?)( \(.*\)) (?:is not a number|are not numbers); (.*)$/,
    "Spalte '$1' enthält nicht nur Zahlen: @2@3 sind keine; @4",
  ],

  // Columns
  [
    /^no features: the table has no numeric column that is not used otherwise; name features or categorical columns$/,
    "keine Merkmale: die Tabelle hat keine Spalte mit Zahlen, die nicht anders verwendet wird; wählen Sie Merkmale oder Kategorien",
  ],
  [
    /^no features: the only numeric columns? \((.*)\) looks? like (?:an id|ids); name features or categorical columns$/,
    "keine Merkmale: die einzigen Spalten mit Zahlen ($1) sehen wie Kennungen aus; wählen Sie Merkmale oder Kategorien",
  ],
  [
    /^no features are left: every one has the same value for all people$/,
    "keine Merkmale sind übrig: jedes hat für alle Personen denselben Wert",
  ],
  [
    /^every row has a missing value in a column that is used$/,
    "in jeder Zeile fehlt ein Wert in einer Spalte, die verwendet wird",
  ],
  [
    /^column '(.*)' has the same (?:value|category) for all people; leave it out$/,
    "Spalte '$1' hat für alle Personen denselben Wert; lassen Sie sie weg",
  ],
  [
    /^column '(.*)' has numbers too large to scale; divide it by a constant$/,
    "Spalte '$1' hat Zahlen, die zu groß sind, um skaliert zu werden; teilen Sie sie durch eine feste Zahl",
  ],
  [
    /^categorical column '(.*)' has (\d+) categories; it looks like an id or a number; at most (\d+) are allowed$/,
    "Spalte '$1' hat $2 Kategorien; sie sieht wie eine Kennung oder Zahl aus; höchstens $3 sind erlaubt",
  ],
  [
    /^id column '(.*)' repeats an id in (\d+) rows; every person needs an id of their own$/,
    "Spalte '$1' wiederholt Kennungen ($2 Zeilen); jede Person braucht eine eigene",
  ],
  [
    /^id column '(.*)' holds numbers too large to tell apart; store the column as text$/,
    "Spalte '$1' enthält Kennungen, die als Zahlen zu groß sind, um sie zu unterscheiden; speichern Sie sie als Text",
  ],
  [
    /^column '(.*)' is 0 or less in (\d+) of (\d+) rows; weights are numbers above 0, so leave those rows out$/,
    "Spalte '$1' ist 0 oder weniger in $2 von $3 Zeilen; Gewichte sind Zahlen über 0: lassen Sie diese Zeilen weg",
  ],
  [
    /^the weights of '(.*)' add up to (.*), where (.*) to (.*) is possible; multiply or divide them all by one number$/,
    "die Gewichte von '$1' ergeben zusammen $2, möglich sind $3 bis $4; multiplizieren oder teilen Sie alle durch eine Zahl",
  ],
  [
    /^protected attribute '(.*)' has 1 group; there is nothing to balance, so leave it out of what is protected$/,
    "das geschützte Merkmal '$1' hat 1 Gruppe; es gibt nichts auszugleichen: schützen Sie es nicht",
  ],
  [
    /^protected attribute '(.*)' has (\d+) groups among (\d+) people; it looks like an id; protect a column with few groups$/,
    "das geschützte Merkmal '$1' hat $2 Gruppen bei $3 Personen; es sieht wie eine Kennung aus; schützen Sie eine Spalte mit wenigen Gruppen",
  ],
  [
    /^protected attribute '(.*)' has (\d+) groups, and (\d+) are allowed; merge some, or use (`[^`]*`) and wait for it$/,
    "das geschützte Merkmal '$1' hat $2 Gruppen, und $3 sind erlaubt; legen Sie einige zusammen, oder verwenden Sie $4 und warten Sie",
  ],
  [
    /^protected column '(.*)' has (\d+) different numbers; make groups of them, such as (.*) or (.*), or (`[^`]*`) if they are codes$/,
    "die geschützte Spalte '$1' hat $2 verschiedene Zahlen; bilden Sie Gruppen daraus, etwa $3 oder $4, oder $5, wenn es Schlüssel sind",
  ],
  [
    /^'(.*)' cannot be made: too many people have the same value; give cuts, such as (.*)$/,
    "'$1' lässt sich nicht bilden: zu viele Personen haben denselben Wert; geben Sie Grenzen an, etwa $2",
  ],
  [/^unknown column '(.*)'; did you mean '(.*)'\?(.*)$/, "unbekannte Spalte '$1'; meinten Sie '$2'?@3"],
  [/^unknown column '(.*?)'( \(there are: .*\))?$/, "unbekannte Spalte '$1'@2"],

  // Requests
  [/^(none of the (\d+) values is|the one value is not) feasible: (.*)$/, "@1 erfüllbar: @3"],
  [
    /^a meaningful minimum size is (\d+) people here, and (.*)$/,
    "eine aussagekräftige Mindestgröße ist hier $1 Personen, und @2",
  ],
  [
    /^n=(\d+) people should be >= k=(\d+) clusters: use a smaller k$/,
    "n=$1 Personen sollten >= k=$2 Cluster sein: verwenden Sie ein kleineres k",
  ],
  [
    /^(\d+) households should be >= k=(\d+) clusters: use a smaller k$/,
    "$1 Haushalte sollten >= k=$2 Cluster sein: verwenden Sie ein kleineres k",
  ],
  [/^k is (\d+): at most 65000 clusters are possible$/, "k ist $1: höchstens 65000 Cluster sind möglich"],
  [
    /^sizes cannot differ by one at most where (weights|households) move as a whole: give (`[^`]*`) and (`[^`]*`)$/,
    "Größen können sich nicht um höchstens eins unterscheiden, wo @1 als Ganzes gehen: geben Sie $2 und $3 an",
  ],
  [
    /^no k=(\d+) clusters of what moves as a whole( \(.*\))? have (.*) with tolerance (\S+): (widen one of them|widen it), or use another k(; .*)?$/,
    "keine k=$1 Cluster aus dem, was als Ganzes geht@2, haben @3 mit Toleranz $4: @5, oder verwenden Sie ein anderes k@6",
  ],
  [
    /^cluster (\d+) has no room: its smallest size is above its largest one$/,
    "Cluster $1 hat keinen Platz: seine Mindestgröße liegt über seiner Höchstgröße",
  ],
  [
    /^the smallest sizes add up to (\d+) people, but there are (\d+)$/,
    "die Mindestgrößen ergeben zusammen $1 Personen, aber es gibt $2",
  ],
  [
    /^the clusters have room for (\d+) people, but there are (\d+)$/,
    "die Cluster haben Platz für $1 Personen, aber es gibt $2",
  ],
  [/^the minimum size (\d+) is above the maximum size (\S+)$/, "die Mindestgröße $1 liegt über der Höchstgröße $2"],
  [
    /^a minimum size of (\d+) in each of k=(\d+) clusters needs (\d+) people, but there are (\d+)$/,
    "eine Mindestgröße von $1 in jedem von k=$2 Clustern braucht $3 Personen, aber es gibt $4",
  ],
  [
    /^a maximum size of (\S+) in each of k=(\d+) clusters holds (\S+) people, but there are (\d+)$/,
    "eine Höchstgröße von $1 in jedem von k=$2 Clustern reicht für $3 Personen, aber es gibt $4",
  ],
  [
    /^the bounds of (.*) cannot be met by whole people (in k=.*) people with tolerance (\S+)$/,
    "die Grenzen von $1 lassen sich mit ganzen Personen nicht einhalten, @2 Personen mit Toleranz $3",
  ],
  [
    /^the (bounds of .*) cannot be met together (in k=.*) people with tolerance (\S+)$/,
    "die @1 lassen sich nicht zusammen einhalten, @2 Personen mit Toleranz $3",
  ],
  [
    /^the min shares of (.*) add up to (\S+), more than 1, (in k=.*) people with tolerance (\S+)$/,
    "die Mindestanteile von $1 ergeben zusammen $2, mehr als 1, @3 Personen mit Toleranz $4",
  ],
  [
    /^the max shares of (.*) add up to (\S+), less than 1, (in k=.*) people with tolerance (\S+)$/,
    "die Höchstanteile von $1 ergeben zusammen $2, weniger als 1, @3 Personen mit Toleranz $4",
  ],
  [
    /^(.*) cannot be (\S+ \S+ \S+) of each cluster (in k=.*) people with tolerance (\S+): it has (\d+) of (\d+) people \((\S+)\)$/,
    "$1 kann nicht @2 jedes Clusters sein, @3 Personen mit Toleranz $4: die Gruppe hat $5 von $6 Personen ($7)",
  ],
  [/^(.*): change the sizes, or use wider bounds$/, "@1: ändern Sie die Größen, oder verwenden Sie weitere Grenzen"],
  [/^(.*): use (.*)$/, "@1: verwenden Sie @2"],

  // The page's own
  [/^no table is open: choose a file first$/, "keine Tabelle ist offen: wählen Sie zuerst eine Datei"],
  [/^nothing is clustered yet: start a run first$/, "es gibt noch keine Cluster: starten Sie zuerst einen Lauf"],
];

/** Parts of these sentences; lists come last. */
export const parts: readonly Sentence[] = [
  [/^$/, ""],
  [/^it is not a whole (.*) file$/, "sie ist keine vollständige $1-Datei"],
  [/^it is not a JSON table$/, "sie ist keine JSON-Tabelle"],
  [/^it is (gzip|Parquet|JSON); let its name end in (\S+)$/, "sie ist $1; lassen Sie ihren Namen auf $2 enden"],
  [/^it holds binary data$/, "sie enthält keinen Text"],
  [
    /^it is not UTF-8 text; save it as UTF-8 and try again$/,
    "sie ist kein Text in UTF-8; speichern Sie sie als UTF-8 und versuchen Sie es noch einmal",
  ],
  [
    /^it is neither UTF-8 nor Windows-1252; save it as UTF-8 and try again$/,
    "sie ist weder UTF-8 noch Windows-1252; speichern Sie sie als UTF-8 und versuchen Sie es noch einmal",
  ],
  [/^its contents cannot be read$/, "ihr Inhalt lässt sich nicht lesen"],
  [/^row (\d+) has (.*) and the header has (\d+)$/, "Zeile $1 hat @2 und die Kopfzeile hat $3"],
  [/^row (\d+) opens a quote that is never closed$/, "Zeile $1 öffnet ein Anführungszeichen, das nie geschlossen wird"],
  [/^row (\d+) is too long$/, "Zeile $1 ist zu lang"],
  [/^row (\d+) cannot be read$/, "Zeile $1 lässt sich nicht lesen"],
  [
    /^it is a folder, or was moved, changed or removed since it was chosen$/,
    "es ist ein Ordner, oder wurde verschoben, geändert oder entfernt, seit es gewählt wurde",
  ],
  [/^no permission$/, "keine Berechtigung"],
  [/^unknown error$/, "unbekannter Fehler"],
  [/^([A-Z]+)$/, "$1"],
  [/^rows$/, "Zeilen"],
  [/^columns$/, "Spalten"],
  [/^weights$/, "Gewichte"],
  [/^households$/, "Haushalte"],
  [/^text$/, "Text"],
  [/^a number$/, "eine Zahl"],
  [/^a boolean$/, "einen Wahrheitswert"],
  [/^a date$/, "ein Datum"],
  [/^an array$/, "eine Liste"],
  [/^an object$/, "ein Objekt"],
  [/^a (bigint|function|symbol)$/, "$1"],
  [/^1 cell$/, "1 Zelle"],
  [/^(\d+) cells$/, "$1 Zellen"],
  [/^use (`[^`]*`) or (`[^`]*`)$/, "verwenden Sie $1 oder $2"],
  [/^a weight cannot be filled in: use (`[^`]*`)$/, "ein Gewicht lässt sich nicht ersetzen: verwenden Sie $1"],
  [
    /^(?:a group|an id|a group or an id) cannot be filled in: use (`[^`]*`)$/,
    "eine Gruppe oder Kennung lässt sich nicht ersetzen: verwenden Sie $1",
  ],
  [/^its commas and points$/, "ihre Kommas und Punkte"],
  [/^the commas and points in (.*)$/, "die Kommas und Punkte in @1"],
  [/^; 1 other column is in doubt too$/, "; 1 weitere Spalte ist auch im Zweifel"],
  [/^; (\d+) other columns are in doubt too$/, "; $1 weitere Spalten sind auch im Zweifel"],
  [/^use (`[^`]*`) if it is a category$/, "verwenden Sie $1, wenn es eine Kategorie ist"],
  [
    /^name what is missing with (`[^`]*`), or leave the column out$/,
    "nennen Sie mit $1, was fehlt, oder lassen Sie die Spalte weg",
  ],
  [/^leave the column out$/, "lassen Sie die Spalte weg"],
  [/^(`[^`]*`)$/, "$1"],
  [/^ \(there are: (.*)\)$/, " (es gibt: $1)"],
  [/^ \(up to (\S+) at once\)$/, " (bis zu $1 auf einmal)"],
  [/^ \((.*)\)$/, " (@1)"],

  [/^none of the (\d+) values is$/, "keiner der $1 Werte ist"],
  [/^the one value is not$/, "der eine Wert ist nicht"],
  [/^widen one of them$/, "erweitern Sie eines davon"],
  [/^widen it$/, "erweitern Sie es"],
  [
    /^; whether fewer of these are to blame was not decided$/,
    "; ob schon weniger davon der Grund sind, wurde nicht entschieden",
  ],
  [/^their smallest sizes$/, "ihre Mindestgrößen"],
  [/^their largest sizes$/, "ihre Höchstgrößen"],
  [/^a size of at least (\S+)$/, "eine Größe von mindestens $1"],
  [/^a size of at most (\S+)$/, "eine Größe von höchstens $1"],
  [/^in k=(\d+) clusters of (.*)$/, "in k=$1 Clustern von @2"],
  [/^at least ([\d.e-]+)$/, "mindestens $1"],
  [/^at most ([\d.e-]+)$/, "höchstens $1"],
  [/^([\d.e-]+) to ([\d.e-]+)$/, "$1 bis $2"],
  [/^a smaller k or wider bounds$/, "ein kleineres k oder weitere Grenzen"],
  [/^(k=\d+)$/, "$1"],
  [/^a minimum size of (\d+)$/, "eine Mindestgröße von $1"],
  [/^a maximum size of (\d+)$/, "eine Höchstgröße von $1"],
  [/^a minimum size of (\d+) or less$/, "eine Mindestgröße von $1 oder weniger"],
  [/^a maximum size of (\d+) or more$/, "eine Höchstgröße von $1 oder mehr"],
  [/^(.*) \(nearer ones were not decided\)$/, "@1 (Näheres wurde nicht entschieden)"],
  [/^a delta of (\S+) or more$/, "ein Delta von $1 oder mehr"],
  [/^a tolerance of (\S+) or more$/, "eine Toleranz von $1 oder mehr"],
  [/^(bounds of .*) wider by (\S+) on each side$/, "auf jeder Seite um $2 weitere @1"],
  [/^(.*), or (.*)$/, "@1, oder @2"],
  [/^(bounds of .*) and (.*)$/, "@1 und $2"],
  [/^bounds of (.*)$/, "Grenzen von $1"],
  [/^(.* for .*) and (a m(?:in|ax) of .*)$/, "@1 und @2"],
  [/^a min of (\S+) or less for (.*)$/, "einen Mindestanteil von $1 oder weniger für $2"],
  [/^a max of (\S+) or more for (.*)$/, "einen Höchstanteil von $1 oder mehr für $2"],
  [/^(.*) and (at (?:least|most) \S+ of .*)$/, "@1 und @2"],
  [/^(.*), (at (?:least|most) \S+ of .*)$/, "@1, @2"],
  [/^at least (\S+) of (.*)$/, "mindestens $1 von $2"],
  [/^at most (\S+) of (.*)$/, "höchstens $1 von $2"],
  [/^row (\d+)$/, "Zeile $1"],
  [/^([A-Z]+\d+)$/, "$1"],
  [/^others$/, "weitere"],
  [/^(.*) and (.*)$/, "@1 und @2"],
  [/^(.*), (.*)$/, "@1, @2"],
];
