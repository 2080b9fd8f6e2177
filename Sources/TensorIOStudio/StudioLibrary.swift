package import TensorIOCore
package import TensorIOServer

/// What the studio needs of the program that it is part of.
package protocol StudioLibrary: Sendable {
  /// Opens a bundle for one of its modes, to be run by several threads.
  func open(
    _ bundle: ModelBundle, _ mode: ModelMode, _ parallelism: Parallelism
  ) throws(ModelError) -> Model

  /// Puts the bundle of a zip into the user's library, whole and checked or not at all.
  ///
  /// It may be given a name of its own, and the place of a bundle that has its name or identifier.
  func bring(
    _ zip: [UInt8], name: String?, isReplacing: Bool, taken: Set<String>
  ) throws(StudioRefusal) -> BroughtModel

  /// Keeps what is chosen otherwise than before for the next time.
  func remember(_ choice: StudioChoice, insteadOf old: StudioChoice) throws(StudioRefusal)
}

/// A model that has come into the user's library.
package struct BroughtModel: Sendable {
  /// The model.
  package let entry: ModelCatalogue.Entry
  /// What is doubtful about it.
  package let problems: [Problem]
  /// The names of the models that it has taken the place of.
  package let replaced: [String]

  /// A model with what is to be said of it.
  package init(_ entry: ModelCatalogue.Entry, problems: [Problem], replaced: [String]) {
    (self.entry, self.problems, self.replaced) = (entry, problems, replaced)
  }
}
