"""Results of tasks, drawing and notebooks."""

import pytest

import tensorio
from conftest import BUNDLES


def test_labels_are_ordered_by_score(digits: tensorio.Model, digit: str) -> None:
    result = digits(digit)
    labels = result.top(4)
    assert len(labels) == 4 and labels == sorted(labels, key=lambda entry: -entry.score)
    assert labels[0].label == result.label and isinstance(labels[0].index, int)
    with pytest.raises(ValueError, match="detections"):
        _ = result.detections


def test_detections_have_boxes_in_pixels() -> None:
    model = tensorio.Model(BUNDLES / "shape-detector.tiobundle")
    sample = sorted((BUNDLES / "shape-detector.tiobundle" / "samples").glob("*.[jp][pn]g"))[0]
    result = model(sample)
    assert result.detections
    for found in result.detections:
        assert found.label and 0 < found.score <= 1
        assert found.box.right > found.box.left and found.box.bottom > found.box.top
    image = result.draw()
    assert image.width > 100
    assert result._repr_png_() == result.draw_png()
    assert len(result.to_pandas()) == len(result.detections) if _has("pandas") else True


def test_a_result_is_shown_as_a_table(diabetes: tensorio.Model) -> None:
    result = diabetes([0.1] * 10)
    assert "progression" in result._repr_html_() and "progression" in repr(result)
    assert result._repr_png_() is None
    with pytest.raises(ValueError, match="image"):
        result.draw_png()
    assert list(result.tensors) == ["progression"]


def _has(name: str) -> bool:
    import importlib.util

    return importlib.util.find_spec(name) is not None
