// swift-tools-version: 6.3

import PackageDescription

// Targets by floor, lowest first. A target imports targets of its own floor and of those below, but only `Bindings`
// imports `Runtimes`: everything else is given one. See Documentation/ARCHITECTURE.md; `Scripts/lint/imports` checks it.

/// The settings of every Swift target.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),  // unsafe code is marked and can be confined
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("InternalImportsByDefault"),  // imports do not leak into the public API
  .enableUpcomingFeature("MemberImportVisibility"),  // nor do their members
  .enableUpcomingFeature("ExistentialAny"),
]

/// Returns a Swift library target.
func library(_ name: String, uses: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: uses, swiftSettings: strict)
}

/// Returns a C target.
func c(
  _ name: String, uses: [Target.Dependency] = [], excluding: [String] = [], links: [String] = []
) -> Target {
  .target(
    name: name, dependencies: uses, exclude: excluding,
    linkerSettings: links.map { .linkedLibrary($0) })
}

/// Returns a test target.
func tests(
  _ name: String, of uses: [Target.Dependency], in folder: String? = nil,
  excluding data: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: uses + ["TensorIOTestSupport"], path: folder, exclude: data,
    swiftSettings: strict)
}

/// Gives targets the folders of a floor: `TensorIOCore` is in Sources/Bundles/Core, and `TensorIOCoreTests` in Tests/Bundles/Core.
func floor(_ name: String, _ targets: Target...) -> [Target] {
  for target in targets where target.path == nil {
    let isTest = target.type == .test
    let module =
      isTest && target.name.hasSuffix("Tests") ? String(target.name.dropLast(5)) : target.name
    let isNamedByFolder =
      module.hasPrefix("TensorIO") && !["TensorIO", "TensorIOC"].contains(module)
    let folder = isNamedByFolder ? String(module.dropFirst(8)) : module
    target.path = "\(isTest ? "Tests" : "Sources")/\(name)/\(folder)"
  }
  return targets
}

/// Returns a dependency that an application without the trait `Everything` does not have.
func optional(_ target: String) -> Target.Dependency {
  .target(name: target, condition: .when(traits: ["Everything"]))
}

