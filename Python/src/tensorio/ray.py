"""Scores Ray datasets, and serves bundles with Ray Serve.

>>> import ray, tensorio.ray  # doctest: +SKIP
>>> rows = ray.data.read_parquet("rows")  # doctest: +SKIP
>>> tensorio.ray.predict(rows, "diabetes.tiobundle").write_parquet("scored")  # doctest: +SKIP
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from typing import Any

from ._bundles import PortableBundle, open_count
from ._imports import require
from ._scoring import ERROR, ERROR_CODE, RowError, Scoring, json_value, scoring

__all__ = [
    "PortableBundle", "Predictor", "RowError", "Scoring", "Server", "application", "open_count",
    "options", "predict",
]


class Predictor:
    """A callable class for ``Dataset.map_batches``, which opens the model once per actor.

    >>> ds.map_batches(tensorio.ray.Predictor, fn_constructor_args=("d.tiobundle",),
    ...                **tensorio.ray.options())  # doctest: +SKIP

    Args:
        bundle: A bundle, the path of one that all nodes can read, or a reference to a bundle in the
            object store.
        options: The fields of `Scoring`. The number of threads is that of the actor's processors.
    """

    def __init__(self, bundle: Any, **options: Any) -> None:
        ray = require("ray", "ray[data]")
        if isinstance(bundle, ray.ObjectRef):
            bundle = ray.get(bundle)
        options.setdefault("threads", _assigned_threads(ray))
        self._scorer = scoring(bundle, **options).open()

    def __call__(self, batch: Any) -> Any:
        """Returns the results of a batch of numpy arrays, pandas or Arrow as an Arrow table."""
        return self._scorer.score(batch)


def options(
    *, actors: int | None = None, cpus_per_actor: float | None = None, batch_size: int = 1024,
    batch_format: str = "pyarrow",
) -> dict[str, Any]:
    """Returns arguments of ``map_batches`` that leave a processor for the tasks that read and write.

    Actors hold their processors until the job ends. If they hold all of them, no task can read the
    data, and the job waits indefinitely.

    Args:
        actors: The number of actors; by default, one per processor on a single node, and one per
            processor but one in a cluster.
        cpus_per_actor: The processors that each actor holds, as a number that Ray reckons with; by
            default, an equal part of all but one on a single node, and one in a cluster.
        batch_size: The number of rows of a batch.
        batch_format: ``pyarrow``, ``numpy`` or ``pandas``.

    Raises:
        ValueError: The actors could leave no processor.
    """
    data = require("ray.data", "ray[data]")
    nodes = _processors(require("ray", "ray[data]"))
    total = sum(nodes)
    if cpus_per_actor is not None:
        share = cpus_per_actor
    elif len(nodes) == 1:
        # A single node has room for an actor per processor, which hold all processors but one together.
        share = max(0.0, total - 1) / (actors or max(1, int(total)))
    else:
        share = 1 if total > 1 else 0
    share = float(int(share)) if share > 1 else share
    count = actors or max(1, int(total) if len(nodes) == 1 else int((total - 1) / max(share, 1)))
    if _may_fill(nodes, count, share):
        raise ValueError(
            f"{count} actors with {share:g} processors each may leave no whole processor of the {total:g} for "
            f"tasks that read; use fewer actors or processors")
    return {
        "compute": data.ActorPoolStrategy(size=count), "num_cpus": share, "batch_size": batch_size,
        "batch_format": batch_format,
    }


def _processors(ray: Any) -> list[float]:
    """Returns the processors of each node that has some."""
    if not ray.is_initialized():
        return [float(os.cpu_count() or 1)]
    found = [float(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"]]
    return [count for count in found if count > 0] or [1.0]


def _may_fill(nodes: list[float], actors: int, share: float) -> bool:
    """Whether actors can be placed so that no node has a whole processor left."""
    if share <= 0:
        return False
    needed = 0
    for processors in nodes:
        # The fewest actors that leave less than a processor of this node.
        count = int(max(0.0, processors - 1) / share + 1e-9) + 1
        if processors >= 1 and count * share > processors + 1e-9:
            return False
        needed += count if processors >= 1 else 0
    return needed <= actors


def predict(
    dataset: Any, bundle: PortableBundle | str | os.PathLike[str] | Scoring, *, send: bool = True,
    actors: int | None = None, cpus_per_actor: float | None = None, batch_size: int | None = None,
    **settings: Any,
) -> Any:
    """Returns a dataset with the results of a dataset's rows.

    Args:
        dataset: The dataset.
        bundle: The bundle.
        send: Whether the files of a bundle that is given by its path travel through the object
            store; if not, all nodes must be able to read the path.
        actors: The number of actors; see `options`.
        cpus_per_actor: The processors that each actor holds; see `options`.
        batch_size: The number of rows of a batch; by default, 64 with files and 8192 without.
        settings: The fields of `Scoring`.
    """
    ray = require("ray", "ray[data]")
    if send and isinstance(bundle, (str, os.PathLike)):
        bundle = PortableBundle.pack(bundle)
    found = scoring(bundle, **settings)
    size = batch_size or found.open().batch_size
    return dataset.map_batches(
        Predictor, fn_constructor_args=(ray.put(found),),
        **options(actors=actors, cpus_per_actor=cpus_per_actor, batch_size=size))


def _assigned_threads(ray: Any) -> int:
    try:
        resources = ray.get_runtime_context().get_assigned_resources()
    except Exception:  # Outside of an actor, there are none.
        return 1
    return max(1, int(resources.get("CPU", 1)))


class Server:
    """A deployment of Ray Serve: requests that arrive together run as one batch.

    A request is a row in JSON (an object with the inputs or features by name), a list of rows, or
    an encoded image or sound. In JSON, files are ``{"b64": "…"}``; paths are rejected. The response has the results by name, in a list for a list of rows. A row that
    fails has ``error`` and ``error_code``; the status of a single one is 422.

    Args:
        bundle: The bundle.
        max_batch_size: How many rows run together.
        batch_wait_timeout_s: How long a row waits for others.
        options: The fields of `Scoring`.
    """

    def __init__(
        self, bundle: Any, *, max_batch_size: int = 32, batch_wait_timeout_s: float = 0.005,
        **options: Any,
    ) -> None:
        ray, serve = require("ray", "ray[serve]"), require("ray.serve", "ray[serve]")
        options.setdefault("threads", _assigned_threads(ray))
        scorer = scoring(bundle, **options).open()

        async def score(rows: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
            return await asyncio.to_thread(scorer.score_rows, rows)

        self._input = scorer.model.inputs[0] if len(scorer.model.inputs) == 1 else None
        self._file_inputs = any(layer.type in ("image", "audio") for layer in scorer.model.inputs)
        self._score = serve.batch(
            max_batch_size=max_batch_size, batch_wait_timeout_s=batch_wait_timeout_s)(score)

    async def predict(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the results of a row, for calls through a deployment handle."""
        return await self._score(row)  # type: ignore[no-any-return]

    async def __call__(self, request: Any) -> Any:
        """Answers a request over HTTP."""
        import json

        responses = require("starlette.responses", "ray[serve]")
        body = await request.body()
        content_type = request.headers.get("content-type", "").partition(";")[0].strip()
        if content_type in ("application/json", ""):
            try:
                value = json.loads(body)
            except ValueError as error:
                return self._response(responses, {ERROR: f"invalid JSON: {error}",
                                                  ERROR_CODE: "invalid-json"}, 400)
        elif self._input is not None and self._input.type in ("image", "audio"):
            return self._outcome(responses, await self.predict({self._input.name: body}))
        else:
            return self._response(responses, {ERROR: f"unsupported content type '{content_type}'",
                                              ERROR_CODE: "unsupported"}, 415)
        if isinstance(value, list) and all(isinstance(row, dict) for row in value):
            rows = await asyncio.gather(*[self._attempt(row) for row in value])
            return self._response(responses, list(rows), 200)
        if not isinstance(value, dict):
            return self._response(responses, {ERROR: "expected an object, or a list of objects",
                                              ERROR_CODE: "invalid-value"}, 400)
        return self._outcome(responses, await self._attempt(value))

    def _outcome(self, responses: Any, result: dict[str, Any]) -> Any:
        return self._response(responses, result, 422 if ERROR in result else 200)

    async def _attempt(self, row: dict[str, Any]) -> dict[str, Any]:
        """Runs a row of a request, which may not name files of this machine."""
        import base64

        decoded = {}
        for name, value in row.items():
            if isinstance(value, dict) and value.keys() == {"b64"}:
                try:
                    value = base64.b64decode(value["b64"], validate=True)
                except (TypeError, ValueError):
                    return {ERROR: f"'{name}': invalid Base64", ERROR_CODE: "invalid-value"}
            elif self._file_inputs and isinstance(value, (str, dict)):
                return {ERROR: f"'{name}': expected {{\"b64\": \"…\"}}", ERROR_CODE: "wrong-type"}
            decoded[name] = value
        return await self.predict(decoded)

    def _response(self, responses: Any, value: Any, status: int) -> Any:
        import json

        text = json.dumps(json_value(value), allow_nan=False)
        return responses.Response(text, status_code=status, media_type="application/json")


def application(
    bundle: PortableBundle | str | os.PathLike[str] | Scoring, *, name: str | None = None,
    num_replicas: int | str | None = None, num_cpus: float = 1, max_batch_size: int = 32,
    batch_wait_timeout_s: float = 0.005, **settings: Any,
) -> Any:
    """Returns an application for ``serve.run``, with replicas that accept a full batch.

    Args:
        bundle: The bundle; a path must be one that all nodes can read.
        name: The name of the deployment; by default, that of the class.
        num_replicas: The number of replicas, or ``auto``.
        num_cpus: The processors, and so the threads, of a replica.
        max_batch_size: How many rows run together.
        batch_wait_timeout_s: How long a row waits for others.
        settings: The fields of `Scoring`.
    """
    serve = require("ray.serve", "ray[serve]")
    options: dict[str, Any] = {
        "ray_actor_options": {"num_cpus": num_cpus}, "max_ongoing_requests": 2 * max_batch_size}
    if name is not None:
        options["name"] = name
    if num_replicas is not None:
        options["num_replicas"] = num_replicas
    return serve.deployment(Server).options(**options).bind(
        scoring(bundle, **settings), max_batch_size=max_batch_size,
        batch_wait_timeout_s=batch_wait_timeout_s)
