"""Scores Parquet files with Spark: spark-submit score.py BUNDLE SOURCE OUTPUT [KEEP,…]."""

import sys

from pyspark.sql import SparkSession

import tensorio.spark

path, source, output = sys.argv[1:4]
keep = sys.argv[4].split(",") if len(sys.argv) > 4 else None
spark = SparkSession.builder.appName("tensorio-score").getOrCreate()
bundle = tensorio.spark.add(spark, path)
rows = spark.read.parquet(source)
tensorio.spark.predict(rows, bundle, keep=keep).write.parquet(output)
scored = spark.read.parquet(output)
print(f"{scored.count()} rows, {scored.where('error is not null').count()} failed")
spark.stop()
