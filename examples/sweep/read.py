# Reads the rows of a sweep with pandas and with DuckDB (pip install pandas pyarrow duckdb):
#   python read.py incast.sweep
# Columns are described in docs/formats/sweep.md, and in sweep.json with their units.

import json
import sys

import duckdb
import pandas

folder = sys.argv[1]
with open(f"{folder}/sweep.json") as file:
    sweep = json.load(file)
setting = f"set.{sweep['settings'][0]['path']}"

print(f"{sweep['name']}: {sweep['ended']} of {sweep['runs']} runs, {len(sweep['columns'])} columns")

# pandas: the mean of each value over its seeds, and how far seeds lie apart
runs = pandas.read_parquet(f"{folder}/runs.parquet")
finished = runs[runs["outcome"] == "finished"]
print("\npandas: completion times and notifications of marks")
table = finished.groupby(setting, sort=False).agg(
    mean_us=("fct.meanNs", lambda ns: ns.mean() / 1000),
    deviation_us=("fct.meanNs", lambda ns: ns.std() / 1000),
    notifications=("counters.notifications", "mean"),
)
print(table.round(1).to_string())

# DuckDB: the same from the CSV, in SQL; names with dots stand in double quotes
print("\nDuckDB: pauses, and runs whose checks all passed")
rows = duckdb.sql(
    f"""
    select "{setting}" as value,
           round(avg("counters.pauseFrames"), 1) as pauses,
           count(*) filter (verdict = 'passed') as passed
    from '{folder}/runs.csv'
    group by value
    order by min(run)
    """
).fetchall()
for value, pauses, passed in rows:
    print(f"{value:>8} {pauses:>8} {passed:>4}")
