import TensorIO

print("a package that depends on TensorIO builds and starts")
