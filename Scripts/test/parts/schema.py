"""check_schema.py SCHEMA ACCEPTED INVALID FEWEST: validates the descriptions in two folders with a schema.

All descriptions in ACCEPTED must be valid. Those in INVALID whose names begin with "schema-" must be
invalid; the errors of the others cannot be expressed in a schema. Fails if ACCEPTED has fewer than FEWEST
files, because the tests have then not written what they accept.
"""

import json
import pathlib
import sys

import jsonschema


def documents(folder, pattern):
    for path in sorted(pathlib.Path(folder).glob(pattern)):
        yield path.name, json.loads(path.read_text(encoding="utf-8"))


def complaint(error):
    place = "".join(f"/{part}" for part in error.absolute_path) or "the whole"
    return f"{place}: {error.message}"


def main(schema, accepted, invalid, fewest):
    name = pathlib.Path(schema).name
    schema = json.loads(pathlib.Path(schema).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failures, good, bad = [], 0, 0
    for file, document in documents(accepted, "*.json"):
        good += 1
        failures += [f"{file} is refused: {complaint(e)}" for e in validator.iter_errors(document)]
    for file, document in documents(invalid, "schema-*.json"):
        bad += 1
        if validator.is_valid(document):
            failures.append(f"{file} is accepted")
    if good < int(fewest):
        failures.append(f"{accepted} holds {good} descriptions: run the tests first")
    for failure in failures:
        print(failure, file=sys.stderr)
    print(f"{name}: {good} accepted, {bad} refused, {len(failures)} wrong", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
