"""Which operators a model that nobody vouches for may use.

How the list was made: from all operators that the pinned TensorFlow registers, those go that have no
kernel for a processor (they cannot run here, or only tests know them) and those that a line of
AGAINST names. What is left was read name by name, stateful ones first: it computes, keeps variables,
tables, queues or random states in the session's own memory, calls functions of the same graph, and
does nothing else. The saver's own operators touch files; they are listed apart, to be allowed for
the files that a checkpoint consists of alone. A new TensorFlow's new operators stay refused until
--write is run again and its difference read.
"""

import argparse
import re
from pathlib import Path

from google.protobuf.message import DecodeError
from tensorflow.core.framework import kernel_def_pb2, op_def_pb2
from tensorflow.core.protobuf import saved_model_pb2
from tensorflow.python.client import pywrap_tf_session as c_api

SWIFT = Path("Sources/TensorIOTensorFlow/Trust/AllowedOperators.swift")

SAVER = [
    "MergeV2Checkpoints", "Restore", "RestoreSlice", "RestoreV2",
    "Save", "SaveSlices", "SaveV2", "ShardedFilename", "ShardedFilespec",
]  # fmt: skip

# TensorFlow puts others in its place before it looks for a kernel.
REPLACED = {"AccumulateNV2"}

AGAINST = [
    ("touches files as the saver does", "|".join(SAVER)),
    ("reads files",
     "ReadFile|MatchingFiles|ImmutableConst|RecordInput|LoadAndRemapMatrix|GenerateVocabRemapping|"
     "InitializeTableFromTextFile.*|.*Reader.*|.*LMDB.*|FixedUnigramCandidateSampler|Skipgram|"
     "DTensorRestore.*|FileSystemSetConfiguration"),
    ("reads a file that describes messages", "DecodeProtoV2|EncodeProto"),
    ("writes files", "WriteFile|DistributedSave|CalibrationStatisticsSaver|CustomAggregator"),
    ("writes what TensorBoard reads",
     "SummaryWriter|(Create|Close|Flush)Summary.*|Write.*Summary|ImportEvent"),
    ("prints, or sends copies of tensors to files and addresses",
     "Print.*|Debug(Identity|NanCount|NumericSummary).*|DumpTensor|Copy|CopyHost"),
    ("calls Python", ".*PyFunc.*"),
    ("talks with other processes",
     ".*Rpc.*|RemoteCall|(Host|Xla|_)?(Send|Recv).*|.*Collective.*|Nccl.*|.*DataService.*|"
     "WorkerHeartbeat|SyncDevice|DTensor.*|Relayout.*|CopyToMesh.*"),
    ("belongs to accelerators",
     ".*T[Pp][Uu].*|.*Infeed.*|.*Outfeed.*|Prelinearize.*|.*SparseCore.*|.*Dedup.*|.*Minibatch.*|"
     "Cudnn.*|GlobalIterId|AllToAll|Cross(Replica)Sum|UpdateTaskId.*|ConvertToCooTensor"),
    ("compiles a program that is given as text, or another graph",
     ".*Xla.*|Mlir.*|DatasetFromGraph|DatasetToGraph.*|TfLite.*|Risc.*"),
    ("reads data by itself: it opens files, or runs a graph of its own",
     ".*Dataset.*|.*Iterator.*|Optional(FromValue|GetValue|HasValue|None)|"
     ".*StatsAggregator.*|.*ThreadPool.*|.*MemoryCache|.*SeedGenerator|.*IterationCounter|CompressElement|"
     "UncompressElement|GetElementAtIndex|GetOptions|MapDefun|WindowOp|ListSnapshotChunks.*"),
    ("serves others: it waits for them, or reaches into their sessions",
     "Batch|Unbatch|UnbatchGrad|BatchFunction|(Get|Delete)Session.*|(Ordered)?Map(Clear|Incomplete.*|"
     "Peek|Size|Stage|Unstage.*)|(Uns|S)tage.*|Barrier.*|GetDeadline"),
    ("ends or halts the process", "Abort|Sleep.*"),
    ("is there for TensorFlow's tests and inner workings",
     "_.*|Namespace>.*|Test.*|Fact|NegTrain|Stub.*|Resource(Create|Initialized|Using)Op|KernelLabel.*|"
     "GraphDefVersion|RequiresOlderGraphVersion|Old|None|FakeQueue|DtypeWithDefaultOp|"
     "DevicePlacementOp|CheckPinned|ConstructionFails|MakeWeakResourceHandle"),
]  # fmt: skip

HEAD = """\
/// What the operators of a model do that nobody vouches for: compute, and nothing else.
///
/// Made by `Scripts/tensorflow-operators --write`, which says what is missing here and why.
enum AllowedOperators {
  /// Those that keep to the session's own memory.
  static let names = Set(list.split(separator: "\\n").map(String.init))

  /// Those by which a checkpoint is saved and restored.
  static let saver: Set<String> = [
SAVER
  ]

  private static let list = \"\"\"
"""


def operators():
    """All operators of the wheel, by name: whether they are stateful."""
    listed = op_def_pb2.OpList.FromString(c_api.TF_GetBuffer(c_api.TF_GetAllOpList()))
    return {operator.name: operator.is_stateful for operator in listed.op}


def with_kernels():
    """The operators that a processor has a kernel for."""
    content = c_api.TF_GetBuffer(c_api.TF_GetAllRegisteredKernels())
    kernels = kernel_def_pb2.KernelList.FromString(content).kernel
    return REPLACED | {kernel.op for kernel in kernels if kernel.device_type in ("CPU", "DEFAULT")}


def reason_against(name, runnable):
    for reason, pattern in AGAINST:
        if re.fullmatch(pattern, name):
            return reason
    return None if name in runnable else "has no kernel"


def reviewed():
    runnable = with_kernels()
    return {name: (stateful, reason_against(name, runnable)) for name, stateful in operators().items()}


def swift(names):
    saver = "\n".join(f'    "{name}",' for name in SAVER)
    lines = "".join(f"    {name}\n" for name in sorted(names))
    return HEAD.replace("SAVER", saver) + lines + '    """\n}\n'


def used(path):
    """The operators of a SavedModel, its functions' among them, that are no calls of functions."""
    try:
        model = saved_model_pb2.SavedModel.FromString(path.read_bytes())
    except DecodeError:
        yield "(cannot be read)"
        return
    for graph in model.meta_graphs:
        library = graph.graph_def.library.function
        own = {function.signature.name for function in library}
        for nodes in [graph.graph_def.node, *(function.node_def for function in library)]:
            yield from (node.op for node in nodes if node.op not in own)


def check(folders):
    allowed = set(re.findall(r'^ +"?(\w+)"?,?$', SWIFT.read_text(), re.MULTILINE))
    paths = [path for folder in folders for path in sorted(Path(folder).rglob("saved_model.pb"))]
    missing = [f"{path}: {name}" for path in paths for name in sorted(set(used(path)) - allowed)]
    print("\n".join(missing) or f"{len(paths)} SavedModels use allowed operators only")
    return 1 if missing or not paths else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", nargs="+", default=[])
    given = parser.parse_args()
    if given.check:
        return check(given.check)
    review = reviewed()
    if given.write:
        SWIFT.parent.mkdir(parents=True, exist_ok=True)
        SWIFT.write_text(swift([name for name, (_, reason) in review.items() if not reason]))
        return 0
    for name, (stateful, reason) in sorted(review.items()):
        print(f"{name}\t{'stateful' if stateful else ''}\t{reason or 'allowed'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
