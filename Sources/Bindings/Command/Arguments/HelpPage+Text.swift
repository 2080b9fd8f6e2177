import TensorIOCore
import TensorIOSystem

extension HelpPage {
  /// The actions of the command, such as `list` and `import`; empty if it has only one.
  var actions: [String] {
    let forms = usage.split(separator: "\n")
    guard forms.count > 1, forms.allSatisfy({ $0.first?.isLetter ?? false }) else { return [] }
    return forms.map { String($0.prefix { $0 != " " }) }
  }

  /// Returns the warnings of options that the action on the command line does not have.
  ///
  /// - Parameter arguments: The arguments of the command.
  /// - Returns: A line for each option.
  func optionWarnings(_ arguments: ParsedArguments) -> [String] {
    guard let action = arguments.positionals.first, actions.contains(action) else { return [] }
    return flags.filter { arguments.has($0) && !$0.isOf(action) }.map { flag in
      "warning: --\(flag.name) is an option of \(Self.list(flag.actions, "and")), and has no effect on \(action)"
    }
  }

  /// Returns the page as text.
  ///
  /// - Parameters:
  ///   - action: The action that the page is about; `nil` for all. Its own options are listed, and what the
  ///     description says of other actions is left out.
  ///   - width: The number of columns of the terminal, to which paragraphs are set; `nil` for the lines as they are
  ///     written.
  /// - Returns: The text.
  func text(of action: String? = nil, width: Int? = nil) -> String {
    let action = action.flatMap { actions.contains($0) ? $0 : nil }
    let title = [name, action].compactMap(\.self).joined(separator: " ")
    let forms = usage.split(separator: "\n").filter {
      action == nil || $0.hasPrefix("\(action ?? "") ")
    }
    var lines = ["tensorio \(title) - \(summary)", ""]
    for (index, form) in forms.enumerated() {
      lines.append((index == 0 ? "usage: " : "       ") + "tensorio \(name) \(form)")
    }
    if !aliases.isEmpty { lines.append("alias: \(aliases.joined(separator: ", "))") }
    for paragraph in paragraphs(of: action) {
      lines.append("")
      lines += width.map { Self.set(paragraph, width: $0) } ?? paragraph
    }
    lines += optionLines(of: action) + ["", "examples:"]
    let own = examples.filter {
      action == nil || $0.command.hasPrefix("tensorio \(title) ")
        || $0.command.contains(" \(title) ")
    }
    lines += (own.isEmpty ? examples : own).flatMap { ["  \($0.command)", "      \($0.effect)"] }
    return lines.joined(separator: "\n")
  }

  /// Returns the paragraphs of the description; one that begins with the name of an action is about that only.
  private func paragraphs(of action: String?) -> [[String]] {
    let lines = discussion.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    return lines.split(separator: "").map(Array.init).filter { paragraph in
      let subject = paragraph.first.map { String($0.prefix { $0.isLetter }) } ?? ""
      return action == nil || subject == action || !actions.contains(subject)
    }
  }

  /// Returns the options of all actions, and those of each group of them under a heading.
  private func optionLines(of action: String?) -> [String] {
    guard action == nil else {
      let flags = allFlags.filter { $0.isOf(action ?? "") }
      return ["", "options:"] + Self.table(flags.map { ($0.usage, $0.help) })
    }
    var groups: [[String]] = [[]]
    for flag in flags where !groups.contains(flag.actions) { groups.append(flag.actions) }
    return groups.flatMap { group in
      let flags = (group.isEmpty ? allFlags : flags).filter { $0.actions == group }
      let heading = group.isEmpty ? "options:" : "options of \(Self.list(group, "and")):"
      return ["", heading] + Self.table(flags.map { ($0.usage, $0.help) })
    }
  }

  /// Returns a paragraph in lines of a width, unless it is indented.
  private static func set(_ paragraph: [String], width: Int) -> [String] {
    let maxWidth = 100
    guard paragraph.allSatisfy({ !$0.hasPrefix(" ") }) else { return paragraph }
    let width = max(TerminalText.minWidth, min(width, maxWidth))
    var lines = [""]
    for word in paragraph.joined(separator: " ").split(separator: " ").map(String.init) {
      let line = lines[lines.count - 1]
      if line.isEmpty {
        lines[lines.count - 1] = word
      } else if line.displayWidth + 1 + word.displayWidth <= width {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(word)
      }
    }
    return lines
  }

  /// Returns the words as a list, such as `list, show or import`.
  static func list(_ words: [String], _ conjunction: String) -> String {
    let first = words.dropLast().joined(separator: ", ")
    return [first, words.last ?? ""].filter { !$0.isEmpty }.joined(separator: " \(conjunction) ")
  }

  /// Returns rows of two aligned columns.
  static func table(_ rows: [(String, String)]) -> [String] {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { left, right in
      "  " + left + String(repeating: " ", count: width - left.count + 3) + right
    }
  }
}
