internal import TensorIOCore
internal import TensorIOSystem

/// Where the bundle is that a word on the command line means.
enum BundleLocation {
  /// The word itself when it is a path; else the bundle of that name in the library; else the
  /// word, so that what is missing is reported by the name that the user knows.
  static func path(for word: String, _ console: Console) -> String {
    guard isName(word) else { return word }
    let folders = folders(console)
    return ModelLibrary.path(ofBundleNamed: word, in: folders)
      ?? (try? library(folders)?.bundle(named: word).path)
      ?? (try? library(folders)?.bundle(id: word).path) ?? word
  }

  /// The error of a word that means no bundle, with what the library has instead.
  static func error(
    _ error: ModelError, of word: String, _ console: Console
  ) -> ModelError {
    guard error.reason == .missingBundle, isName(word) else { return error }
    do throws(ModelError) {
      _ = try library(folders(console))?.bundle(named: word)
    } catch let unknown {
      if case .unknownBundle = unknown.reason { return unknown }
    }
    return error
  }

  private static func isName(_ word: String) -> Bool {
    !word.contains("/") && FileKind(at: word) == nil
  }

  private static func folders(_ console: Console) -> [String] {
    let own = UserFolder.path(of: OwnLibrary.name, console)
    return OwnLibrary.folders(console).filter { $0 != own || FileKind(at: $0) == .folder }
  }

  private static func library(_ folders: [String]) throws(ModelError) -> ModelLibrary? {
    folders.isEmpty ? nil : try ModelLibrary(at: folders)
  }
}
