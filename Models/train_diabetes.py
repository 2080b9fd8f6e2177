"""Progression of diabetes: ten measurements of a patient in, one number out."""

import reproducible

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error, r2_score
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from bundle import Bundle, described
from conversion import convert
from litert import Runner

PENALTIES = [0.1, 1, 3, 10, 30, 100]
SAMPLES = 6
TOLERANCE = 0.01


class Regression(tf.Module):
    """Builds the graph, which includes the standardization, so that it takes raw measurements."""

    def __init__(self, pipeline):
        super().__init__()
        scaler, ridge = pipeline[0], pipeline[-1]
        self.mean, self.deviation = np.float32(scaler.mean_), np.float32(scaler.scale_)
        self.weights = np.float32(ridge.coef_).reshape(-1, 1)
        self.intercept = np.float32([ridge.intercept_])

    @tf.function(input_signature=[tf.TensorSpec([1, 10], tf.float32, "features")])
    def run(self, features):
        scaled = (features - self.mean) / self.deviation
        return {"progression": tf.matmul(scaled, self.weights) + self.intercept}


def searched(features, progression):
    """Chooses the penalty by cross-validation on the training patients."""
    search = GridSearchCV(
        make_pipeline(StandardScaler(), Ridge()), {"ridge__alpha": PENALTIES}, scoring="r2", cv=5
    )
    return search.fit(features, progression)


def description(names):
    return described(
        name="Diabetes progression",
        id="diabetes",
        details="Predicts the progression of diabetes within a year from: " + ", ".join(names),
        kind="regression.diabetes",
        inputs=[{"name": "features", "type": "array", "shape": [10], "features": list(names)}],
        outputs=[{"name": "progression", "type": "array", "shape": [1]}],
    )


def card(regression, names, search, trained, held_out, scores):
    rows = "\n".join(
        f"| {position} | {name} | {mean:.4g} | {deviation:.4g} | {weight:.4g} |"
        for position, (name, mean, deviation, weight) in enumerate(
            zip(names, regression.mean, regression.deviation, regression.weights[:, 0])
        )
    )
    return f"""
## What it does

The inputs are ten raw measurements of a patient, in the order below. The output is a measure of
disease progression one year later (25 to 346 in the data). The graph standardizes the inputs:

progression = {regression.intercept[0]:.4f} + Σ weight · (value − mean) / deviation

| index | feature | mean | deviation | weight |
|---|---|---|---|---|
{rows}

`sex` is coded 1 and 2 as in the data; the source does not document the codes. `bp` is the average
blood pressure, `s1` to `s6` are serum measurements (total cholesterol, LDL, HDL, their ratio, a log
of triglycerides, blood sugar). This model is an example of the format, not a medical device.

## Data

442 patients from Efron, Hastie, Johnstone and Tibshirani, "Least Angle Regression", Annals of
Statistics 32 (2004), as provided by scikit-learn's `load_diabetes(scaled=False)`. The authors publish
the data without a license; scikit-learn distributes it in a BSD-3-Clause package. The samples are
six of its rows.

## Training

Ridge regression in closed form: `train_diabetes.py`. {trained} patients for training, {held_out} were held out
(80/20, seed {reproducible.SEED}). The penalty {search.best_params_['ridge__alpha']} was chosen by five-fold
cross-validation on the training patients.

## Accuracy

Measured by LiteRT on the {held_out} held-out patients:

| | value |
|---|---|
| R² | {scores['r2']:.3f} |
| mean absolute error | {scores['mae']:.1f} |
| mean absolute error of the training mean as a baseline | {scores['baseline']:.1f} |
| R² in cross-validation on the training patients | {search.best_score_:.3f} |

With so few patients the metrics depend strongly on the split.

## Reproducing

`Models/train-all`
"""


def main():
    data = load_diabetes(scaled=False)
    train_features, test_features, train_target, test_target = train_test_split(
        data.data, data.target, test_size=0.2, random_state=reproducible.SEED
    )
    search = searched(train_features, train_target)
    regression = Regression(search.best_estimator_)
    model = convert(regression, ["features"], ["progression"])
    run = Runner(model)
    answers = [float(run(patient)[0][0]) for patient in test_features]
    scores = {
        "r2": r2_score(test_target, answers),
        "mae": mean_absolute_error(test_target, answers),
        "baseline": mean_absolute_error(test_target, np.full(len(test_target), train_target.mean())),
    }
    bundle = Bundle(description(data.feature_names), model)
    for number in range(SAMPLES):
        features = [float(value) for value in test_features[number]]
        answer = {"progression": round(answers[number], 3)}
        bundle.add_sample(f"patient-{number + 1}.json", {"features": features}, answer)
    bundle.finish(
        tolerance=TOLERANCE,
        measured=f"R² {scores['r2']:.3f}, mean absolute error {scores['mae']:.1f} "
        f"on {len(test_target)} held-out patients",
        card=card(
            regression, data.feature_names, search, len(train_target), len(test_target), scores
        ),
    )


if __name__ == "__main__":
    main()
