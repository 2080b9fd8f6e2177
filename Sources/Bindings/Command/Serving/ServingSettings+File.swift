import TensorIOBundle
import TensorIOJSON
import TensorIOServer
import TensorIOSystem

extension ServingSettings {
  private static let maxFileBytes = 1 << 16
  private static let keys = ["policy", "labels", "max_batch_size", "batch_delay_ms"]

  /// Reads the file `serving.json` of a model.
  ///
  /// - Throws: A ``ModelError`` if the file cannot be read or has an unknown key or value.
  init(contentsOf path: String, defaults: ServingSettings) throws(ModelError) {
    self = defaults
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileBytes.contents(of: path, limit: Self.maxFileBytes)
    } catch {
      throw ModelError(.bundle, .unreadableFile(path, detail: error.message), file: path)
    }
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: bytes)
    } catch {
      throw ModelError(.bundle, .invalidJSON(error), file: path)
    }
    guard let members = document.root.members else {
      throw Self.invalid("expected an object", path)
    }
    for member in members { try apply(member.name, member.value, path) }
  }

  private mutating func apply(
    _ key: String, _ value: JSONNode, _ path: String
  ) throws(ModelError) {
    switch key {
    case "policy":
      let policy =
        value.string.flatMap { VersionPolicy($0) }
        ?? value.elements.map { VersionPolicy.specific($0.compactMap(\.string)) }
      guard let policy else {
        throw Self.invalid(
          "'policy' must be 'all', 'latest', 'latest:N' or a list of versions"
            + (value.string.map { VersionPolicy.suggestion(for: $0) } ?? ""), path)
      }
      self.policy = policy
    case "labels":
      guard let members = value.members else {
        throw Self.invalid("'labels' must be an object of versions by label", path)
      }
      labels = [:]
      for member in members {
        guard let version = member.value.string else {
          throw Self.invalid("the label '\(member.name)' must be a version in quotes", path)
        }
        labels[member.name] = version
      }
    case "max_batch_size":
      guard let size = value.int, (1...65_536).contains(size) else {
        throw Self.invalid("'max_batch_size' must be an integer from 1 to 65536", path)
      }
      options.maxBatchSize = Int(size)
    case "batch_delay_ms":
      guard let delay = value.double, (0...10_000).contains(delay) else {
        throw Self.invalid("'batch_delay_ms' must be a number from 0 to 10000", path)
      }
      options.batchDelay = .microseconds(Int(delay * 1000))
    default:
      throw Self.invalid(
        "unknown key '\(key)'; expected \(Self.keys.joined(separator: ", "))", path)
    }
  }

  private static func invalid(_ message: String, _ path: String) -> ModelError {
    ModelError(.bundle, .failed("\(ModelFolders.settingsName): \(message)"), file: path)
  }
}
