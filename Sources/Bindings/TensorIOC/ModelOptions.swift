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
  init(_ text: String?) throws(ModelError) {
    opening.threads = 1
    opening.sessions = Platform.processorCount
    guard let text else { return }
    let document: JSONDocument
    do {
      document = try JSONDocument(parsing: Array(text.utf8))
    } catch {
      throw ModelError(.input, .invalidValue("the options are not valid JSON: \(error)"))
    }
    guard let members = document.root.members else {
      throw ModelError(.input, .invalidValue("the options must be a JSON object"))
    }
    var worker: String?
    for member in members {
      let (name, value) = (member.name, member.value)
      switch name {
      case "threads": opening.threads = try Self.count(name, value)
      case "sessions": opening.sessions = try Self.count(name, value)
      case "mode": opening.mode = try Self.choice(name, value, ModelMode.init(rawValue:))
      case "isolation":
        let level = try Self.text(name, value)
        guard level == "none" || Isolation.Level(rawValue: level) != nil else {
          throw ModelError(.input, .invalidValue("'isolation' must be none, process or sandbox"))
        }
        opening.isolation = Isolation.Level(rawValue: level).map { Isolation(level: $0) }
      case "accelerator":
        opening.accelerator = try Self.choice(name, value, Accelerator.init(rawValue:))
      case "function": opening.function = try Self.text(name, value)
      case "gallery": gallery = try Self.text(name, value)
      case "worker": worker = try Self.text(name, value)
      case "run_timeout": opening.runTimeout = try Self.seconds(name, value)
      case "session_timeout": opening.sessionTimeout = try Self.seconds(name, value)
      case "weight_cache":
        if let isOn = value.bool {
          opening.weightCache = isOn ? WeightCache() : nil
        } else {
          opening.weightCache = WeightCache(path: try Self.text(name, value))
        }
      case "libraries":
        guard let entries = value.members else {
          throw ModelError(
            .input, .invalidValue("'libraries' must be an object of paths by runtime"))
        }
        for entry in entries {
          opening.libraries[BackendIdentifier(rawValue: entry.name)] = try Self.text(
            name, entry.value)
        }
      default: throw ModelError(.input, .invalidValue("unknown option '\(name, as: "name")'"))
      }
    }
    opening.isolation?.workerPath = worker
  }

  private static func count(_ name: String, _ value: JSONNode) throws(ModelError) -> Int {
    guard let number = value.int, (1...1024).contains(number) else {
      throw ModelError(
        .input, .invalidValue("'\(name, as: "name")' must be an integer from 1 to 1024"))
    }
    return Int(number)
  }

  private static func text(_ name: String, _ value: JSONNode) throws(ModelError) -> String {
    guard let text = value.string else {
      throw ModelError(.input, .invalidValue("'\(name, as: "name")' must be a string"))
    }
    return text
  }

  private static func choice<Choice>(
    _ name: String, _ value: JSONNode, _ make: (String) -> Choice?
  ) throws(ModelError) -> Choice {
    guard let choice = make(try text(name, value)) else {
      throw ModelError(.input, .invalidValue("'\(name, as: "name")' has an unknown value"))
    }
    return choice
  }

  private static func seconds(
    _ name: String, _ value: JSONNode
  ) throws(ModelError) -> Duration {
    guard let number = value.double, (0.001...86_400).contains(number) else {
      throw ModelError(
        .input, .invalidValue("'\(name, as: "name")' must be a number of seconds up to 86400"))
    }
    return .milliseconds(Int(number * 1000))
  }
}
