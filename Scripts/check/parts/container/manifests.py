"""Scripts/check/parts/container/manifests.py FILES: validates Kubernetes manifests.

Built-in kinds are compared with the schemas of Kubernetes; unknown fields are errors. Of other kinds, the containers and the templates of
pods are compared with them. The other fields of the kinds of KubeRay, the Spark operator and the Prometheus operator are those of
`operator_schemas.py`. Servers have an image with a version, a number of worker threads that follows their processors, and metrics that need
no token; policies and monitors name ports that the pods of the same folder have.

Scripts/check/parts/container/manifests.py --selftest FILES: changes the manifests of these operators so that each is wrong in one field, and
fails if a change is not found.
"""
import copy
import os
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


def server_errors(container, annotations):
    """Compares the arguments of a server with the rest of its pod."""
    tag = container["image"].partition(":")[2]
    if tag in ("", "latest"):
        yield f"the image {container['image']} has no version"
    options = dict(argument.removeprefix("--").partition("=")[::2] for argument in container["args"])
    if "workers" not in options and "cpu" not in container["resources"].get("limits", {}):
        yield "neither --workers nor a limit on processors, so that there is a thread for each processor of the node"
    ports = {str(port["containerPort"]) for port in container["ports"]}
    for option in ("port", "metrics-port"):
        if options.get(option) not in ports:
            yield f"the container has no port for --{option}"
    scraped = [value for name, value in annotations.items() if name in ("prometheus.io/port", "prometheus.kserve.io/port")]
    if scraped != [options.get("metrics-port")]:
        yield f"scrapers use the port {', '.join(scraped)} instead of that of --metrics-port"


def server_pods(documents):
    """Returns the labels and ports of the pods of servers."""
    for document in documents:
        if document.get("kind") == "Deployment":
            template = document["spec"]["template"]
            yield template["metadata"]["labels"], template["spec"]["containers"][0]["ports"]
        elif document.get("kind") == "ClusterServingRuntime":
            yield document["spec"]["labels"], document["spec"]["containers"][0]["ports"]


def reference_errors(document, documents):
    """Finds selectors and ports of a policy or monitor that no pod has."""
    spec = document["spec"]
    if document["kind"] == "NetworkPolicy":
        labels, used = spec["podSelector"]["matchLabels"], [rule["ports"] for rule in spec["ingress"]]
        ports = [port["port"] for rule in used for port in rule]
    elif document["kind"] == "PodMonitor":
        labels, ports = spec["selector"]["matchLabels"], [end["port"] for end in spec["podMetricsEndpoints"]]
    else:
        return
    pods = [ports for found, ports in server_pods(documents) if labels.items() <= found.items()]
    if not pods:
        yield f"no pod has the labels {labels}"
    for port in ports:
        if not all(any(port in (one.get("name"), one["containerPort"]) for one in pod) for pod in pods):
            yield f"the pods have no port {port}"


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
            yield from server_errors(containers[0], document["spec"]["annotations"])
            if [container["name"] for container in containers] != ["kserve-container"]:
                yield "the only container must be called kserve-container"
            yield from errors_of(pod(containers))
        elif document["kind"] == "InferenceService":
            model = document["spec"]["predictor"]["model"]
            # A service without a model serves those that its agent adds, and names the runtime for it.
            missing = {"modelFormat"} - model.keys()
            if missing or not {"storageUri", "runtime"} & model.keys():
                yield f"model lacks {', '.join(sorted(missing or {'storageUri'}))}"
        elif document["kind"] == "TrainedModel":
            found = document["spec"].keys() | {f"model.{name}" for name in document["spec"]["model"]}
            expected = {"inferenceService", "model", "model.framework", "model.storageUri", "model.memory"}
            if found != expected:
                yield f"missing or unknown: {', '.join(sorted(found ^ expected))}"
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
        if document["kind"] == "Deployment":
            template = document["spec"]["template"]
            yield from server_errors(template["spec"]["containers"][0], template["metadata"]["annotations"])


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
FREE = {"sparkConf", "rayStartParams", "clusterSelector", "labels", "matchLabels", "limits", "requests", "emptyDir"}


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
    failed, folders = False, {}
    for path in sys.argv[1:]:
        with open(path) as file:
            folder = folders.setdefault(os.path.dirname(path), [])
            folder += [(path, document) for document in yaml.safe_load_all(file)]
    for folder in folders.values():
        documents = [document for _, document in folder]
        for path, document in folder:
            if "kind" not in document:
                print(f"ok     {path}: values of a chart")
                continue
            found = [*check(document), *reference_errors(document, documents)]
            failed = failed or bool(found)
            for error in found:
                print(f"FAILED {path}: {document['kind']}: {error}")
            if not found:
                print(f"ok     {path}: {document['kind']}")
    sys.exit(1 if failed else 0)


main()
