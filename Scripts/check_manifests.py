"""Scripts/check_manifests.py FILES: validates Kubernetes manifests.

Built-in kinds are compared with the schemas of Kubernetes; unknown fields are errors. Of other kinds, the containers and the templates of
pods are compared with them. The other fields of the kinds of KubeRay, the Spark operator and the Prometheus operator are those of
`operator_schemas.py`.

Scripts/check_manifests.py --selftest FILES: changes the manifests of these operators so that each is wrong in one field, and
fails if a change is not found.
"""
import copy
import sys

import jsonschema
import kubernetes_validate
import yaml

import operator_schemas

VERSION = "1.31"
# The groups of kinds whose fields `operator_schemas.py` lists.
OPERATORS = {api.split("/")[0] for api, _ in operator_schemas.SPECS}


def errors_of(document):
    try:
        kubernetes_validate.validate(document, VERSION, strict=True)
    except kubernetes_validate.ValidationError as error:
        yield f"{'.'.join(str(part) for part in error.path)}: {error.message}"


def pod(containers):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"}, "spec": {"containers": containers}}


def templates(value):
    """Returns the templates of pods in a value."""
    if isinstance(value, list):
        return [found for item in value for found in templates(item)]
    if not isinstance(value, dict):
        return []
    named = [item for name, item in value.items() if name in ("template", "submitterPodTemplate")]
    return named + [found for item in value.values() for found in templates(item)]


def check(document):
    group = document["apiVersion"].split("/")[0]
    if group == "serving.kserve.io":
        if document["kind"] == "ClusterServingRuntime":
            containers = document["spec"]["containers"]
            if [container["name"] for container in containers] != ["kserve-container"]:
                yield "the only container must be called kserve-container"
            yield from errors_of(pod(containers))
        elif document["kind"] == "InferenceService":
            model = document["spec"]["predictor"]["model"]
            missing = {"modelFormat", "storageUri"} - model.keys()
            if missing:
                yield f"model lacks {', '.join(sorted(missing))}"
        else:
            yield f"unknown kind {document['kind']}"
    elif group in OPERATORS:
        schema = operator_schemas.SPECS.get((document["apiVersion"], document["kind"]))
        if schema is None:
            yield f"unknown kind {document['apiVersion']} {document['kind']}"
            return
        if unknown := document.keys() - {"apiVersion", "kind", "metadata", "spec"}:
            yield f"unknown fields {', '.join(sorted(unknown))}"
        found = list(jsonschema.Draft202012Validator(schema).iter_errors(document["spec"]))
        yield from (f"spec.{'.'.join(str(part) for part in error.path)}: {error.message}" for error in found)
        if found:
            return
        for template in templates(document["spec"]):
            metadata = {"name": "pod", **template.get("metadata", {})}
            yield from errors_of({"apiVersion": "v1", "kind": "Pod", "spec": {}, **template, "metadata": metadata})
    else:
        yield from errors_of(document)


def changes(value, path=()):
    """Yields functions that make a manifest wrong in one field, and what they do."""
    for key in value if isinstance(value, dict) else range(len(value)):
        item, place = value[key], (*path, key)
        if isinstance(value, dict) and path and path[-1] not in FREE:
            yield place, "another name", lambda parent, key=key: parent.update({f"{key}x": parent.pop(key)})
            yield place, "another type", lambda parent, key=key: parent.update({key: 1.5})
        if isinstance(item, (dict, list)):
            yield from changes(item, place)


# Maps whose keys are free, and parts of pods whose values are quantities or depend on others.
FREE = {"sparkConf", "rayStartParams", "clusterSelector", "labels", "limits", "requests", "emptyDir"}


def selftest(paths):
    count, missed = 0, []
    for path in paths:
        with open(path) as file:
            documents = [
                item for item in yaml.safe_load_all(file) if item and item.get("apiVersion", "").split("/")[0] in OPERATORS]
        for document in documents:
            for place, what, change in changes({"spec": document["spec"]}):
                changed = copy.deepcopy(document)
                parent = changed
                for key in place[:-1]:
                    parent = parent[key]
                change(parent)
                count += 1
                if not list(check(changed)):
                    missed.append(f"{path}: {document['kind']}: {'.'.join(map(str, place))} with {what}")
    for text in missed:
        print(f"FAILED {text}: no error")
    print(f"{count} wrong manifests, {len(missed)} without an error")
    sys.exit(1 if missed or not count else 0)


def main():
    if sys.argv[1:2] == ["--selftest"]:
        selftest(sys.argv[2:])
    failed = False
    for path in sys.argv[1:]:
        with open(path) as file:
            for document in yaml.safe_load_all(file):
                if "kind" not in document:
                    print(f"ok     {path}: values of a chart")
                    continue
                found = list(check(document))
                failed = failed or bool(found)
                for error in found:
                    print(f"FAILED {path}: {document['kind']}: {error}")
                if not found:
                    print(f"ok     {path}: {document['kind']}")
    sys.exit(1 if failed else 0)


main()
