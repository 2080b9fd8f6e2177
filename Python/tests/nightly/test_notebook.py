"""Executes the notebook of the examples and reads its outputs."""

import pathlib

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

NOTEBOOK = pathlib.Path(__file__).parents[3] / "Examples" / "Notebooks" / "tensorio.ipynb"


def test_the_notebook_runs_and_shows_results(tmp_path: pathlib.Path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    client = nbclient.NotebookClient(
        notebook, timeout=300, kernel_name="python3",
        resources={"metadata": {"path": NOTEBOOK.parent}})
    client.execute()
    nbformat.write(notebook, tmp_path / "executed.ipynb")
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    texts, kinds = [], []
    for cell in cells:
        outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
        texts.append("".join(
            output.get("text", "") or output.get("data", {}).get("text/plain", "")
            for output in outputs))
        kinds.append({kind for output in outputs for kind in output.get("data", {})})
    by_source = {cell.source.splitlines()[-1]: (text, kind) for cell, text, kind in zip(cells, texts, kinds)}
    assert "label='3'" in by_source["result.top(3)"][0]
    assert {"text/html", "image/png"} <= by_source["result"][1]
    assert "image/png" in by_source["found"][1]
    detections = next(text for cell, text in zip(cells, texts) if "found.detections" in cell.source)
    assert detections.count("\n") >= 1
    many = next(text for cell, text in zip(cells, texts) if "digits.map" in cell.source)
    assert many.count("('") == 13 and "('3-1', '3')" in many
    training = next(text for cell, text in zip(cells, texts) if "trainer.fit" in cell.source)
    after = float(training.split("after:")[1].split("'accuracy': ")[1].split("}")[0].split(",")[0])
    assert "epoch 3: loss" in training and after > 0.8
    assert "label=" in texts[-1]
    assert "text/html" in by_source["report"][1] and "top1" in by_source["report"][0]
