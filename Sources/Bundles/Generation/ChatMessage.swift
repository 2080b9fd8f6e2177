/// A message of a conversation with a model.
public struct ChatMessage: Sendable, Hashable {
  /// The author of the message: `system`, `user`, `assistant`, or another role that the model's template supports.
  public var role: String
  /// The text.
  public var content: String

  /// Creates a message.
  public init(role: String, content: String) { (self.role, self.content) = (role, content) }

  /// Returns the instructions for the whole conversation.
  public static func system(_ content: String) -> ChatMessage {
    ChatMessage(role: "system", content: content)
  }

  /// Returns a message of the user.
  public static func user(_ content: String) -> ChatMessage {
    ChatMessage(role: "user", content: content)
  }

  /// Returns a message of the model.
  public static func assistant(_ content: String) -> ChatMessage {
    ChatMessage(role: "assistant", content: content)
  }
}
