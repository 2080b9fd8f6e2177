// Runs a model on rows of numbers: predict BUNDLE NUMBER...
//
//     c++ -std=c++17 predict.cpp -I../../Sources/Bindings/CTensorIO/include -L../../.build/wheel -ltensorio -o predict
#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tensorio.h"

namespace {

// Throws the message of an error, and releases the error.
void check(tio_status status, tio_error *error) {
  if (status == TIO_OK) return;
  std::string message = tio_error_message(error);
  tio_error_release(error);
  throw std::runtime_error(message);
}

using Model = std::unique_ptr<tio_model, decltype(&tio_model_release)>;
using Output = std::unique_ptr<tio_output, decltype(&tio_output_release)>;

Model open(const char *path) {
  tio_model *model = nullptr;
  tio_error *error = nullptr;
  check(tio_model_open(path, nullptr, &model, &error), error);
  return Model(model, tio_model_release);
}

Output run(const Model &model, const std::vector<float> &row) {
  const int64_t count = static_cast<int64_t>(row.size());
  tio_value value = tio_numbers(TIO_FLOAT32, row.data(), &count, 1);
  tio_output *output = nullptr;
  tio_error *error = nullptr;
  check(tio_model_run(model.get(), &value, 1, &output, &error), error);
  return Output(output, tio_output_release);
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::cerr << "usage: " << argv[0] << " BUNDLE NUMBER...\n";
    return 2;
  }
  try {
    const Model model = open(argv[1]);
    std::vector<float> row;
    for (int index = 2; index < argc; index++) row.push_back(std::strtof(argv[index], nullptr));
    const Output output = run(model, row);
    for (size_t index = 0; index < tio_output_count(output.get()); index++) {
      tio_tensor tensor;
      tio_error *error = nullptr;
      check(tio_output_tensor(output.get(), index, &tensor, &error), error);
      if (tensor.dtype != TIO_FLOAT32) continue;
      std::cout << tio_output_name(output.get(), index);
      const float *numbers = static_cast<const float *>(tensor.data);
      for (size_t element = 0; element < tensor.byte_count / sizeof(float); element++)
        std::cout << ' ' << numbers[element];
      std::cout << '\n';
    }
  } catch (const std::exception &error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
