#if Everything
  package import TensorIOBundle
  package import TensorIOCore
  package import TensorIOGeneration
  import TensorIOSystem
  import TensorIOTemplates

  /// Writes a text for each run.
  package struct GenerationRunner: ModelRunner {
    package let generator: TextGenerator

    init(_ generator: TextGenerator) { self.generator = generator }

    /// Returns the text as the only output, and as the result.
    package func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
      let text = try generator.generate(.text(Self.prompt(in: input)), GenerationOptions()).result()
      return ModelOutput(
        layers: [.init(name: text.key, value: .strings(Strings([text.text])))]
      ).passing(text)
    }

    /// Continues a text by some tokens.
    package func tryRun() throws(ModelError) {
      var options = GenerationOptions(maxTokens: Self.trialTokenCount)
      options.isRaw = true
      _ = try generator.generate(.text("text"), options).result()
    }

    private static let trialTokenCount = 4

    private static func prompt(in input: ModelInput) throws(ModelError) -> String {
      let value: LayerValue? =
        switch input {
        case .value(let value): value
        case .named(let values): values.count == 1 ? values.values.first : nil
        }
      switch value {
      case .strings(let strings) where strings.count == 1:
        return String(decoding: strings.bytes[0], as: UTF8.self)
      case .bytes(let bytes): return String(decoding: bytes, as: UTF8.self)
      default:
        throw ModelError(
          .input, .wrongType(expected: "a text", actual: value?.kindDescription ?? "several values")
        )
      }
    }
  }

  extension ModelBundle {
    /// The maximum size of a template, in bytes.
    static let maxTemplateBytes = 1 << 20

    /// Returns the template of messages in a file.
    func chatTemplate(_ file: String) throws(ModelError) -> ChatTemplate {
      let name = BundleFolder.assetsName + "/" + file
      let bytes = try folder.bytes(of: name, limit: Self.maxTemplateBytes)
      do throws(TemplateError) {
        return try ChatTemplate(String(decoding: bytes, as: UTF8.self))
      } catch {
        throw ModelError(.bundle, .unreadableFile(name, detail: "\(error)"), file: path)
      }
    }
  }
#endif
