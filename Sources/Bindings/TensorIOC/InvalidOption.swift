/// An option in a JSON object that is unknown or has an invalid value.
struct InvalidOption: Error {
  let message: String
}