let package = Package(
  name: "TensorIO",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "TensorIO", targets: ["TensorIO"]),
    .library(name: "TensorIOLiteRT", targets: ["TensorIOLiteRT"]),
    .library(name: "TensorIOTensorFlow", targets: ["TensorIOTensorFlow"]),
    .library(name: "TensorIOTasks", targets: ["TensorIOTasks"]),
    .library(name: "TensorIOImage", targets: ["TensorIOImage"]),
    .library(name: "TensorIOData", targets: ["TensorIOData"]),
    .library(name: "TensorIODrawing", targets: ["TensorIODrawing"]),
    .library(name: "TensorIOEvaluation", targets: ["TensorIOEvaluation"]),
    .library(name: "TensorIOQuantization", targets: ["TensorIOQuantization"]),
    .library(name: "TensorIOTeaching", targets: ["TensorIOTeaching"]),
    .library(name: "TensorIOCommand", targets: ["TensorIOCommand"]),
    .library(name: "TensorIORuntimeConformance", targets: ["TensorIORuntimeConformance"]),
    .library(name: "TensorIOC", type: .static, targets: ["TensorIOC", "TensorIOCommand"]),
    .plugin(name: "TensorIOTypedModels", targets: ["TensorIOTypedModelsPlugin"]),
    .executable(name: "tensorio", targets: ["tensorio"]),
    .executable(name: "tensorio-worker", targets: ["tensorio-worker"]),
  ],
  // One trait, because SwiftPM passes several to the compiler in another order each time, and compiles everything again.
  traits: [
    .default(enabledTraits: ["Everything"]),
    .trait(
      name: "Everything",
      description: "TensorFlow and ONNX models, worker processes, training and text"),
  ],
  targets:
    // Base: what knows nothing of models
    floor(
      "Base",
      c("CSHA256"),
      c("CForks"),
      library("TensorIOSystem", uses: ["CSHA256", "CForks"]),
      library("TensorIOJSON"),
      c("COptionalLibraries", links: ["dl"]),
      c("CPixelKernels"),
      .systemLibrary(
        name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
      .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
      c("CPNGRows", uses: ["CPNG"]),
      library(
        "TensorIOImage",
        uses: [
          "TensorIOSystem", "CTurboJPEG", "CPNG", "CPNGRows", "COptionalLibraries", "CPixelKernels",
        ]),
      library("TensorIOAudio", uses: ["TensorIOSystem"]),
      library("TensorIOText", uses: ["TensorIOJSON", "TensorIOSystem"]),
      library("TensorIOTemplates", uses: ["TensorIOJSON", "TensorIOSystem"]))
    // Bundles: bundles, values, sessions, results: what every application links
    + floor(
      "Bundles",
      .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
      library(
        "TensorIOBundle",
        uses: [
          "TensorIOAudio", "TensorIOImage", "TensorIOJSON", "TensorIOSystem", "CZlib",
          "COptionalLibraries",
        ]),
      library(
        "TensorIOCore",
        uses: [
          "TensorIOBundle", "TensorIOImage", "TensorIOAudio", optional("TensorIOText"),
          "TensorIOJSON", "TensorIOSystem",
        ]),
      library(
        "TensorIOGeneration",
        uses: [
          "TensorIOCore", "TensorIOBundle", "TensorIOTemplates", "TensorIOText", "TensorIOJSON",
          "TensorIOSystem",
        ]),
      library(
        "TensorIOTasks",
        uses: [
          optional("TensorIOGeneration"), "TensorIOCore", "TensorIOBundle",
          optional("TensorIOTemplates"), optional("TensorIOText"), "TensorIOAudio", "TensorIOImage",
          "TensorIOJSON", "TensorIOSystem",
        ]),
      library(
        "TensorIOTraining",
        uses: ["TensorIOCore", "TensorIOBundle", "TensorIOJSON", "TensorIOSystem"]))
    // Runtimes: what runs models, here or in a worker process
    + floor(
      "Runtimes",
      c("CLiteRT", uses: ["COptionalLibraries"]),
      library(
        "TensorIOLiteRT",
        uses: ["TensorIOCore", "TensorIOBundle", "TensorIOJSON", "TensorIOSystem", "CLiteRT"]),
      c("CTensorFlow", uses: ["COptionalLibraries"]),
      library(
        "TensorIOTensorFlow",
        uses: ["TensorIOCore", "TensorIOBundle", "TensorIOSystem", "CTensorFlow"]),
      c("CONNX", uses: ["COptionalLibraries"]),
      library(
        "TensorIOONNX",
        uses: ["TensorIOCore", "TensorIOBundle", "TensorIOSystem", "CONNX"]),
      c("CIsolation"),
      library(
        "TensorIOIsolation",
        uses: [
          "TensorIOCore", "TensorIOBundle", "TensorIOJSON", "TensorIOSystem", "CIsolation",
        ]),
      library(
        "TensorIORuntimes",
        uses: [
          optional("TensorIOTensorFlow"), optional("TensorIOONNX"), "TensorIOLiteRT",
          "TensorIOCore", "TensorIOBundle",
        ]))
    // Tools: what is done with models besides running them
    + floor(
      "Tools",
      library(
        "TensorIOData",
        uses: [
          "TensorIOCore", "TensorIOBundle", "TensorIOImage", "TensorIOJSON", "TensorIOSystem",
          "COptionalLibraries",
        ]),
      library(
        "TensorIODrawing",
        uses: [
          "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOImage", "TensorIOJSON",
          "TensorIOSystem", "COptionalLibraries",
        ]),
      library(
        "TensorIODrafting",
        uses: [
          "TensorIOData", "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOImage",
          "TensorIOJSON", "TensorIOSystem",
        ]),
      library(
        "TensorIOEvaluation",
        uses: [
          "TensorIODrawing", "TensorIOData", "TensorIOTasks", optional("TensorIOGeneration"),
          optional("TensorIOText"), "TensorIOCore", "TensorIOBundle", "TensorIOAudio",
          "TensorIOImage", "TensorIOJSON", "TensorIOSystem",
        ]),
      library(
        "TensorIOQuantization",
        uses: [
          "TensorIOEvaluation", "TensorIOData", "TensorIOTasks", "TensorIOCore", "TensorIOBundle",
          "TensorIOJSON", "TensorIOSystem",
        ]),
      library(
        "TensorIOLibrary",
        uses: [
          "TensorIOData", "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOAudio",
          "TensorIOImage", "TensorIOJSON", "TensorIOSystem", "COptionalLibraries",
        ]),
      library(
        "TensorIOTeaching",
        uses: [
          "TensorIOLibrary", "TensorIOEvaluation", "TensorIOData", "TensorIOTasks",
          "TensorIOTraining", "TensorIOCore", "TensorIOBundle", "TensorIOAudio", "TensorIOImage",
          "TensorIOJSON", "TensorIOSystem",
        ]),
      library(
        "TensorIOStreaming", uses: ["TensorIOEvaluation", "TensorIOCore", "TensorIOImage"]),
      library(
        "TensorIOTypedModels", uses: ["TensorIOTasks", "TensorIOBundle", "TensorIOSystem"]),
      library(
        "TensorIORuntimeConformance", uses: ["TensorIOCore", "TensorIOBundle", "TensorIOSystem"]))
    // Serving: models over a network
    + floor(
      "Serving",
      c("CEventPoll"),
      c("CProtobufDescriptors", excluding: ["Definitions", "Descriptors.binpb"]),
      library(
        "TensorIOServer",
        uses: [
          "TensorIOEvaluation", "TensorIODrawing", "TensorIOTasks", "TensorIOGeneration",
          "TensorIOCore", "TensorIOBundle",
          "TensorIOAudio", "TensorIOImage", "TensorIOJSON", "TensorIOSystem", "CEventPoll",
          "CProtobufDescriptors",
          "COptionalLibraries",
        ]),
      c("CStudioPage", excluding: ["Page", "File.inc", "Files.inc"]),
      library(
        "TensorIOStudio",
        uses: [
          "TensorIOServer", "TensorIOTeaching", "TensorIOEvaluation", "TensorIODrawing",
          "TensorIOTasks", "TensorIOData", "TensorIOCore", "TensorIOBundle", "TensorIOAudio",
          "TensorIOImage", "TensorIOJSON", "TensorIOSystem", "CStudioPage",
        ]))
    // Bindings: where users come in: from Swift, C, a shell, a build
    + floor(
      "Bindings",
      library(
        "TensorIO",
        uses: [
          "TensorIORuntimes", optional("TensorIODrafting"), "TensorIOTasks",
          optional("TensorIOGeneration"),
          optional("TensorIOIsolation"), optional("TensorIOTraining"), "TensorIOCore",
          "TensorIOBundle", "TensorIOAudio",
          "TensorIOImage", "TensorIOJSON", "TensorIOSystem",
        ]),
      library(
        "TensorIOCommand",
        uses: [
          "TensorIOStudio", "TensorIOStreaming", "TensorIOServer", "TensorIOLibrary",
          "TensorIOEvaluation", "TensorIOQuantization", "TensorIOTeaching", "TensorIODrafting",
          "TensorIODrawing", "TensorIO", "TensorIOTypedModels", "TensorIOData", "TensorIORuntimes",
          "TensorIOTasks",
          "TensorIOGeneration",
          "TensorIOIsolation", "TensorIOTraining", "TensorIOCore", "TensorIOBundle",
          "TensorIOAudio", "TensorIOImage", "TensorIOJSON", "TensorIOSystem",
        ]),
      c("CTensorIO"),
      library(
        "TensorIOC",
        uses: [
          "TensorIOLibrary", "TensorIODrawing", "TensorIO", "TensorIORuntimes", "TensorIOTasks",
          "TensorIODrafting", "TensorIOTraining", "TensorIOTeaching", "TensorIOEvaluation",
          "TensorIOData",
          "TensorIOIsolation", "TensorIOCore", "TensorIOAudio", "TensorIOBundle", "TensorIOImage",
          "TensorIOJSON",
          "TensorIOSystem", "TensorIOGeneration", "CTensorIO",
        ]),
      .executableTarget(
        name: "tensorio", dependencies: ["TensorIOCommand"], swiftSettings: strict),
      .executableTarget(
        name: "tensorio-worker",
        dependencies: ["TensorIORuntimes", "TensorIOIsolation"], swiftSettings: strict),
      .executableTarget(
        name: "tensorio-generate", dependencies: ["TensorIOTypedModels"], swiftSettings: strict))
    + [
      // the generator of Swift types in a build
      .plugin(
        name: "TensorIOTypedModelsPlugin", capability: .buildTool(),
        dependencies: ["tensorio-generate"],
        path: "Plugins/TypedModels"),
      // tests, and what they share
      .target(
        name: "TensorIOTestSupport",
        dependencies: [
          "TensorIOCommand", "TensorIOTasks", "TensorIOTraining", "TensorIOCore", "TensorIOBundle",
          "TensorIOImage", "TensorIOJSON",
        ],
        path: "Tests/Support", swiftSettings: strict),
      tests(
        "TensorIOFuzzTests",
        of: [
          "TensorIOCommand", "TensorIOStudio", "TensorIOStreaming", "TensorIOServer",
          "TensorIOLibrary", "TensorIOEvaluation", "TensorIODrafting", "TensorIODrawing",
          "TensorIOData", "TensorIOTasks", "TensorIOGeneration", "TensorIOIsolation",
          "TensorIOTensorFlow", "TensorIOONNX", "TensorIOLiteRT", "TensorIOTraining",
          "TensorIOCore", "TensorIOBundle",
          "TensorIOTemplates", "TensorIOText", "TensorIOAudio", "TensorIOImage", "TensorIOJSON",
          "TensorIOSystem",
        ], in: "Tests/Fuzz"),
    ]
    + floor(
      "Base",
      tests("TensorIOSystemTests", of: ["TensorIOSystem"]),
      tests("TensorIOJSONTests", of: ["TensorIOJSON"]),
      tests("TensorIOImageTests", of: ["TensorIOImage", "CPixelKernels"]),
      tests("TensorIOAudioTests", of: ["TensorIOAudio", "TensorIOSystem"]),
      tests("TensorIOTextTests", of: ["TensorIOText", "TensorIOJSON", "TensorIOSystem"]),
      tests(
        "TensorIOTemplatesTests", of: ["TensorIOTemplates", "TensorIOJSON", "TensorIOSystem"]))
    + floor(
      "Bundles",
      tests(
        "TensorIOBundleTests",
        of: [
          "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOImage", "TensorIOJSON",
          "TensorIOSystem",
        ]),
      tests(
        "TensorIOGenerationTests",
        of: [
          "TensorIOGeneration", "TensorIOCore", "TensorIOBundle", "TensorIOText", "TensorIOJSON",
        ]),
      tests(
        "TensorIOTrainingTests",
        of: [
          "TensorIOTraining", "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOImage",
          "TensorIOJSON", "TensorIOSystem",
        ]),
      tests(
        "TensorIOCoreTests",
        of: [
          "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOImage", "TensorIOJSON",
          "TensorIOSystem",
        ]),
      tests(
        "TensorIOTasksTests",
        of: [
          "TensorIOTasks", "TensorIOGeneration", "TensorIOAudio", "TensorIOCore", "TensorIOBundle",
          "TensorIOImage", "TensorIOJSON", "TensorIOSystem",
        ]))
    + floor(
      "Runtimes",
      tests(
        "TensorIOLiteRTTests",
        of: [
          "TensorIOLiteRT", "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOSystem",
        ]),
      tests(
        "TensorIOTensorFlowTests",
        of: [
          "TensorIOTensorFlow", "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOSystem",
        ]),
      tests(
        "TensorIOONNXTests",
        of: ["TensorIOONNX", "TensorIOCore", "TensorIOBundle"]),
      tests(
        "TensorIOIsolationTests",
        of: [
          "TensorIO", "TensorIOIsolation", "TensorIOTensorFlow", "TensorIOONNX", "TensorIOLiteRT",
          "TensorIOTasks", "TensorIOCore", "TensorIOBundle", "TensorIOImage", "TensorIOSystem",
          "tensorio-worker",
        ]))
    + floor(
      "Tools",
      tests(
        "TensorIODataTests",
        of: [
          "TensorIOData", "TensorIOCore", "TensorIOBundle", "TensorIOImage", "TensorIOJSON",
          "TensorIOSystem",
        ]),
      tests(
        "TensorIODrawingTests",
        of: [
          "TensorIODrawing", "TensorIO", "TensorIOTasks", "TensorIOCore", "TensorIOBundle",
          "TensorIOImage",
        ]),
      tests(
        "TensorIOEvaluationTests",
        of: [
          "TensorIOEvaluation", "TensorIODrawing", "TensorIO", "TensorIOData", "TensorIOTasks",
          "TensorIOCore", "TensorIOBundle", "TensorIOAudio", "TensorIOImage", "TensorIOJSON",
        ]),
      tests(
        "TensorIOTeachingTests",
        of: [
          "TensorIOTeaching", "TensorIO", "TensorIORuntimes", "TensorIOTensorFlow", "TensorIOTasks",
          "TensorIOCore", "TensorIOBundle", "TensorIOAudio", "TensorIOImage", "TensorIOJSON",
          "TensorIOSystem",
        ]),
      tests("TensorIOLibraryTests", of: ["TensorIOLibrary", "TensorIOCore", "TensorIOBundle"]),
      tests(
        "TensorIOTypedModelsTests",
        of: [
          "TensorIOTypedModels", "TensorIO", "TensorIOTasks", "TensorIOCore", "TensorIOBundle",
          "TensorIOImage",
        ]),
      tests(
        "TensorIORuntimeConformanceTests",
        of: [
          "TensorIORuntimeConformance", "TensorIORuntimes", "TensorIOIsolation",
          "TensorIOTensorFlow", "TensorIOONNX", "TensorIOLiteRT", "TensorIOCore", "TensorIOBundle",
          "tensorio-worker",
        ]))
    + floor(
      "Serving",
      tests(
        "TensorIOServerTests",
        of: [
          "TensorIOServer", "TensorIOEvaluation", "TensorIO", "TensorIOTasks",
          "TensorIOGeneration", "TensorIOIsolation", "TensorIOLiteRT", "TensorIOCore",
          "TensorIOBundle", "TensorIOImage", "TensorIOJSON",
          "TensorIOSystem", "tensorio-worker",
        ]),
      tests(
        "TensorIOStudioTests",
        of: [
          "TensorIOCommand", "TensorIOStudio", "TensorIOServer", "TensorIOLibrary",
          "TensorIOEvaluation", "TensorIO", "TensorIOData", "TensorIOCore", "TensorIOBundle",
          "TensorIOImage", "TensorIOSystem", "TensorIOTasks",
        ]))
    + floor(
      "Bindings",
      tests(
        "TensorIOCommandTests",
        of: [
          "TensorIOCommand", "TensorIOStreaming", "TensorIOLibrary", "TensorIODrafting", "TensorIO",
          "TensorIORuntimes", "TensorIOTasks", "TensorIOIsolation", "TensorIOLiteRT",
          "TensorIOServer", "TensorIOCore", "TensorIOBundle", "TensorIOImage", "TensorIOJSON",
          "TensorIOSystem", "TensorIOTeaching", "tensorio", "tensorio-worker",
        ]),
      tests(
        "TensorIOConformanceTests",
        of: [
          "TensorIO", "TensorIOIsolation", "TensorIOTasks", "TensorIOTraining", "TensorIOCore",
          "TensorIOBundle", "TensorIOImage",
        ], excluding: ["Cases"]),
      tests(
        "ConsumerProbe",
        of: [
          "TensorIO", "TensorIORuntimeConformance", "TensorIOTasks", "TensorIOCore",
          "TensorIOBundle", "TensorIOImage",
        ]))
)

// A library of the fuzz targets, which `Scripts/check/fuzz` links a fuzzer to.
if Context.environment["TENSORIO_FUZZING"] != nil {
  let readers = package.targets.filter { $0.name == "TensorIOFuzzTests" }.flatMap(\.dependencies)
  package.targets.removeAll(where: \.isTest)
  package.targets.append(
    .target(
      name: "TensorIOFuzzing", dependencies: readers, path: "Tests/Fuzz/Readers",
      swiftSettings: strict))
  package.products.append(
    .library(name: "TensorIOFuzzing", type: .static, targets: ["TensorIOFuzzing"]))
}
