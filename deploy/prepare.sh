#!/bin/sh
# Kits, policies, invented people and a job for deploy/compose.yaml, in this folder: prepare.sh <coordinator's host> [user].
set -eu
host=$1
[ ! -e kits ] || exit 0

cat > federation.yaml <<YAML
name: containers
coordinator: { host: $host, port: ${MOIETY_PORT:-7443} }
parties: [bank-a, bank-b, hospital]
analysts: [alice]
YAML
moiety provision federation.yaml -o kits

# Everybody's people are the same ones; each site may use other columns of them.
site() {
  moiety generate people --n 1000 --seed 1 -o "$1.csv"
  cat > "$1.yaml" <<YAML
approval: automatic
analysts: [alice]
algorithms: [f3km]
ids: [person]
features: [$2]
protect: [$3]
YAML
}
site bank-a "age, income" "sex"
site bank-b "balance, debts" ""
site hospital "visits, hours" "ethnicity"

cat > job.yaml <<YAML
k: 4
id: person
parties:
  bank-a: { features: [age, income], protect: [sex] }
  bank-b: { features: [balance, debts] }
  hospital: { features: [visits, hours], protect: [ethnicity] }
YAML
[ $# -lt 2 ] || chown -R "$2" .
