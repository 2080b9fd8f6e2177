"""Scores a folder of Parquet files on a Dask cluster: python score.py SCHEDULER BUNDLE SOURCE OUTPUT [KEEP,…]."""

import sys

import dask.dataframe
from dask.distributed import Client

import tensorio.dask

scheduler, bundle, source, output = sys.argv[1:5]
keep = sys.argv[5].split(",") if len(sys.argv) > 5 else None
client = Client(scheduler, timeout=120)
rows = dask.dataframe.read_parquet(source)
tensorio.dask.predict(rows, bundle, keep=keep).to_parquet(output)
scored = dask.dataframe.read_parquet(output)
print(f"{len(scored)} rows, {int(scored['error'].notnull().sum().compute())} failed")
client.close()
