"""Federated digits: ten clients with uneven labels, one of which sends NaN and one of which leaves.

python federated_digits.py FOLDER [--rounds 20] [--bundle PATH] [--strategy fedavg] [--stop-after ROUND]
"""

import argparse
import json
import os
import pathlib
import signal
import sys
from typing import Any

import numpy
from flwr.app import Array, ArrayRecord
from flwr.clientapp.mod import LocalDpMod, fixedclipping_mod
from flwr.serverapp import strategy as strategies
from flwr.simulation import run_simulation

import tensorio.flower

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "Examples" / "Data"
CLIENTS = 10


def images() -> list[tuple[str, int]]:
    return [
        (os.fspath(path), int(path.parent.name))
        for path in sorted((DATA / "digits-training").glob("*/*.png"))]


def partition(index: int, alpha: float = 0.3) -> dict[str, list[Any]]:
    """Returns the images of a client: the shares of each label are drawn from a Dirichlet distribution."""
    generator = numpy.random.default_rng(1)
    found = images()
    mine: list[tuple[str, int]] = []
    for label in range(10):
        of_label = [item for item in found if item[1] == label]
        generator.shuffle(of_label)
        shares = numpy.cumsum(generator.dirichlet([alpha] * CLIENTS))
        edges = [0, *(shares * len(of_label)).astype(int).tolist()]
        edges[-1] = len(of_label)
        mine += of_label[edges[index]:edges[index + 1]]
    return {"image": [path for path, _ in mine], "labels": [[label] for _, label in mine]}


def data(context: Any) -> dict[str, list[Any]]:
    return partition(int(context.node_config["partition-id"]))


def misbehaves(message: Any, context: Any, call_next: Any) -> Any:
    """A mod: client 3 sends NaN from round 5 on, and client 7 leaves after round 8."""
    number = int(message.content["config"]["server-round"])
    client = int(context.node_config["partition-id"])
    if client == 7 and number > 8:
        raise ConnectionError("client 7 has left")
    reply = call_next(message, context)
    if client == 3 and number >= 5 and not reply.has_error():
        reply.content["arrays"] = ArrayRecord({
            name: Array(numpy.full_like(array.numpy(), numpy.nan))
            for name, array in reply.content["arrays"].items()})
    return reply


PRIVATE = ("private-server", "private-clients", "private-updates")


def private(kind: str, options: dict[str, Any]) -> tuple[Any, list[Any]]:
    """Returns a strategy with differential privacy of Flower and the mods that clients need with it."""
    # Little noise, so that a few rounds with ten clients still learn.
    settings = {"noise_multiplier": 0.01, "clipping_norm": 10.0, "num_sampled_clients": CLIENTS}
    average = strategies.FedAvg(**options)
    if kind == "private-server":
        return strategies.DifferentialPrivacyServerSideFixedClipping(average, **settings), []
    if kind == "private-clients":
        return strategies.DifferentialPrivacyClientSideFixedClipping(average, **settings), [fixedclipping_mod]
    return average, [LocalDpMod(clipping_norm=10.0, sensitivity=0.01, epsilon=5.0, delta=1e-5)]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--bundle", default=str(ROOT / "Examples" / "Bundles" / "digits-trainable-tflite.tiobundle"))
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--strategy", default="fedavg")
    parser.add_argument("--stop-after", type=int, help="kill the process after this round")
    parser.add_argument("--well-behaved", action="store_true")
    parser.add_argument("--key")
    arguments = parser.parse_args()
    options: dict[str, Any] = {"fraction_evaluate": 0.0, "min_available_nodes": CLIENTS}
    if arguments.strategy == "fedprox":
        options["proximal_mu"] = 0.1
    if arguments.strategy == "fedadam":
        options.update(eta=0.01)
    strategy: Any = arguments.strategy
    mods = [] if arguments.well_behaved else [misbehaves]
    if strategy in PRIVATE:
        strategy, private_mods = private(strategy, options)
        mods, options = [*mods, *private_mods], {}

    def config(number: int) -> dict[str, Any]:
        rate = 0.02 if number < 14 else 0.005
        return {"epochs": arguments.epochs, "batch-size": 32, "learning_rate": rate}

    def on_round(entry: tensorio.flower.Round) -> None:
        print(json.dumps(vars(entry)), flush=True)
        if arguments.stop_after == entry.round:
            os.kill(os.getpid(), signal.SIGKILL)

    client = tensorio.flower.client_app(
        arguments.bundle, data, train_mods=mods)
    server = tensorio.flower.server_app(
        arguments.bundle, rounds=arguments.rounds, strategy=strategy,
        config=config,
        evaluation=os.fspath(DATA / "digits-held-out"), folder=os.path.join(arguments.folder, "state"),
        export=os.path.join(arguments.folder, "models", "digits"), key=arguments.key,
        on_round=on_round, **options)
    run_simulation(
        server_app=server, client_app=client, num_supernodes=CLIENTS,
        backend_config={"client_resources": {"num_cpus": 1, "num_gpus": 0.0},
                        "init_args": {"address": "local", "num_cpus": 2, "include_dashboard": False}})


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(__file__))
    main()
