"""The model of Documentation/Scale.md: its simulator, and the runs that it reproduces."""

import pathlib
import sys

import pytest

from conftest import ROOT

sys.path.insert(0, str(ROOT / "Benchmarks"))
import python_scale as scale  # noqa: E402


def test_measured_runs_are_reproduced() -> None:
    """The costs are fitted to other runs than those that are checked."""
    found = list(scale.errors(scale.load()))
    assert {run["kind"] for run, _, _ in found} == {"rows", "images"}
    for kind in ("rows", "images"):
        checked = [error for run, _, error in found if run["kind"] == kind and not run["is_fitted"]]
        assert len(checked) >= 3 and max(map(abs, checked)) <= 0.1


def test_the_page_has_the_tables_of_the_record() -> None:
    assert scale.page() == pathlib.Path(scale.PAGE).read_text()


def test_costs_are_recovered_from_exact_runs() -> None:
    costs = scale.Costs(1.5, 0.01, 2e-5)
    runs = [
        {"workers": w, "files": f, "items": n, "is_fitted": True, "seconds": costs.job(w, f, n)}
        for w, f, n in ((1, 1, 1e4), (1, 40, 1e5), (2, 8, 1e6), (4, 4, 1e5))]
    found = scale.fit(runs)
    assert (found.worker, found.file, found.item) == pytest.approx((1.5, 0.01, 2e-5))


QUIET = dict(launch=0.0, launches=1e12, dispatches=1e12, storage=1e18, link=1e18)


def test_a_job_ends_when_its_last_task_does() -> None:
    costs, cluster = scale.Costs(2.0, 0.5, 0.01), scale.Cluster(**QUIET)
    one = scale.simulate(costs, scale.Job(1000, 100, 0, 0), 1, cluster)
    assert one.seconds == pytest.approx(2 + 10 * (0.5 + 1)) and one.limit == "processors"
    # Four tasks of 1.5 s follow one another on two of three workers, and three tasks on the third.
    assert scale.simulate(costs, scale.Job(1000, 100, 0, 0), 3, cluster).seconds == pytest.approx(2 + 4 * 1.5)
    # The last task is smaller; more workers than tasks are not started.
    many = scale.simulate(costs, scale.Job(250, 100, 0, 0), 100, cluster)
    assert many.seconds == pytest.approx(2 + 1.5) and many.processor == pytest.approx(3 * 2 + 3 * 0.5 + 2.5)


def test_each_resource_can_limit_a_job() -> None:
    costs, job = scale.Costs(1.0, 0.01, 1e-4), scale.Job(10_000_000, 1000, 1000, 1e6)
    limits = {
        "scheduler": {**QUIET, "dispatches": 10.0},
        "storage": {**QUIET, "storage": 1e6},
        "start": {**QUIET, "launch": 1e6},
        "processors": QUIET,
    }
    for limit, arguments in limits.items():
        outcome = scale.simulate(costs, job, 50, scale.Cluster(**arguments))
        assert outcome.limit == limit
    slow = scale.simulate(costs, job, 50, scale.Cluster(**{**QUIET, "dispatches": 10.0}))
    assert slow.seconds == pytest.approx(10_000 / 10 + 1, rel=0.01)
    link = scale.simulate(costs, job, 50, scale.Cluster(**{**QUIET, "link": 1e6}))
    assert link.seconds == pytest.approx(1 + 1 + 10e9 / 50 / 1e6, rel=0.01)


def test_large_jobs_continue_the_simulation_of_small_ones() -> None:
    costs, cluster = scale.Costs(1.0, 0.05, 1e-5), scale.Cluster()
    job = scale.Job(100_000 * 1000, 1000, 40, 1e5)
    exact = scale.simulate(costs, job, 200, cluster)
    summed = scale.simulate(costs, job, 200, cluster, max_events=10)
    assert summed.seconds == pytest.approx(exact.seconds, rel=0.05) and summed.limit == exact.limit


def test_a_round_is_limited_by_devices_or_by_the_server() -> None:
    federation = scale.Federation(1e-9, 1e-4, 1e5)
    assert federation.round(10)[1] == "devices"
    seconds, limit = federation.round(10_000_000)
    assert limit == "network" and seconds > 2 * 1e7 * 1e5 / federation.ingress
    assert federation.round(1000)[0] > federation.round(10)[0]
