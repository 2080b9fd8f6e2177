import Testing

@testable import TensorIOTypedModels

@Suite struct SwiftNameTests {
  @Test(arguments: [
    ("golden retriever", "goldenRetriever"), ("3", "_3"), ("3.5", "_3_5"), ("-1", "minus1"),
    ("C", "c"), ("C++", "cPlusPlus"), ("C#", "cSharp"), ("R&D", "rAndD"), ("100 %", "_100Percent"),
    ("crow's nest", "crowsNest"), ("🐱", "catFace"), ("❤️", "heavyBlackHeart"), ("+", "plusSign"),
    ("USA", "usa"), ("RGBImage", "rgbImage"), ("HTML5", "html5"), ("fooBar_baz", "fooBarBaz"),
    ("serving_default_x:0", "servingDefaultX0"), ("Straße", "straße"), ("猫", "猫"), ("", "empty"),
    ("\u{200B}", "empty"), ("n02123045 tabby, tabby cat", "n02123045TabbyTabbyCat"),
  ])
  func `A name is the text in lower camel case`(_ text: String, _ name: String) {
    #expect(SwiftName.lowerCamelCase(text, fallback: "empty") == name)
  }

  @Test(arguments: [
    ("models/face-detector.tiobundle/", "FaceDetector"), ("digits.tiobundle.zip", "Digits"),
    ("3d.tiobundle", "Model3d"), ("model.tiobundle", "ModelModel"), ("faces.tiochain", "Faces"),
    ("🎉.tiobundle", "PartyPopper"), ("data.tfbundle", "DataModel"), ("self.tiobundle", "SelfModel"),
    ("v1.2 net.tiobundle", "V1_2Net"), ("protocol.tiobundle", "ProtocolModel"),
  ])
  func `A type is named after the file of the bundle`(_ path: String, _ name: String) {
    #expect(SwiftModelGenerator.typeName(forBundleAt: path) == name)
    #expect(SwiftModelGenerator.isTypeName(name))
  }

  @Test(arguments: ["", "digits", "Model", "Self", "Any", "Two Words", "A;B", "3D"])
  func `A text that is not the name of a type is rejected`(_ name: String) {
    #expect(!SwiftModelGenerator.isTypeName(name))
  }

  @Test func `Cases are unique, and none is a keyword or a member of the enumeration`() {
    let labels = [
      "Cat", "cat", "CAT", "cat 2", "default", "self", "none", "init", "", "?!", "all cases",
    ]
    #expect(
      GeneratedNames.cases(for: labels) == [
        "cat", "cat_2", "cat_3", "cat2", "`default`", "selfLabel", "noneLabel", "initLabel",
        "empty",
        "questionMarkExclamationMark", "allCasesLabel",
      ])
    let many = GeneratedNames.cases(
      for: (0..<256).map { $0 % 2 == 0 ? "a\($0 / 2)" : "A \($0 / 2)" })
    #expect(Set(many).count == 256)
  }

  @Test(arguments: [
    ("a\"b\\(c)\n", #""a\"b\\(c)\n""#), ("\u{202E}x\0", #""\u{202E}x\u{0}""#), ("\r", #""\u{D}""#),
    ("é猫🐱", "\"é猫🐱\""),
  ])
  func `A literal contains no character that ends or hides it`(_ text: String, _ literal: String) {
    #expect(SwiftSource.literal(text) == literal)
  }
}
