#include <gtest/gtest.h>

#include <set>
#include <string>

#include "stack/app/text.hpp"
#include "stack/base/checksum.hpp"
#include "stack/base/keyed_hash.hpp"
#include "stack/base/stream.hpp"
#include "stack/base/time.hpp"
#include "tests/unit/stack/ram_device.hpp"

namespace avrlan::test {
namespace {

TEST(ByteOrder, FieldsReadAndAssignInNetworkOrder) {
  const tcpip::Be16 half = {{0x12, 0x34}};
  EXPECT_EQ(static_cast<uint16_t>(half), 0x1234);
  tcpip::Be32 word{};
  word = 0x89abcdef;
  EXPECT_EQ(word.octet[0], 0x89);
  EXPECT_EQ(word.octet[3], 0xef);
  EXPECT_EQ(static_cast<uint32_t>(word), 0x89abcdefu);
}

TEST(Checksum, Rfc1071Example) {
  const uint8_t octets[] = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  EXPECT_EQ(tcpip::sum_add(octets, sizeof octets, 0), 0xddf2);
}

TEST(Checksum, AgreesWithTheReferenceAtEveryEvenLengthAndStart) {
  uint8_t octets[64];
  uint32_t x = 1;
  for (uint8_t& o : octets) o = static_cast<uint8_t>((x = x * 1664525 + 1013904223) >> 24);
  for (uint8_t n = 0; n <= sizeof octets; n = static_cast<uint8_t>(n + 2))
    for (const uint32_t start : {0u, 1u, 0x8000u, 0xffffu})
      EXPECT_EQ(tcpip::sum_add(octets, n, static_cast<uint16_t>(start)), reference_sum(octets, n, start)) << n;
}

TEST(Checksum, CarriesAroundTheEnd) {
  const uint8_t ones[] = {0xff, 0xff, 0xff, 0xff, 0x00, 0x01};
  EXPECT_EQ(tcpip::sum_add(ones, sizeof ones, 0), 0x0001);
}

TEST(Time, DeadlinesCompareAcrossTheWrap) {
  EXPECT_TRUE(tcpip::is_due(5, 5));
  EXPECT_FALSE(tcpip::is_due(5, 6));
  EXPECT_TRUE(tcpip::is_due(3, 0xfffe));
  EXPECT_FALSE(tcpip::is_due(0xfffe, 3));
  EXPECT_EQ(tcpip::seconds(1), 63);  // rounded up
  EXPECT_EQ(tcpip::seconds(500), 31250);
}

// The block cipher it is made of, against the published vectors (Botan, xtea.vec): the hash xors the two halves.
TEST(KeyedHash, XteaVectors) {
  tcpip::KeyedHash hash;
  const uint8_t zero[16] = {};
  hash.set_secret(zero);
  EXPECT_EQ(hash(0, 0), 0xdee9d4d8u ^ 0xf7131ed9u);
  const uint32_t key[4] = {0x00010203, 0x04050607, 0x08090a0b, 0x0c0d0e0f};
  uint8_t secret[16];
  std::memcpy(secret, key, sizeof secret);
  hash.set_secret(secret);
  EXPECT_EQ(hash(0x41424344, 0x45464748), 0x497df3d0u ^ 0x72612cb5u);
}

TEST(KeyedHash, RandomNumbersDiffer) {
  tcpip::KeyedHash hash;
  const uint8_t secret[16] = {7};
  hash.set_secret(secret);
  std::set<uint32_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(hash.random());
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(Stream, WriterSumsPiecesOfAnyLength) {
  std::string text = "The quick brown fox jumps over the lazy dog";
  const auto whole = reference_sum(reinterpret_cast<const uint8_t*>(text.data()), text.size());
  for (size_t first = 0; first <= text.size(); ++first)
    for (size_t second = first; second <= text.size(); ++second) {
      RamDevice device;
      device.tx_open(0);
      tcpip::Writer<RamDevice> writer(device, 1460);
      writer.write(text.data(), static_cast<uint16_t>(first));
      writer.write(text.data() + first, static_cast<uint16_t>(second - first));
      writer.write(text.data() + second, static_cast<uint16_t>(text.size() - second));
      ASSERT_EQ(writer.sum(), whole) << first << " " << second;
    }
}

TEST(Stream, WriterCutsOffWhatDoesNotFit) {
  RamDevice device;
  device.tx_open(0);
  tcpip::Writer<RamDevice> writer(device, 3);
  writer.write("abcde", 5);
  EXPECT_EQ(writer.written(), 3);
  EXPECT_EQ(writer.room(), 0);
  writer.write("f", 1);
  EXPECT_EQ(writer.written(), 3);
}

struct StringWriter {
  std::string text;
  uint16_t room_left;
  uint16_t room() const { return room_left; }
  void write(const void* from, uint16_t n) {
    ASSERT_LE(n, room_left);
    text.append(static_cast<const char*>(from), n);
    room_left = static_cast<uint16_t>(room_left - n);
  }
};

template <class Out>
void print_page(Out& out) {
  out << TCPIP_TEXT("<h1>") << "status" << TCPIP_TEXT("</h1>\n");
  for (uint32_t i = 0; i < 30; ++i) out << i * 1000003 << TCPIP_TEXT(",");
  out.number_of_width(42, 6);
}

TEST(Text, PrintsAnyRange) {
  StringWriter all{"", 65535};
  {
    tcpip::Text<StringWriter> out(&all, 0);
    print_page(out);
  }
  EXPECT_EQ(all.text.substr(0, 27), "<h1>status</h1>\n0,1000003,2");
  EXPECT_EQ(all.text.substr(all.text.size() - 7), ",    42");
  tcpip::Text<StringWriter> counted(nullptr, 0);
  print_page(counted);
  EXPECT_EQ(counted.length(), all.text.size());
  for (uint32_t offset = 0; offset <= all.text.size() + 3; ++offset)
    for (uint16_t room = 0; room < 70; ++room) {
      StringWriter range{"", room};
      {
        tcpip::Text<StringWriter> out(&range, offset);
        print_page(out);
      }
      ASSERT_EQ(range.text, offset < all.text.size() ? all.text.substr(offset, room) : "") << offset << " " << room;
    }
}

TEST(Text, PrintsNumbers) {
  StringWriter to{"", 100};
  {
    tcpip::Text<StringWriter> out(&to, 0);
    out << 0u << TCPIP_TEXT(" ") << 4294967295u;
  }
  EXPECT_EQ(to.text, "0 4294967295");
}

}  // namespace
}  // namespace avrlan::test
