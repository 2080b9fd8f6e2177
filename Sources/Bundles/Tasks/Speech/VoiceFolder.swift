#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOJSON
  import TensorIOSystem

  /// The files with the symbols and the voices of a model, beside it or in the folder above.
  struct VoiceFolder {
    private let folders: [String]

    /// The maximum size of all voices.
    private static let maxVoiceBytes = 128 << 20

    /// Creates the folder of a model, which may be in a folder `onnx` of its own.
    init(of model: String) {
      let parent = FilePath.parent(of: model)
      let isNested = FilePath.lastComponent(of: parent) == "onnx"
      folders = [parent] + (isNested ? [FilePath.parent(of: parent)] : [])
    }

    /// The symbols and their ids, from the first file that has them; `nil` if none does.
    var symbols: [JSONValue.Member]? {
      let places: [(file: String, keys: [String])] = [
        ("vocab.json", ["vocab"]), ("vocab.json", []), ("config.json", ["vocab"]),
        ("tokenizer.json", ["model", "vocab"]),
      ]
      for place in places {
        for folder in folders {
          let root = CompanionFile.json(at: "\(folder)/\(place.file)")
          let members = place.keys.reduce(root) { $0?[$1] }?.members ?? []
          if !members.isEmpty, members.allSatisfy({ $0.value.int != nil }) { return members }
        }
      }
      return nil
    }

    /// The rows of the voices by name: files in the folder `voices`, or in an archive of NumPy; empty if there are none.
    var voices: [String: [UInt8]] {
      for folder in folders {
        let files = Self.names(in: folder + "/voices").filter { $0.hasSuffix(".bin") }
        var voices: [String: [UInt8]] = [:]
        var rest = Self.maxVoiceBytes
        for file in files {
          guard let bytes = CompanionFile.bytes(at: "\(folder)/voices/\(file)", limit: rest),
            bytes.count.isMultiple(of: 4 * SpeechTask.styleWidth), !bytes.isEmpty
          else { continue }
          rest -= bytes.count
          voices[FilePath.stem(of: file)] = bytes
        }
        if !voices.isEmpty { return voices }
        for file in Self.names(in: folder) where file.hasPrefix("voices") {
          let arrays = try? NumPyArray.arrays(
            inArchiveAt: "\(folder)/\(file)", limit: Self.maxVoiceBytes)
          for (name, numbers) in arrays ?? []
          where numbers.count.isMultiple(of: SpeechTask.styleWidth) && numbers.count > 0 {
            voices[name] = numbers.floats.fileBytes
          }
          if !voices.isEmpty { return voices }
        }
      }
      return [:]
    }

    /// The name of the file with the rows of a voice in drafted bundles.
    static func fileName(ofVoice name: String) -> String { name + ".f32" }

    /// The lexicons of the package misaki.
    var lexicons: [(name: String, bytes: [UInt8])] {
      ["us_gold.json", "us_silver.json"].compactMap { name in
        folders.lazy.compactMap { folder in
          CompanionFile.bytes(at: "\(folder)/\(name)", limit: CompanionFile.maxJSONBytes).map {
            (name, $0)
          }
        }.first
      }
    }

    private static func names(in folder: String) -> [String] {
      ((try? FileSystem.entryNames(in: folder)) ?? []).sorted()
    }
  }

  extension JSONValue {
    /// The value as the contents of a file.
    var fileBytes: [UInt8] { Array(text.utf8) }
  }

  extension [Float] {
    /// The numbers as the contents of a file, lowest byte first.
    fileprivate var fileBytes: [UInt8] {
      flatMap { number in
        (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * UInt32($0))) }
      }
    }
  }
#endif
