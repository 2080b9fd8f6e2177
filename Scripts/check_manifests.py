"""Scripts/check_manifests.py FILES: validates Kubernetes manifests.

Built-in kinds are compared with the schemas of Kubernetes; unknown fields are errors. Of other kinds, the containers and the templates of
pods are compared with them.
"""
import sys

import kubernetes_validate
import yaml

VERSION = "1.31"


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
    if "containers" in value.get("spec", {}):
        return [value]
    return [found for item in value.values() for found in templates(item)]


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
    elif group in ("ray.io", "sparkoperator.k8s.io"):
        for template in templates(document["spec"]):
            metadata = {"name": "pod", **template.get("metadata", {})}
            yield from errors_of({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]})
    else:
        yield from errors_of(document)


def main():
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
