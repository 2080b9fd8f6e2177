import Foundation

/// Where things lie, seen from the root of the repository, where the program is started.
enum Place {
  static let tensorio = ".build/release/tensorio"
  static let trainableBundle = "Examples/Bundles/digits-trainable.tiobundle"
  static let trainableLiteRTBundle = "Examples/Bundles/digits-trainable-tflite.tiobundle"
  static let trainingData = "Examples/Data/digits-training"
  static let topicsBundle = "Examples/Bundles/topics.tiobundle"
  static let tonesBundle = "Examples/Bundles/tones.tiobundle"
  static let detectorBundle = "Examples/Bundles/shape-detector.tiobundle"
  static let tinyBundle = "Examples/Bundles/diabetes.tiobundle"

  private static let peers = "Benchmarks/.peers"
  static let library = peers + "/lib/libLiteRt.so"
  static let tensorFlowLibrary = peers + "/lib/libtensorflow_cc.so.2"
  static let onnxLibrary = peers + "/lib/libonnxruntime.so"
  static let tinyONNXBundle = peers + "/onnx-tiny.tiobundle"
  static let largeONNXBundle = peers + "/onnx-mobile.tiobundle"
  static let onnxFloor = peers + "/bin/onnx-floor"
  static let trainingBundles = peers + "/training"
  static let largeBundle = peers + "/large.tiobundle"
  static let smallBundle = peers + "/small.tiobundle"
  static let picture = peers + "/picture.jpg"
  static let pictures = peers + "/pictures"
  static let launch = peers + "/bin/launch"
  static let classifyFloor = peers + "/bin/classify-floor"
  static let python = peers + "/venv/bin/python"
  static let tokenizersPython = peers + "/tokenizers/bin/python"
  static let text = peers + "/text.txt"
  static let trained = peers + "/trained.tiobundle"
  static let pixels = peers + "/pixels"
  static let weights = peers + "/weights"

  private static let shared = ProcessInfo.processInfo.environment["TENSORIO_SHARED"] ?? "../shared"
  /// Published models that the project does not contain.
  static let publishedModels = shared + "/fixtures/tasks"

  private static let scripts = "Benchmarks/peers"
  static let trainingPython = "Models/.venv/bin/python"
  static let stepScript = scripts + "/train_on_batch.py"
  static let trainingScript = scripts + "/keras_train.py"
  static let classifyScript = scripts + "/classify_once.py"
  static let folderScript = scripts + "/classify_folder.py"
  static let openCVScript = scripts + "/opencv.py"
  static let onnxScript = scripts + "/onnx_run.py"
  static let resizeScript = scripts + "/resize.py"
  static let tokenizeScript = scripts + "/tokenize_text.py"
  /// The Python package with the project's wheel.
  static let packagePython = ".build/python/python-test/bin/python"
  static let packageScript = scripts + "/python_package.py"
  static let requirements = scripts + "/requirements.in"
  static let readMe = "Benchmarks/README.md"
}
