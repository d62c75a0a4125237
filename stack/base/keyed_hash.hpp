#ifndef TCPIP_BASE_KEYED_HASH_HPP
#define TCPIP_BASE_KEYED_HASH_HPP
// A pseudo-random function of 64 bits under a secret of 128, and random numbers from it. It is XTEA (Needham and Wheeler,
// "Tea extensions", 1997) without decryption: of the functions RFC 6528 section 3 allows, the one with the least code on
// an 8-bit machine.
#include <stdint.h>
#include <string.h>

namespace tcpip {

class KeyedHash {
 public:
  // `secret` is 16 octets that nobody outside can guess.
  void set_secret(const uint8_t* secret) { memcpy(key_, secret, sizeof key_); }

  uint32_t operator()(uint32_t a, uint32_t b) const {
    uint32_t sum = 0;
    // In halves of a round, so that the mixing is there once.
    for (uint8_t half = 64; half; --half) {
      const bool second = half & 1;
      const uint8_t index = (second ? static_cast<uint8_t>(sum >> 8) >> 3 : static_cast<uint8_t>(sum)) & 3;
      const uint32_t next = a + ((((b << 4) ^ (b >> 5)) + b) ^ (sum + key_[index]));
      a = b;
      b = next;
      if (!second) sum += 0x9e3779b9u;
    }
    return a ^ b;
  }

  // The next of a sequence that starts anew with each secret.
  uint32_t random() { return (*this)(++counter_, 0); }

 private:
  uint32_t key_[4] = {};
  uint16_t counter_ = 0;
};

}  // namespace tcpip

#endif
