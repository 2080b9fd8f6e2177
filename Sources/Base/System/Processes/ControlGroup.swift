/// The limits of the process's control group, such as those of a container.
///
/// Both versions of Linux control groups are read. A limit applies to a group and everything below
/// it, so the lowest limit of the process's group and its ancestors counts.
package struct ControlGroup: Sendable {
  /// The control group of this process.
  package static let current = ControlGroup(root: "")

  /// The folder in which `/proc` and `/sys` are found.
  private let root: String
  /// The path of the group by controller; the empty name is version 2.
  private let paths: [String: String]

  /// The path that lists the groups of this process.
  package static let membershipPath = "/proc/self/cgroup"

  /// Creates the group of this process, with `/proc` and `/sys` in another folder for tests.
  package init(root: String) {
    self.root = root
    var paths: [String: String] = [:]
    // Lines such as "4:memory:/docker/1f2e" and, for version 2, "0::/system.slice".
    for line in Self.text(root + Self.membershipPath).split(separator: "\n") {
      let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
      guard fields.count == 3 else { continue }
      for controller in fields[1].split(separator: ",", omittingEmptySubsequences: false) {
        paths[String(controller)] = String(fields[2])
      }
    }
    self.paths = paths
  }

  /// The memory that the group may use, in bytes; `nil` if it is not limited.
  package var memoryLimit: Int? { memoryLimits.map(\.bytes).min() }

  /// The memory that the group may use in addition to what it uses, in bytes; `nil` if it is not limited.
  ///
  /// Cached files that were not used recently do not count, because the system drops them first.
  package var freeMemory: Int? {
    memoryLimits.map { limit in
      let isUnified = limit.file == Self.memoryMax
      let used =
        number(in: limit.folder, isUnified ? "memory.current" : "memory.usage_in_bytes") ?? 0
      let cached = Self.text(limit.folder + "/memory.stat").split(separator: "\n")
        .first { $0.hasPrefix(isUnified ? "inactive_file " : "total_inactive_file ") }
        .flatMap { Int($0.drop { !$0.isWhitespace }.dropFirst()) }
      return max(0, limit.bytes - max(0, used - (cached ?? 0)))
    }.min()
  }

  /// A limit on memory, with the file that holds it.
  private struct MemoryLimit {
    let bytes: Int
    let folder: String
    let file: String
  }

  private static let memoryMax = "memory.max"

  /// The limits of the group and of its ancestors.
  private var memoryLimits: [MemoryLimit] {
    let version2 = groups(in: Self.version2Folders, controller: "").map { ($0, Self.memoryMax) }
    let version1 = groups(in: ["/sys/fs/cgroup/memory"], controller: "memory")
      .map { ($0, "memory.limit_in_bytes") }
    return (version2 + version1).compactMap { folder, file in
      guard let bytes = number(in: folder, file), (1..<Self.unlimitedBytes).contains(bytes) else {
        return nil
      }
      return MemoryLimit(bytes: bytes, folder: folder, file: file)
    }
  }

  /// The number of processors that the group may use, rounded up; `nil` if it is not limited.
  package var processorLimit: Int? {
    let version2 = values(of: "cpu.max", in: Self.version2Folders, controller: "")
    let folders = ["/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"]
    let quotas = values(of: "cpu.cfs_quota_us", in: folders, controller: "cpu")
    let periods = values(of: "cpu.cfs_period_us", in: folders, controller: "cpu")
    let version1 = zip(quotas, periods).map { "\($0) \($1)" }
    return (version2 + version1).compactMap(Self.processorLimit).min()
  }

  /// Returns the limit in the contents of `cpu.max`: quota divided by period, rounded up.
  package static func processorLimit(cpuMax line: String) -> Int? {
    let fields = line.split(whereSeparator: \.isWhitespace).map { Double($0) }
    guard fields.count == 2, let quota = fields[0], let period = fields[1], quota > 0, period > 0
    else { return nil }
    return Int(exactly: (quota / period).rounded(.up)).map { max(1, $0) }
  }

  private static let version2Folders = ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
  /// Version 1 reports a limit close to 2⁶³ if there is none.
  private static let unlimitedBytes = 1 << 60

  /// Returns the contents of a file in the process's group and in its ancestors.
  ///
  /// In a container, the path of the group may be that of the host, while the folder is already
  /// the container's own group. The file in the folder itself is therefore always read.
  private func values(of file: String, in folders: [String], controller: String) -> [String] {
    groups(in: folders, controller: controller).map { Self.text("\($0)/\(file)") }
      .filter { !$0.isEmpty }
  }

  /// Returns the folders of the process's group and of its ancestors.
  private func groups(in folders: [String], controller: String) -> [String] {
    let components = (paths[controller] ?? "").split(separator: "/").map(String.init)
    let groups = (0...components.count).map { components.prefix($0).map { "/" + $0 }.joined() }
    return folders.flatMap { folder in groups.map { root + folder + $0 } }
  }

  /// Returns the number that a file of a group begins with.
  private func number(in folder: String, _ file: String) -> Int? {
    Int(Self.text("\(folder)/\(file)").prefix { !$0.isWhitespace })
  }

  private static func text(_ path: String) -> String {
    let bytes = (try? FileBytes.prefix(of: path, limit: 1 << 14)) ?? []
    return String(decoding: bytes, as: UTF8.self)
  }
}
