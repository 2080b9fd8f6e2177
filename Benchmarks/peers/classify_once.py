"""Prints the five best labels of a JPEG: a typical user's script."""

import sys

import numpy as np
from ai_edge_litert.interpreter import Interpreter
from PIL import Image

model, labels_path, jpeg, threads = sys.argv[1:5]

interpreter = Interpreter(model_path=model, num_threads=int(threads))
interpreter.allocate_tensors()
image_input = interpreter.get_input_details()[0]
scores_output = interpreter.get_output_details()[0]
_, height, width, _ = image_input["shape"]

picture = Image.open(jpeg).convert("RGB").resize((width, height), Image.Resampling.BILINEAR)
pixels = np.asarray(picture)[np.newaxis]
if image_input["dtype"] == np.float32:
    pixels = pixels.astype(np.float32) / 127.5 - 1
interpreter.set_tensor(image_input["index"], pixels)
interpreter.invoke()

scores = interpreter.get_tensor(scores_output["index"])[0]
if scores_output["dtype"] == np.uint8:
    scale, zero_point = scores_output["quantization"]
    scores = (scores.astype(np.float32) - zero_point) * scale
with open(labels_path) as file:
    labels = [line.strip() for line in file]
for index in np.argsort(-scores, kind="stable")[:5]:
    print(f"{scores[index]:.4f} {labels[index] if index < len(labels) else '?'}")
