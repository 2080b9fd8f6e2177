/// How long a client may take for something as a whole.
package struct Deadlines: Sendable {
  /// For a head, from its first byte on.
  package var head = Duration.seconds(10)
  package var body = Duration.seconds(30)
  /// For a worker to be free.
  package var wait = Duration.seconds(30)
  /// For the client to take its answers.
  package var answer = Duration.seconds(30)
  /// Between two requests.
  package var idle = Duration.seconds(60)
  /// For what a client still sends when it has been told that it is over.
  package var linger = Duration.seconds(2)
  /// For a request that was sent before the client could know that the server stops.
  package var farewell = Duration.milliseconds(250)
  /// For everything that is under way when the server stops.
  package var stop = Duration.seconds(9)

  /// What is right for networks and people.
  package init() {}

  /// How often is looked whether one has passed.
  var tick: Duration {
    let shortest = [head, body, wait, answer, idle, linger, stop].min() ?? head
    return max(.milliseconds(10), min(shortest / 10, .milliseconds(250)))
  }
}
