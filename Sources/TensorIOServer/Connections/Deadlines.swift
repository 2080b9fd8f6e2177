/// How long a client may take for something as a whole.
struct Deadlines: Sendable {
  /// For a head, from its first byte on.
  var head = Duration.seconds(10)
  var body = Duration.seconds(30)
  /// For a worker to be free.
  var wait = Duration.seconds(30)
  /// For the client to take its answers.
  var answer = Duration.seconds(30)
  /// Between two requests.
  var idle = Duration.seconds(60)
  /// For what a client still sends when it has been told that it is over.
  var linger = Duration.seconds(2)
  /// For a request that was sent before the client could know that the server stops.
  var farewell = Duration.milliseconds(250)
  /// For everything that is under way when the server stops.
  var stop = Duration.seconds(9)

  /// How often is looked whether one has passed.
  var tick: Duration {
    let shortest = [head, body, wait, answer, idle, linger, stop].min() ?? head
    return max(.milliseconds(10), min(shortest / 10, .milliseconds(250)))
  }
}
