/// Where things lie, seen from the root of the repository, where the program is started.
enum Place {
  static let tensorio = ".build/release/tensorio"
  static let trainableBundle = "Examples/Bundles/digits-trainable.tiobundle"
  static let trainingData = "Examples/Data/digits-training"
  static let tinyBundle = "Examples/Bundles/diabetes.tiobundle"

  private static let peers = "Benchmarks/.peers"
  static let library = peers + "/lib/libLiteRt.so"
  static let tensorFlowLibrary = peers + "/lib/libtensorflow_cc.so.2"
  static let trainingBundles = peers + "/training"
  static let largeBundle = peers + "/large.tiobundle"
  static let picture = peers + "/picture.jpg"
  static let launch = peers + "/bin/launch"
  static let classifyFloor = peers + "/bin/classify-floor"
  static let python = peers + "/venv/bin/python"
  static let trained = peers + "/trained.tiobundle"
  static let pixels = peers + "/pixels"

  private static let scripts = "Benchmarks/peers"
  static let trainingPython = "Models/.venv/bin/python"
  static let stepScript = scripts + "/train_on_batch.py"
  static let trainingScript = scripts + "/keras_train.py"
  static let classifyScript = scripts + "/classify_once.py"
  static let resizeScript = scripts + "/resize.py"
  static let requirements = scripts + "/requirements.in"
  static let readMe = "Benchmarks/README.md"
}
