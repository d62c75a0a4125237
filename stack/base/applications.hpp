#ifndef TCPIP_BASE_APPLICATIONS_HPP
#define TCPIP_BASE_APPLICATIONS_HPP
// The applications of a configuration, held by value and told apart by their place in the list: calls are chosen by an
// index at run time and are direct.
#include <stddef.h>
#include <stdint.h>

#include "stack/base/address.hpp"
#include "stack/config.hpp"

namespace tcpip {

template <class L>
struct Applications;

template <>
struct Applications<List<>> {
  static constexpr uint8_t count = 0;
  template <class Visitor>
  void visit(uint8_t, Visitor&) {}
  template <class Visitor>
  bool find(Visitor&) {
    return false;
  }
  template <class Visitor>
  void each(Visitor&) {}
};

template <class First, class... Rest>
struct Applications<List<First, Rest...>> {
  static constexpr uint8_t count = 1 + sizeof...(Rest);

  // Calls visitor(application) for the one at `index`.
  template <class Visitor>
  void visit(uint8_t index, Visitor& visitor) {
    if (sizeof...(Rest) == 0 || index == 0)
      visitor(first);
    else
      rest.visit(static_cast<uint8_t>(index - 1), visitor);
  }

  // Calls visitor(application) for each one until it returns true.
  template <class Visitor>
  bool find(Visitor& visitor) {
    return visitor(first) || rest.find(visitor);
  }

  template <class Visitor>
  void each(Visitor& visitor) {
    visitor(first);
    rest.each(visitor);
  }

  First first;
  Applications<List<Rest...>> rest;
};

// The groups that UDP applications receive from.
template <class L>
struct Groups;
template <>
struct Groups<List<>> {
  static constexpr bool any = false;
  static bool has(const Ipv4Address&) { return false; }
};
template <class First, class... Rest>
struct Groups<List<First, Rest...>> {
  static constexpr bool any = First::group != 0 || Groups<List<Rest...>>::any;
  static bool has(const Ipv4Address& ip) {
    return (First::group && ip == to_address(First::group)) || Groups<List<Rest...>>::has(ip);
  }
};

// The application of type A.
template <class A, class L>
struct Find;
template <class A, class... Rest>
struct Find<A, List<A, Rest...>> {
  static A& in(Applications<List<A, Rest...>>& applications) { return applications.first; }
};
template <class A, class First, class... Rest>
struct Find<A, List<First, Rest...>> {
  static A& in(Applications<List<First, Rest...>>& applications) {
    return Find<A, List<Rest...>>::in(applications.rest);
  }
};

// Its place.
template <class A, class L>
struct IndexOf;
template <class A, class... Rest>
struct IndexOf<A, List<A, Rest...>> {
  static constexpr uint8_t value = 0;
};
template <class A, class First, class... Rest>
struct IndexOf<A, List<First, Rest...>> {
  static constexpr uint8_t value = 1 + IndexOf<A, List<Rest...>>::value;
};

}  // namespace tcpip

#endif
