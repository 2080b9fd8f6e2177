"""What `tensorio teach` has to compute, with SciPy and scikit-learn, for its tests.

`goldens.json` has the numbers of each step for 18 embeddings; its weights equal those of scikit-learn. `accuracies.json` has the accuracy of
scikit-learn on synthesized embeddings, which the tests synthesize as well. `examples.json` has the accuracy of scikit-learn on images and
recordings, whose embeddings LiteRT computes: the digits of `Examples/Data`, and tones that the tests synthesize as well. It needs Pillow and
ai-edge-litert besides SciPy and scikit-learn.

    PYTHONPATH=.build/python/metrics python3 Models/make_teaching_goldens.py
"""

import json
import pathlib

import numpy as np
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression

import sounds

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / "Tests" / "Fixtures" / "Teaching"
GRID = [0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000]
FIXED_C = 100  # with fewer examples of a class than 4
UNKNOWN_RATE = 0.1

# Name: classes, numbers of an embedding, distance of the examples to the center of their class.
SETS = {"digits": (10, 32, 1.6), "drawn objects": (5, 48, 1.0), "sounds": (8, 64, 1.2), "texts": (6, 96, 2.4)}
SHOTS = [5, 10, 20]
TESTS = 50

DIGITS, OTHER_DIGITS = ["0", "1", "2", "7", "9"], ["5", "8"]
TONES, RECORDINGS = 5, 20  # classes, and recordings of each for tests


def unit(x):
    x = np.asarray(x, np.float64)
    return x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)


def log_softmax(z):
    z = z - z.max(1, keepdims=True)
    return z - np.log(np.exp(z).sum(1, keepdims=True))


def balanced(y, classes):
    counts = np.bincount(y, minlength=classes)
    return (len(y) / ((counts > 0).sum() * np.maximum(counts, 1)))[y]


def objective(theta, x, y, s, c, classes):
    n = x.shape[1]
    w, b = theta[: classes * n].reshape(classes, n), theta[classes * n :]
    lp = log_softmax(x @ w.T + b)
    p = np.exp(lp)
    loss = 0.5 * (w**2).sum() - c * (s * lp[np.arange(len(y)), y]).sum()
    p[np.arange(len(y)), y] -= 1
    g = c * s[:, None] * p
    return loss, np.concatenate([(g.T @ x + w).ravel(), g.sum(0)])


def solve(x, y, c, classes):
    theta = np.zeros(classes * (x.shape[1] + 1))
    options = {"maxiter": 500, "gtol": 1e-6, "ftol": 1e-12}
    found = minimize(objective, theta, (x, y, balanced(y, classes), c, classes), jac=True, method="L-BFGS-B", options=options)
    return found.x[: classes * x.shape[1]].reshape(classes, -1), found.x[classes * x.shape[1] :]


def folds(y, k):
    out = np.zeros(len(y), int)
    for c in np.unique(y):
        i = np.nonzero(y == c)[0]
        out[i] = np.arange(len(i)) % k
    return out


def held_out(x, y, c, classes, k):
    part, held = folds(y, k), np.zeros((len(y), classes))
    for f in range(k):
        w, b = solve(x[part != f], y[part != f], c, classes)
        held[part == f] = x[part == f] @ w.T + b
    return held


def choose(x, y, classes):
    """The C with the smallest loss of held-out examples, the loss, and their scores."""
    smallest = np.bincount(y, minlength=classes).min()
    best = None
    for c in GRID if smallest >= 4 else [FIXED_C]:
        held = held_out(x, y, c, classes, max(2, min(5, smallest)))
        loss = -(balanced(y, classes) * log_softmax(held)[np.arange(len(y)), y]).mean()
        if best is None or loss < best[0] - 1e-9:
            best = (loss, c, held)
    return best[1], best[0], best[2]


def calibrate(logits, y):
    grid = np.exp(np.linspace(np.log(0.25), np.log(8), 101))
    losses = [-(log_softmax(logits / t)[np.arange(len(y)), y]).mean() for t in grid]
    return float(grid[int(np.argmin(losses))])


def max_distance(x, y):
    d = 1 - x @ x.T
    np.fill_diagonal(d, np.inf)
    own = np.where(y[:, None] == y[None], d, np.inf).min(1)
    return float(np.quantile(own[np.isfinite(own)], 1 - UNKNOWN_RATE))


