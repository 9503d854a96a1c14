// Loops around Pinocchio's algorithms, so that its C++ is timed without Python in between.
// Built by pinocchio_loops.py; reads a model saved by Pinocchio and rows of q, v, a from the caller.

#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/serialization.hpp>

#include <chrono>
#include <string>

namespace {
using Columns = Eigen::Map<const Eigen::MatrixXd>;

template <typename Matrix> double *copied(const Matrix &matrix, double *out) {
  Eigen::Map<Eigen::MatrixXd>(out, matrix.rows(), matrix.cols()) = matrix;
  return out + matrix.size();
}
}

extern "C" {

void *open_model(const char *path) {
  auto *model = new pinocchio::Model();
  pinocchio::serialization::loadFromText(*model, std::string(path));
  return model;
}

void *open_data(const void *model) { return new pinocchio::Data(*static_cast<const pinocchio::Model *>(model)); }

// Seconds for one pass over `count` states. `which`: 0 rnea, 1 aba, 2 crba, 3 rnea derivatives, 4 aba derivatives.
// Results of all states are copied to `out` one after the other, unless it is null.
double run(const void *model_, void *data_, int which, const double *q_, const double *v_, const double *a_, int count,
           double *out) {
  const auto &model = *static_cast<const pinocchio::Model *>(model_);
  auto &data = *static_cast<pinocchio::Data *>(data_);
  Columns q(q_, model.nq, count), v(v_, model.nv, count), a(a_, model.nv, count);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i) {
    switch (which) {
    case 0: pinocchio::rnea(model, data, q.col(i), v.col(i), a.col(i)); break;
    case 1: pinocchio::aba(model, data, q.col(i), v.col(i), a.col(i), pinocchio::Convention::WORLD); break;
    case 2: pinocchio::crba(model, data, q.col(i), pinocchio::Convention::WORLD); break;
    case 3: pinocchio::computeRNEADerivatives(model, data, q.col(i), v.col(i), a.col(i)); break;
    default: pinocchio::computeABADerivatives(model, data, q.col(i), v.col(i), a.col(i)); break;
    }
    if (out == nullptr) continue;
    switch (which) {
    case 0: out = copied(data.tau, out); break;
    case 1: out = copied(data.ddq, out); break;
    case 2:
      data.M.triangularView<Eigen::StrictlyLower>() = data.M.transpose();
      out = copied(data.M, out);
      break;
    case 3: out = copied(data.M, copied(data.dtau_dv, copied(data.dtau_dq, out))); break;
    default: out = copied(data.Minv, copied(data.ddq_dv, copied(data.ddq_dq, out))); break;
    }
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}
}
