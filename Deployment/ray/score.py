"""Scores a folder of Parquet files on a Ray cluster: python score.py BUNDLE SOURCE OUTPUT [KEEP,…]."""

import sys

import ray
import ray.data

import tensorio.ray

bundle, source, output = sys.argv[1:4]
keep = sys.argv[4].split(",") if len(sys.argv) > 4 else None
# The cluster of RAY_ADDRESS; without it, a local one.
ray.init(log_to_driver=False)
rows = ray.data.read_parquet(source)
tensorio.ray.predict(rows, bundle, keep=keep).write_parquet(output)
scored = ray.data.read_parquet(output)
print(f"{scored.count()} rows, {scored.filter(lambda row: row['error'] is not None).count()} failed")
