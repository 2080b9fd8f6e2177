/// Where things lie, seen from the root of the repository, where the program is started.
enum Place {
  static let tensorio = ".build/release/tensorio"
  static let tinyBundle = "Examples/Bundles/diabetes.tiobundle"

  private static let peers = "Benchmarks/.peers"
  static let library = peers + "/lib/libLiteRt.so"
  static let largeBundle = peers + "/large.tiobundle"
  static let picture = peers + "/picture.jpg"
  static let launch = peers + "/bin/launch"
  static let classifyFloor = peers + "/bin/classify-floor"
  static let python = peers + "/venv/bin/python"
  static let pixels = peers + "/pixels"

  private static let scripts = "Benchmarks/peers"
  static let classifyScript = scripts + "/classify_once.py"
  static let resizeScript = scripts + "/resize.py"
  static let requirements = scripts + "/requirements.in"
  static let readMe = "Benchmarks/README.md"
}
