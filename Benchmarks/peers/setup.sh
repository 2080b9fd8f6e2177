#!/usr/bin/env bash
# Builds the peers, and what they work on, in Benchmarks/.peers.
# Needs python3 with venv, gcc and libturbojpeg0-dev.
set -euo pipefail
peers=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$peers/../.." && pwd)
built=$root/Benchmarks/.peers
shared=${TENSORIO_SHARED:-$root/../shared}/fixtures/real/models
mkdir -p "$built/bin" "$built/lib"

if ! cmp --silent "$peers/requirements.txt" "$built/venv/installed.txt"; then
  echo "Installing the Python peers' pinned packages …"
  rm -rf "$built/venv"
  python3 -m venv "$built/venv"
  "$built/venv/bin/pip" install --quiet --disable-pip-version-check --require-hashes \
    --requirement "$peers/requirements.txt"
  cp "$peers/requirements.txt" "$built/venv/installed.txt"
fi
if ! cmp --silent "$peers/tokenizers-requirements.txt" "$built/tokenizers/installed.txt"; then
  rm -rf "$built/tokenizers"
  python3 -m venv "$built/tokenizers"
  "$built/tokenizers/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes \
    --requirement "$peers/tokenizers-requirements.txt"
  cp "$peers/tokenizers-requirements.txt" "$built/tokenizers/installed.txt"
fi
# English text that is at hand.
cat "$root"/Documentation/*.md >"$built/text.txt"

# Looked for, not imported: importing loads the library.
cp "$(find "$built/venv" -name libLiteRt.so -print -quit)" "$built/lib/"

cp "$(find "$built/venv" -name 'libonnxruntime.so.*' -print -quit)" "$built/lib/libonnxruntime.so"

# TensorFlow and Keras come with what trains the example bundles.
"$root/Models/install-packages" >&2
tensorflow=$(find "$root/Models/.venv" -path '*/site-packages/tensorflow' -print -quit)
for library in libtensorflow_cc.so.2 libtensorflow_framework.so.2; do
  ln --symbolic --force --no-dereference "$tensorflow/$library" "$built/lib/$library"
done
ln --symbolic --force --no-dereference "$tensorflow/include" "$built/tensorflow"
[[ -d $built/training ]] ||
  "$root/Models/.venv/bin/python" "$peers/training_subjects.py" "$built/training" 2>/dev/null

# The header is written for clang, whose notes on null pointers gcc does not know.
compile() {
  local program=$1
  shift
  gcc -std=gnu11 -O3 -Wall -Wextra -Wno-unknown-pragmas -D_Nullable= -D_Nonnull= \
    -I"$root/Sources/Runtimes/CLiteRT/include" -I"$root/Sources/Base/COptionalLibraries/include" \
    "$peers/$program.c" "$peers/session.c" "$peers/measure.c" -o "$built/bin/$program" \
    -L"$built/lib" -lLiteRt "$@" -Wl,-rpath,'$ORIGIN/../lib'
}
compile litert-floor
compile classify-floor -lturbojpeg -lpthread
gcc -std=gnu11 -O3 -Wall -Wextra "$peers/onnx-floor.c" -o "$built/bin/onnx-floor" -ldl
gcc -std=gnu11 -O3 -Wall -Wextra "$peers/launch.c" "$peers/measure.c" -o "$built/bin/launch"

# A published model where it is at hand, else one like it with random weights.
bundle() { # bundle NAME PUBLISHED SIDE WIDTH
  local model=$built/$1.tiobundle/model.tflite labels=()
  mkdir -p "$built/$1.tiobundle"
  if [[ -f $shared/$2.tflite ]]; then
    cp "$shared/$2.tflite" "$model"
    labels=("$shared/imagenet_labels.txt")
  elif [[ ! -f $model ]]; then
    "$root/Models/benchmark-model" "$model" "$3" "$4"
  fi
  "$built/venv/bin/python" "$peers/make_subjects.py" "$built/$1.tiobundle" "${labels[@]}" \
    2>/dev/null
}
bundle large mobilenet_v2_1.0_224_quant 224 1.0
bundle small mobilenet_V1_0.25_128.tiobundle/mobilenet_v1_0.25_128 128 0.35

python3 "$peers/make_onnx.py" "$built"

echo "The peers are ready in $built:"
ls "$built" "$built/bin"
