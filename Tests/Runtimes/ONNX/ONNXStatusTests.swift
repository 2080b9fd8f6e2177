import TensorIOBundle
import Testing

@testable import TensorIOONNX

@Suite struct ONNXStatusTests {
  /// The message of ONNX Runtime 1.28 for a model with the operator `StringNormalizer`.
  private static func message(_ locale: String) -> String {
    """
    Exception during initialization: /onnxruntime_src/onnxruntime/core/providers/cpu/text/string_normalizer.cc:235 \
    onnxruntime::StringNormalizer::Locale::Locale(const std::string&)::<lambda()> Failed to construct locale with \
    name:\(locale):locale::facet::_S_create_c_locale name not valid:Please, install necessary language-pack-XX and \
    configure locales

    """
  }

  @Test(arguments: [
    ("en_US.UTF-8", "localedef -i en_US -f UTF-8 en_US.UTF-8"),
    ("de_DE", "localedef -i de_DE -f UTF-8 de_DE"),
  ])
  func `A missing locale is named with the command that installs it`(
    _ locale: String, _ command: String
  ) {
    let error = ONNXStatus(code: 1, message: Self.message(locale)).error(at: .runtime)
    #expect(error.code == "model-rejected")
    #expect("\(error)".contains("needs the locale '\(locale)', which is not installed"))
    #expect("\(error)".contains("'\(command)', which on Debian needs the package 'locales'"))
  }

  @Test func `Other messages are the first line with the name of the code`() {
    let error = ONNXStatus(code: 1, message: "no locale\nline 2").error(at: .runtime)
    #expect("\(error)".hasSuffix("no locale (failure)"))
  }
}
