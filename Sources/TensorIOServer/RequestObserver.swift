/// Is told of every request when its answer is on its way: for logs and figures.
package protocol RequestObserver: Sendable {
  /// A request was answered, or refused.
  func answered(_ summary: RequestSummary)
}

/// What there is to say of a request that was answered.
package struct RequestSummary: Sendable {
  /// By what the request is known; it stands in the answer as `X-Request-Id`.
  package var id: String
  /// Nothing where no method could be read.
  package var method: String
  /// The path as it was asked for, without what stands behind the `?`; nothing where there is none.
  package var path: String
  /// The pattern of the route, such as `/v2/models/:name/predict`; nothing where none was found.
  package var route: String
  package var status: Int
  package var bodyBytes: Int
  package var answerBytes: Int
  /// From the first byte of the head to the answer's last.
  package var duration: Duration
  /// How much of it the request waited for a worker.
  package var wait: Duration

  package init(
    id: String, method: String, path: String, route: String, status: Int, bodyBytes: Int,
    answerBytes: Int, duration: Duration, wait: Duration
  ) {
    (self.id, self.method, self.path, self.route) = (id, method, path, route)
    (self.status, self.bodyBytes, self.answerBytes) = (status, bodyBytes, answerBytes)
    (self.duration, self.wait) = (duration, wait)
  }
}
