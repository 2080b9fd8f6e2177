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
      let text = try generator.generate(.input(input), GenerationOptions()).result()
      return ModelOutput(
        layers: [.init(name: text.key, value: .strings(Strings([text.text])))]
      ).passing(text)
    }

    /// Writes some tokens.
    package func tryRun() throws(ModelError) {
      var options = GenerationOptions(maxTokens: Self.trialTokenCount)
      options.isRaw = true
      let prompt = try generator.encoder?.function.trialInput()
      _ = try generator.generate(prompt.map { .input($0) } ?? .text("text"), options).result()
    }

    private static let trialTokenCount = 4
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
