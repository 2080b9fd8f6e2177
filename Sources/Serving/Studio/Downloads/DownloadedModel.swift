/// What a download has led to.
package enum DownloadedModel: Sendable {
  /// A bundle, which was imported.
  case bundle(ImportedModel)
  /// A model without a description.
  case draft(PendingDraft)
}
