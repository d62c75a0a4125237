#include "tests/conformance/rules.hpp"

namespace avrlan::test {

const std::vector<NotYet>& not_yet() {
  static const std::vector<NotYet> all{
      {"TD-10", Profile::full, "keeps nothing that is out of order"},
      {"TD-21", Profile::full, "one segment in flight"},
      {"TD-22", Profile::full, "one segment in flight"},
      {"TD-24", Profile::full, "one segment in flight"},
  };
  return all;
}

}  // namespace avrlan::test
