import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem

/// The options for opening a model, as JSON.
struct ModelOptions {
  /// The options in the form of the library.
  private(set) var opening = OpeningOptions()
  /// The path of the gallery that gives names to embeddings; `nil` for none.
  private(set) var gallery: String?

  /// Parses a JSON object; `nil` selects the defaults.
  ///
  /// - Throws: A `ModelError` that names the first option that is unknown or has an invalid value.
  init(_ text: String?) throws(ModelError) {
    var opening = OpeningOptions()
    var (gallery, worker): (String?, String?)
    opening.threads = 1
    opening.sessions = Platform.processorCount
    try JSONOption.read(text) { (option) throws(ModelError) in
      switch option.name {
      case "threads": opening.threads = try option.count(1...1024)
      case "sessions": opening.sessions = try option.count(1...1024)
      case "mode": opening.mode = try option.choice(of: ModelMode.self)
      case "isolation":
        let level = Isolation.Level(rawValue: try option.text)
        guard level != nil || option.value.string == "none" else {
          throw option.invalid("none, process or sandbox")
        }
        opening.isolation = level.map { Isolation(level: $0) }
      case "accelerator": opening.accelerator = try option.choice(of: Accelerator.self)
      case "function": opening.function = try option.text
      case "gallery": gallery = try option.text
      case "worker": worker = try option.text
      case "run_timeout": opening.runTimeout = try option.seconds
      case "session_timeout": opening.sessionTimeout = try option.seconds
      case "weight_cache":
        if let isOn = option.value.bool {
          opening.weightCache = isOn ? WeightCache() : nil
        } else {
          opening.weightCache = WeightCache(path: try option.text)
        }
      case "libraries":
        guard let entries = option.value.members else {
          throw option.invalid("an object of paths by runtime")
        }
        for entry in entries {
          let path = JSONOption(name: option.name, value: entry.value)
          opening.libraries[BackendIdentifier(rawValue: entry.name)] = try path.text
        }
      default: return false
      }
      return true
    }
    opening.isolation?.workerPath = worker
    (self.opening, self.gallery) = (opening, gallery)
  }
}

extension JSONOption {
  /// A time limit.
  fileprivate var seconds: Duration {
    get throws(ModelError) {
      guard let number = value.double, (0.001...86_400).contains(number) else {
        throw invalid("a number of seconds up to 86400")
      }
      return .milliseconds(Int(number * 1000))
    }
  }
}