def steps():
    """The numbers of each step for 18 embeddings."""
    random = np.random.RandomState(11)
    centers = random.standard_normal((3, 8))
    y = np.array([0] * 8 + [1] * 6 + [2] * 4)
    x = np.round(centers[y] + 0.9 * random.standard_normal((18, 8)), 3)
    tests = np.round(np.vstack([centers + 0.3, [-centers.sum(0)]]), 3)
    c, loss, held = choose(unit(x), y, 3)
    w, b = solve(unit(x), y, c, 3)
    check = LogisticRegression(C=c, class_weight="balanced", max_iter=5000, tol=1e-10).fit(unit(x), y)
    assert np.abs(check.coef_ - w).max() < 1e-4
    temperature, limit = calibrate(held, y), max_distance(unit(x), y)
    p = np.exp(log_softmax((unit(tests) @ w.T + b) / temperature))
    unknown = (1 - unit(tests) @ unit(x).T).min(1) > limit
    r = lambda a, n=5: np.round(np.asarray(a, float), n).tolist()
    fixed = {}
    for value in (0.1, 10.0, 1000.0):
        w, b = solve(unit(x), y, value, 3)
        fixed[str(value)] = {"weights": r(w), "bias": r(b - b.mean())}
    return {
        "embeddings": r(x, 3), "classes": y.tolist(), "sample_weights_balanced": r(balanced(y, 3)),
        "folds": folds(y, 4).tolist(), "fixed_c": fixed, "chosen_c": c, "number_of_folds": 4, "cv_loss": round(loss, 5),
        "cv_accuracy": round(float((held.argmax(1) == y).mean()), 5), "temperature": round(temperature, 5),
        "threshold": round(limit, 5), "tests": r(tests, 3), "probabilities": r(p), "none_of_these": unknown.tolist(),
    }


def near(golden, proximity=0.003):
    """The weights of a client without examples of the last class, near those that it was given (FedProx)."""
    x, y = unit(golden["embeddings"])[:14], np.array(golden["classes"])[:14]
    start = golden["fixed_c"]["0.1"]
    theta = np.concatenate([np.ravel(start["weights"]), start["bias"]])
    pull = proximity * FIXED_C * len(y)

    def function(point):
        loss, gradient = objective(point, x, y, balanced(y, 3), FIXED_C, 3)
        return loss + 0.5 * pull * ((point - theta) ** 2).sum(), gradient + pull * (point - theta)

    options = {"maxiter": 5000, "gtol": 1e-9, "ftol": 1e-15}
    found = minimize(function, theta, jac=True, method="L-BFGS-B", options=options).x
    return {"proximity": proximity, "examples": 14, "weights": np.round(found[:24].reshape(3, 8), 5).tolist(),
            "bias": np.round(found[24:], 5).tolist()}


class SplitMix64:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        return z ^ (z >> 31)

    def noise(self):
        """A number around 0: the sum of four numbers below 1, minus 2."""
        return sum((self.next() >> 11) * 2.0**-53 for _ in range(4)) - 2


def synthesize(seed, classes, size, spread):
    """Examples for teaching and for tests of each class, and others of one more class."""
    random = SplitMix64(seed)
    centers = [[random.noise() for _ in range(size)] for _ in range(classes + 1)]
    item = lambda center: [np.float32(v + spread * random.noise()) for v in center]
    train = [[item(c) for _ in range(max(SHOTS))] for c in centers[:-1]]
    test = [[item(c) for _ in range(TESTS)] for c in centers[:-1]]
    return train, test, [item(centers[-1]) for _ in range(TESTS)]


def accuracies():
    """The accuracy of scikit-learn, and the fractions of tests and of others beyond the limit."""
    out = []
    for seed, (name, (classes, size, spread)) in enumerate(SETS.items()):
        train, test, other = synthesize(seed + 1, classes, size, spread)
        label = lambda n: np.repeat(np.arange(classes), n)
        for shots in SHOTS:
            x, y = unit([v for group in train for v in group[:shots]]), label(shots)
            c, _, _ = choose(x, y, classes)
            model = LogisticRegression(C=c, class_weight="balanced", max_iter=5000, tol=1e-10).fit(x, y)
            t, limit = unit([v for group in test for v in group]), max_distance(x, y)
            nearest = lambda v: ((1 - v @ x.T).min(1) > limit).mean()
            out.append({
                "name": name, "seed": seed + 1, "classes": classes, "size": size, "spread": spread, "shots": shots, "c": c,
                "accuracy": round(float((model.predict(t) == label(TESTS)).mean()), 5),
                "weights": np.round(model.coef_[0][:4], 5).tolist(),
                "known_rejected": round(float(nearest(t)), 5), "others_rejected": round(float(nearest(unit(other))), 5),
            })
    return out


