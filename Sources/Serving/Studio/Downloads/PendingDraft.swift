package import TensorIOServer

/// A drafted bundle with its files, until it is imported or discarded.
package final class PendingDraft: Sendable {
  /// Imports the bundle with a reviewed description, under a name, possibly in place of others; some names are reserved.
  package typealias Importing =
    @Sendable (
      _ description: [UInt8], _ name: String?, _ isReplacing: Bool, _ reservedNames: Set<String>
    ) -> Result<ImportedModel, ClientError>

  let draft: DraftedBundle
  let importing: Importing
  private let discard: @Sendable () -> Void

  /// Creates a draft.
  ///
  /// - Parameters:
  ///   - draft: What is to be reviewed.
  ///   - importing: Imports the bundle.
  ///   - discard: Removes the files.
  package init(
    _ draft: DraftedBundle, importing: @escaping Importing, discard: @escaping @Sendable () -> Void
  ) {
    (self.draft, self.importing, self.discard) = (draft, importing, discard)
  }

  deinit { discard() }
}
