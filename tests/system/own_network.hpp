#pragma once
// A network namespace for a process of its own: every port is free, and nothing outside can be reached.

namespace avrlan::test {

// Moves the calling process there, with its loopback up. False: this user may not.
bool enter_own_network();
// Whether enter_own_network() would succeed, tried in a child.
bool can_have_own_network();

}  // namespace avrlan::test