class Embedder:
    """What a layer of a .tflite file takes, or its output."""

    def __init__(self, bundle, of_last_layer):
        from ai_edge_litert.interpreter import Interpreter

        folder = ROOT / "Examples" / "Bundles" / bundle
        self.layer = json.loads((folder / "model.json").read_text())["inputs"][0]
        self.model = Interpreter(str(folder / "model.tflite"), num_threads=1, experimental_preserve_all_tensors=True)
        self.model.allocate_tensors()
        dense = [op for op in self.model._get_ops_details() if op["op_name"] == "FULLY_CONNECTED"]
        self.tensor = dense[-1]["inputs"][0] if of_last_layer else self.model.get_output_details()[0]["index"]

    def __call__(self, values):
        given = self.model.get_input_details()[0]
        self.model.set_tensor(given["index"], np.asarray(values, np.float32).reshape(given["shape"]))
        self.model.invoke()
        return self.model.get_tensor(self.tensor).ravel().astype(float)


def images():
    """The embeddings of digits, for teaching and for tests of each class, and of other digits."""
    from PIL import Image

    embedder = Embedder("digits-embedder.tiobundle", of_last_layer=False)
    def embed(folder, label, count):
        files = sorted((ROOT / "Examples" / "Data" / folder / label).glob("*.png"))[:count]
        return [embedder(np.asarray(Image.open(file).convert("L").resize((32, 32), Image.Resampling.LANCZOS)) / 255) for file in files]
    return ([embed("digits-training", label, max(SHOTS)) for label in DIGITS], [embed("digits-held-out", label, 30) for label in DIGITS],
            [item for label in OTHER_DIGITS for item in embed("digits-held-out", label, 30)])


def tone(random, number, samples, rate):
    """A recording: two sine waves whose frequencies are near those of a class, and noise."""
    frequency = 300 * 1.25**number * (1 + 0.06 * random.noise())
    noise = 0.25 + 0.1 * random.noise()
    return [0.2 * np.sin(2 * np.pi * frequency * t / rate) + 0.1 * np.sin(4 * np.pi * frequency * t / rate) + 0.3 * noise * random.noise()
            for t in range(samples)]


def recordings():
    """The embeddings of tones of one window each, for teaching and for tests of each class, and of other tones."""
    embedder, random = Embedder("tones.tiobundle", of_last_layer=True), SplitMix64(5)
    rate, length = embedder.layer["rate"], sounds.window_length(embedder.layer)
    def embed(number, count):
        made = [tone(random, number, length, rate) for _ in range(count)]
        return [embedder(sounds.log_mel(np.trunc(np.array(samples) * 32767) / 32768, embedder.layer)) for samples in made]
    return ([embed(number, max(SHOTS)) for number in range(TONES)], [embed(number, RECORDINGS) for number in range(TONES)],
            embed(TONES + 2, RECORDINGS))


def examples():
    """The accuracy of scikit-learn on images and recordings, and the fractions of tests and of others beyond the limit."""
    out = []
    for name, (train, test, other) in (("images", images()), ("recordings", recordings())):
        for shots in SHOTS:
            x, y = unit([v for group in train for v in group[:shots]]), np.repeat(np.arange(len(train)), shots)
            c, _, _ = choose(x, y, len(train))
            model = LogisticRegression(C=c, class_weight="balanced", max_iter=5000, tol=1e-10).fit(x, y)
            t, limit = unit([v for group in test for v in group]), max_distance(x, y)
            labels = np.concatenate([np.full(len(group), label) for label, group in enumerate(test)])
            nearest = lambda v: ((1 - v @ x.T).min(1) > limit).mean()
            out.append({
                "name": name, "shots": shots, "tests": len(t), "c": c, "accuracy": round(float((model.predict(t) == labels).mean()), 5),
                "known_rejected": round(float(nearest(t)), 5), "others_rejected": round(float(nearest(unit(other))), 5),
            })
    return out


def main():
    golden = steps()
    golden["near"] = near(golden)
    FOLDER.mkdir(exist_ok=True)
    (FOLDER / "goldens.json").write_text("{\n" + ",\n".join(f" {json.dumps(k)}: {json.dumps(v)}" for k, v in golden.items()) + "}\n")
    (FOLDER / "accuracies.json").write_text("[\n" + ",\n".join(" " + json.dumps(row) for row in accuracies()) + "\n]\n")
    (FOLDER / "examples.json").write_text("[\n" + ",\n".join(" " + json.dumps(row) for row in examples()) + "\n]\n")


if __name__ == "__main__":
    main()
