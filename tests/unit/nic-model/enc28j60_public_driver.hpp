#pragma once
// What the tests of public drivers have in common.

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/unit/nic-model/enc28j60_bench.hpp"

namespace avrlan {

using enc28j60::Phy;
using enc28j60::Reg;
namespace ECON1 = enc28j60::ECON1;
namespace ECON2 = enc28j60::ECON2;
namespace EIE = enc28j60::EIE;
namespace EIR = enc28j60::EIR;
namespace ESTAT = enc28j60::ESTAT;

inline constexpr std::uint16_t rx_stop = 0x0BFF, tx_start = 0x0C00, tx_stop = 0x11FF;

class PublicDriver : public testing::Test {
 protected:
  explicit PublicDriver(const Enc28j60Options& options = {}) : bench{options} {}

  void poll(Reg reg, unsigned mask, unsigned wanted) {
    for (int n = 0; n < 1000 && (bench.read(reg) & mask) != wanted; ++n) bench.advance(Duration::microseconds(5));
    ASSERT_EQ(bench.read(reg) & mask, wanted);
  }
  void write_phy_and_poll(Phy reg, unsigned value) {
    bench.write(Reg::MIREGADR, static_cast<unsigned>(reg));
    bench.write_pair(Reg::MIWRL, value);
    poll(Reg::MISTAT, enc28j60::MISTAT::BUSY, 0);
  }
  std::uint16_t read_phy_and_poll(Phy reg) {
    bench.write(Reg::MIREGADR, static_cast<unsigned>(reg));
    bench.write(Reg::MICMD, 1);
    poll(Reg::MISTAT, enc28j60::MISTAT::BUSY, 0);
    bench.write(Reg::MICMD, 0);
    return bench.read_pair(Reg::MIRDL);
  }
  // In the order of the address in these drivers' headers, which count MAADR from the other end.
  void write_address() {
    const Reg registers[] = {Reg::MAADR1, Reg::MAADR2, Reg::MAADR3, Reg::MAADR4, Reg::MAADR5, Reg::MAADR6};
    for (std::size_t n = 0; n < 6; ++n) bench.write(registers[n], Enc28j60Bench::mac[n]);
  }
  void reset_transmitter() {
    bench.set(Reg::ECON1, ECON1::TXRST);
    bench.clear(Reg::ECON1, ECON1::TXRST);
    bench.clear(Reg::EIR, EIR::TXERIF | EIR::TXIF);
  }
  Octets last_sent() const { return bench.sent.empty() ? Octets{} : bench.sent.back().frame.octets; }
  std::set<std::string> said() const {
    std::set<std::string> codes;
    for (const Diagnostic& diagnostic : bench.diagnostics) codes.insert(diagnostic.code);
    return codes;
  }

  Enc28j60Bench bench;
};

}  // namespace avrlan
