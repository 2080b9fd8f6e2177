import TensorIOCore

/// `tensorio completions`: prints completion scripts for shells.
struct CompletionsCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "completions", summary: "Print a completion script for bash, zsh or fish",
    usage: "bash | zsh | fish",
    discussion: """
      Completes commands and their actions, options, the values of options, and the names of models
      that `tensorio models list` prints.
      """,
    flags: [],
    examples: [
      (
        "tensorio completions bash > ~/.local/share/bash-completion/completions/tensorio",
        "Install completions of commands and options for bash"
      )
    ])

  private enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  private let shell: Shell

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard arguments.positionals.count == 1, let shell = Shell(rawValue: arguments.positionals[0])
    else {
      throw Self.helpPage.usageError("expected one shell")
    }
    self.shell = shell
  }

  func run(_ console: Console) -> ExitCode {
    let pages = TensorIOCommand.subcommands.map { $0.helpPage }
    switch shell {
    case .bash: console.print(Self.bash(pages))
    case .zsh: console.print("autoload -U +X bashcompinit && bashcompinit\n" + Self.bash(pages))
    case .fish: console.print(Self.fish(pages))
    }
    return .success
  }

  /// The command that prints the names of models, one on each line.
  private static let modelNames = "tensorio models list --quiet 2>/dev/null | cut -d ' ' -f 1"

  private static func bash(_ pages: [HelpPage]) -> String {
    """
    _tensorio() {
      local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
      local words="" values="" models=""
      if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "\(pages.map(\.name).joined(separator: " "))" -- "$current"))
        return
      fi
      case "${COMP_WORDS[1]} $previous" in
    \(pages.flatMap(valueCases).joined(separator: "\n"))
      esac
      if [ -n "$values" ]; then
        COMPREPLY=($(compgen -W "$values" -- "$current"))
        return
      fi
      if [ "$COMP_CWORD" -eq 2 ]; then
        case "${COMP_WORDS[1]}" in
    \(pages.compactMap(actionCase).joined(separator: "\n"))
        esac
      fi
      case "${COMP_WORDS[1]}" in
    \(pages.map(optionCase).joined(separator: "\n"))
      esac
      case "${COMP_WORDS[1]}" in
        \(pages.filter(\.takesModel).map(\.name).joined(separator: "|")))
          case "$current" in -*|*/*) ;; *) models="$(\(modelNames))" ;; esac ;;
      esac
      COMPREPLY=($(compgen -W "$words $models" -- "$current") $(compgen -f -- "$current"))
    }
    complete -o filenames -F _tensorio tensorio
    """
  }

  /// The cases of options with values: `run --format) values="text json" ;;`.
  private static func valueCases(_ page: HelpPage) -> [String] {
    page.allFlags.filter { !$0.choices.isEmpty }.map { flag in
      let names = [flag.shortName.map { "-\($0)" }, "--\(flag.name)"].compactMap(\.self)
      let patterns = names.map { "\"\(page.name) \($0)\"" }.joined(separator: "|")
      return "    \(patterns)) values=\"\(flag.choices.joined(separator: " "))\" ;;"
    }
  }

  private static func actionCase(_ page: HelpPage) -> String? {
    guard !page.actions.isEmpty else { return nil }
    return """
            \(page.name))
              COMPREPLY=($(compgen -W "\(page.actions.joined(separator: " "))" -- "$current"))
              return ;;
      """
  }

  /// The options of a command; those of an action if there is one.
  private static func optionCase(_ page: HelpPage) -> String {
    guard !page.actions.isEmpty else {
      return "    \(page.name)) words=\"\(options(page.allFlags))\" ;;"
    }
    let cases = page.actions.map { action in
      "        \(action)) words=\"\(options(page.allFlags.filter { $0.isOf(action) }))\" ;;"
    }
    return """
          \(page.name))
            case "${COMP_WORDS[2]}" in
      \(cases.joined(separator: "\n"))
            esac ;;
      """
  }

  private static func options(_ flags: [Flag]) -> String {
    flags.map { "--\($0.name)" }.joined(separator: " ")
  }

  private static func fish(_ pages: [HelpPage]) -> String {
    let commands = pages.map {
      "complete -c tensorio -n __fish_use_subcommand -a \($0.name)"
        + " -d '\($0.summary.escapingSingleQuotes)'"
    }
    let words = pages.flatMap { page in
      let condition = "-n '__fish_seen_subcommand_from \(page.name)'"
      let actions =
        page.actions.isEmpty
        ? []
        : [
          "complete -c tensorio \(condition) -f -a '\(page.actions.joined(separator: " "))'"
        ]
      let models =
        page.takesModel
        ? ["complete -c tensorio \(condition) -a '(\(modelNames.escapingSingleQuotes))'"] : []
      return actions + models
    }
    return (commands + words + pages.flatMap(fishOptions)).joined(separator: "\n")
  }

  private static func fishOptions(_ page: HelpPage) -> [String] {
    page.allFlags.map { flag in
      let conditions =
        [page.name] + (flag.actions.isEmpty ? [] : [flag.actions.joined(separator: " ")])
      let condition = conditions.map { "__fish_seen_subcommand_from \($0)" }
        .joined(separator: "; and ")
      let values =
        flag.valueName == nil
        ? "" : flag.choices.isEmpty ? " -r" : " -x -a '\(flag.choices.joined(separator: " "))'"
      return "complete -c tensorio -n '\(condition)' -l \(flag.name)"
        + (flag.shortName.map { " -s \($0)" } ?? "")
        + " -d '\(flag.help.escapingSingleQuotes)'" + values
    }
  }
}

extension HelpPage {
  /// Whether an argument names a bundle, or an action of the library's does.
  fileprivate var takesModel: Bool {
    name == "models" || usage.contains("<bundle") || usage.contains("<backbone>")
  }
}

extension String {
  fileprivate var escapingSingleQuotes: String {
    split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
  }
}
