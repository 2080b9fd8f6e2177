"""The fields of the kinds of KubeRay, of the Spark operator and of the Prometheus operator, as their operators declare them.

The schemas of KubeRay 1.5 (`ray.io/v1`), of the Spark operator 2 (`sparkoperator.k8s.io/v1beta2`), and of alert rules and monitors of pods
(`monitoring.coreos.com/v1`), without what lies in templates of pods, which `check_manifests.py` compares with those of
Kubernetes. The operators drop unknown fields without an error. Each alert needs a severity and a summary here.
"""

STRING, INTEGER, NUMBER, BOOLEAN = ({"type": name} for name in ("string", "integer", "number", "boolean"))
# Parts whose fields are not listed.
OBJECT, OBJECTS = {"type": "object"}, {"type": "array", "items": {"type": "object"}}
STRINGS, TEXTS = {"type": "object", "additionalProperties": STRING}, {"type": "array", "items": STRING}


def one_of(*values):
    return {"enum": list(values)}


def fields(required="", **types):
    return {
        "type": "object", "additionalProperties": False, "required": required.split(),
        "properties": {name.rstrip("_"): type for name, type in types.items()}}


RAY_GROUP = {"rayStartParams": STRINGS, "resources": STRINGS, "labels": STRINGS, "template": OBJECT}

RAY_CLUSTER = fields(
    "headGroupSpec", rayVersion=STRING, suspend=BOOLEAN, managedBy=STRING, enableInTreeAutoscaling=BOOLEAN,
    autoscalerOptions=OBJECT, gcsFaultToleranceOptions=OBJECT, headServiceAnnotations=STRINGS, authOptions=OBJECT,
    upgradeStrategy=OBJECT,
    headGroupSpec=fields(
        "template", serviceType=STRING, headService=OBJECT, enableIngress=BOOLEAN, **RAY_GROUP),
    workerGroupSpecs={"type": "array", "items": fields(
        "groupName template minReplicas maxReplicas", groupName=STRING, replicas=INTEGER, minReplicas=INTEGER,
        maxReplicas=INTEGER, idleTimeoutSeconds=INTEGER, numOfHosts=INTEGER, suspend=BOOLEAN, scaleStrategy=OBJECT,
        **RAY_GROUP)})

RAY_JOB = fields(
    "", entrypoint=STRING, entrypointNumCpus=NUMBER, entrypointNumGpus=NUMBER, entrypointResources=STRING, jobId=STRING,
    metadata=STRINGS, runtimeEnvYAML=STRING, submissionMode=STRING, submitterPodTemplate=OBJECT, submitterConfig=OBJECT,
    clusterSelector=STRINGS, rayClusterSpec=RAY_CLUSTER, backoffLimit=INTEGER, activeDeadlineSeconds=INTEGER,
    shutdownAfterJobFinishes=BOOLEAN, ttlSecondsAfterFinished=INTEGER, deletionStrategy=OBJECT, suspend=BOOLEAN,
    managedBy=STRING)

SPARK_POD = {
    "cores": INTEGER, "coreRequest": STRING, "coreLimit": STRING, "memory": STRING, "memoryOverhead": STRING,
    "memoryLimit": STRING, "gpu": OBJECT, "image": STRING, "env": OBJECTS, "envFrom": OBJECTS, "labels": STRINGS,
    "annotations": STRINGS, "configMaps": OBJECTS, "secrets": OBJECTS, "volumeMounts": OBJECTS, "affinity": OBJECT,
    "tolerations": OBJECTS, "nodeSelector": STRINGS, "podSecurityContext": OBJECT, "securityContext": OBJECT,
    "serviceAccount": STRING, "initContainers": OBJECTS, "sidecars": OBJECTS, "javaOptions": STRING,
    "priorityClassName": STRING, "terminationGracePeriodSeconds": INTEGER, "template": OBJECT}

SPARK_APPLICATION = fields(
    "type sparkVersion mainApplicationFile driver executor", type=one_of("Java", "Python", "Scala", "R"),
    pythonVersion=one_of("2", "3"), mode=one_of("cluster", "client"), sparkVersion=STRING, image=STRING,
    imagePullPolicy=STRING, imagePullSecrets=TEXTS, mainApplicationFile=STRING, mainClass=STRING, arguments=TEXTS,
    sparkConf=STRINGS, hadoopConf=STRINGS, sparkConfigMap=STRING, hadoopConfigMap=STRING, deps=OBJECT, volumes=OBJECTS,
    dynamicAllocation=OBJECT, monitoring=OBJECT, batchScheduler=STRING, timeToLiveSeconds=INTEGER, suspend=BOOLEAN,
    restartPolicy=fields(
        "", type=one_of("Never", "Always", "OnFailure"), onFailureRetries=INTEGER, onFailureRetryInterval=INTEGER,
        onSubmissionFailureRetries=INTEGER, onSubmissionFailureRetryInterval=INTEGER),
    driver=fields("", podName=STRING, serviceLabels=STRINGS, serviceAnnotations=STRINGS, **SPARK_POD),
    executor=fields("", instances=INTEGER, deleteOnTermination=BOOLEAN, **SPARK_POD))

DURATION = {"type": "string", "pattern": "^[0-9]+(s|m|h|d)$"}

ALERT_RULES = fields("groups", groups={"type": "array", "items": fields(
    "name rules", name=STRING, interval=DURATION, rules={"type": "array", "items": fields(
        "alert expr labels annotations", alert=STRING, expr=STRING, for_=DURATION, keep_firing_for=DURATION,
        labels={**STRINGS, "required": ["severity"]},
        annotations=fields("summary description", summary=STRING, description=STRING, runbook_url=STRING))})})

POD_MONITOR = fields(
    "selector podMetricsEndpoints", jobLabel=STRING, podTargetLabels=TEXTS, sampleLimit=INTEGER,
    selector=fields("matchLabels", matchLabels=STRINGS), namespaceSelector=fields("", any=BOOLEAN, matchNames=TEXTS),
    podMetricsEndpoints={"type": "array", "items": fields(
        "port", port=STRING, path=STRING, scheme=one_of("http", "https"), interval=DURATION, scrapeTimeout=DURATION,
        honorLabels=BOOLEAN)})

SPECS = {
    ("monitoring.coreos.com/v1", "PodMonitor"): POD_MONITOR,
    ("monitoring.coreos.com/v1", "PrometheusRule"): ALERT_RULES,
    ("ray.io/v1", "RayCluster"): RAY_CLUSTER,
    ("ray.io/v1", "RayJob"): RAY_JOB,
    ("sparkoperator.k8s.io/v1beta2", "SparkApplication"): SPARK_APPLICATION,
}
