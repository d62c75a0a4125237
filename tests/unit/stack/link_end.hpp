#ifndef AVRLAN_TESTS_UNIT_STACK_LINK_END_HPP
#define AVRLAN_TESTS_UNIT_STACK_LINK_END_HPP
// A stack with a Bulk application at one end of a link.
#include "nic-model/core/frame.hpp"
#include "tests/unit/stack/bench.hpp"
#include "tests/unit/stack/bulk.hpp"

namespace avrlan::test {

template <class Profile>
class LinkEnd : public FrameSink {
 public:
  struct Config : Profile {
    using Device = RamDevice;
    using TcpApplications = tcpip::List<Bulk>;
  };
  tcpip::Stack<Config> stack;

  // `us` is 0 or 1, as in bulk_octet. `now` as for poll().
  LinkEnd(Ipv4Address address, uint8_t us, uint32_t now) {
    const uint8_t key[16] = {us};
    EXPECT_TRUE(stack.begin(tcpip::MacAddress{{2, 0, 0, 0, 0, us}}, key, now));
    stack.configure(address, net_mask, Ipv4Address{});
    app().us = us;
    app().length = bulk_length;
  }
  void attach(FrameSink& link) { link_ = &link; }
  Bulk& app() { return stack.template tcp_application<Bulk>(); }

  // Something came; the stack sees it at its next poll.
  void deliver(const EthernetFrame& frame) override { stack.device().waiting.push_back(frame.octets); }

  void poll(uint32_t now) {
    stack.poll(now);
    auto& sent = stack.device().sent;
    for (; !sent.empty(); sent.pop_front()) link_->deliver(EthernetFrame::with_fcs(sent.front()));
  }

  void expect_everything() {
    EXPECT_EQ(app().received_octets, bulk_length);
    EXPECT_EQ(app().wrong_octets, 0u);
    EXPECT_EQ(app().end, tcpip::TcpEvent::closed);
  }

 private:
  FrameSink* link_ = nullptr;
};

}  // namespace avrlan::test

#endif
