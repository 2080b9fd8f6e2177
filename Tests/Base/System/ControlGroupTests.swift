import TensorIOSystem
import TensorIOTestSupport
import Testing

/// Limits of control groups, read from files as the kernel shows them.
@Suite struct ControlGroupTests {
  private let folder: TensorIOTestSupport.TemporaryFolder

  init() throws { folder = try TensorIOTestSupport.TemporaryFolder() }

  private func group(_ files: [String: String]) throws -> ControlGroup {
    for (name, text) in files { try folder.write(text, to: name) }
    return ControlGroup(root: folder.path)
  }

  @Test(
    arguments: [
      ("max 100000\n", nil), ("200000 100000\n", 2), ("150000 100000", 2), ("50000 100000\n", 1),
      ("1 100000\n", 1), ("0 100000\n", nil), ("-1 100000\n", nil), ("100000\n", nil), ("", nil),
      ("100000 0\n", nil), ("1 2 3\n", nil), ("nan 1\n", nil), ("inf 1\n", nil),
      ("1e300 1\n", nil), ("1 inf\n", 1),
    ] as [(String, Int?)])
  func `The quota of a control group is rounded up to processors`(text: String, count: Int?) {
    #expect(ControlGroup.processorLimit(cpuMax: text) == count)
  }

  @Test func `Version 2: the lowest limit of the group and its ancestors counts`() throws {
    let group = try group([
      "proc/self/cgroup": "0::/system.slice/tensorio.service\n",
      "sys/fs/cgroup/system.slice/tensorio.service/memory.max": "max\n",
      "sys/fs/cgroup/system.slice/tensorio.service/cpu.max": "300000 100000\n",
      "sys/fs/cgroup/system.slice/memory.max": "268435456\n",
      "sys/fs/cgroup/system.slice/cpu.max": "max 100000\n",
    ])
    #expect(group.memoryLimit == 256 << 20)
    #expect(group.processorLimit == 3)
  }

  @Test func `What a group uses without cached files leaves less to it than its limit`() throws {
    let second = try group([
      "proc/self/cgroup": "0::/app/server\n",
      "sys/fs/cgroup/app/memory.max": "1000000\n", "sys/fs/cgroup/app/memory.current": "700000\n",
      "sys/fs/cgroup/app/memory.stat": "anon 1\ninactive_file 50000\nactive_file 3\n",
      "sys/fs/cgroup/app/server/memory.max": "800000\n",
      "sys/fs/cgroup/app/server/memory.current": "100000\n",
    ])
    #expect(second.freeMemory == 350_000)
    let first = try group([
      "proc/self/cgroup": "4:memory:/app\n",
      "sys/fs/cgroup/memory/app/memory.limit_in_bytes": "1000000\n",
      "sys/fs/cgroup/memory/app/memory.usage_in_bytes": "900000\n",
      "sys/fs/cgroup/memory/app/memory.stat": "inactive_file 1\ntotal_inactive_file 200000\n",
    ])
    #expect(first.freeMemory == 300_000)
    let unlimited = try group(["proc/self/cgroup": "0::/none\n"])
    #expect(unlimited.freeMemory == nil)
  }

  @Test func `Version 2 in a container: the folder is the group itself`() throws {
    let group = try group([
      "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "134217728\n",
      "sys/fs/cgroup/cpu.max": "50000 100000\n",
    ])
    #expect(group.memoryLimit == 128 << 20)
    #expect(group.processorLimit == 1)
  }

  @Test func `Version 1: each controller has a hierarchy`() throws {
    let group = try group([
      "proc/self/cgroup": """
      9:name=systemd:/
      4:memory:/app/worker
      1:cpu,cpuacct:/app
      0::/
      """,
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
      "sys/fs/cgroup/memory/app/memory.limit_in_bytes": "536870912\n",
      "sys/fs/cgroup/memory/app/worker/memory.limit_in_bytes": "268435456\n",
      "sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_quota_us": "150000\n",
      "sys/fs/cgroup/cpu,cpuacct/app/cpu.cfs_period_us": "100000\n",
    ])
    #expect(group.memoryLimit == 256 << 20)
    #expect(group.processorLimit == 2)
  }

  @Test func `Version 1 in a container: the path is that of the host`() throws {
    let group = try group([
      "proc/self/cgroup": "4:memory:/docker/1f2e\n1:cpu:/docker/1f2e\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "268435456\n",
      "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "200000\n",
      "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
    ])
    #expect(group.memoryLimit == 256 << 20)
    #expect(group.processorLimit == 2)
  }

  @Test func `No limit, and files without numbers, mean no limit`() throws {
    let group = try group([
      "proc/self/cgroup": "4:memory:/\n1:cpu:/\nnonsense\n0::/\n",
      "sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
      "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
      "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
      "sys/fs/cgroup/unified/memory.max": String(repeating: "1", count: 100_000),
    ])
    #expect(group.memoryLimit == nil)
    #expect(group.processorLimit == nil)
    let empty = ControlGroup(root: folder.path + "/missing")
    #expect(empty.memoryLimit == nil && empty.processorLimit == nil)
  }

  @Test func `The memory available is at most that of the machine`() {
    #expect(Platform.availableMemory <= Platform.physicalMemory)
    #expect(Platform.availableMemory > 0)
  }
}
