import TensorIOCore

/// `tensorio completions`: prints completion scripts for shells.
struct CompletionsCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "completions", summary: "Print a completion script for bash, zsh or fish",
    usage: "bash | zsh | fish", flags: [],
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

  private static func bash(_ pages: [HelpPage]) -> String {
    let cases = pages.map { page in
      let options = page.allFlags.map { "--\($0.name)" }.joined(separator: " ")
      return "    \(page.name)) words=\"\(options)\" ;;"
    }
    return """
      _tensorio() {
        local current="${COMP_WORDS[COMP_CWORD]}" words=""
        if [ "$COMP_CWORD" -eq 1 ]; then
          COMPREPLY=($(compgen -W "\(pages.map(\.name).joined(separator: " "))" -- "$current"))
          return
        fi
        case "${COMP_WORDS[1]}" in
      \(cases.joined(separator: "\n"))
        esac
        COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
      }
      complete -o filenames -F _tensorio tensorio
      """
  }

  private static func fish(_ pages: [HelpPage]) -> String {
    let commands = pages.map {
      "complete -c tensorio -n __fish_use_subcommand -a \($0.name)"
        + " -d '\($0.summary.escapingSingleQuotes)'"
    }
    let flags = pages.flatMap { page in
      page.allFlags.map {
        "complete -c tensorio -n '__fish_seen_subcommand_from \(page.name)' -l \($0.name)"
          + " -d '\($0.help.escapingSingleQuotes)'" + ($0.valueName == nil ? "" : " -r")
      }
    }
    return (commands + flags).joined(separator: "\n")
  }
}

extension String {
  fileprivate var escapingSingleQuotes: String {
    split(separator: "'", omittingEmptySubsequences: false).joined(separator: "\\'")
  }
}
