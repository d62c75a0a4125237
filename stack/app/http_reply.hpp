#ifndef TCPIP_APP_HTTP_REPLY_HPP
#define TCPIP_APP_HTTP_REPLY_HPP
// The reply to an HTTP/1.0 request (RFC 9112), octet by octet as it comes: the status code, then the body until the server
// closes. Not here: chunks and persistent connections, which HTTP/1.0 does not have, and header fields.
#include <stdint.h>

namespace tcpip {

class HttpReply {
 public:
  // True: `octet` belongs to the body.
  bool take(char octet) {
    switch (part_) {
      case Part::version:
        if (octet == ' ') part_ = Part::status;
        if (octet == '\n') part_ = Part::malformed;
        break;
      case Part::status:
        if (octet >= '0' && octet <= '9' && status_ < 100)
          status_ = static_cast<uint16_t>(status_ * 10 + (octet - '0'));
        else
          part_ = status_ >= 100 ? Part::line : Part::malformed;
        if (octet == '\n' && part_ == Part::line) part_ = Part::line_start;
        break;
      case Part::line:
        if (octet == '\n') part_ = Part::line_start;
        break;
      case Part::line_start:
        if (octet == '\n')
          part_ = Part::body;
        else if (octet != '\r')
          part_ = Part::line;
        break;
      case Part::body:
        ++body_octets_;
        return true;
      case Part::malformed:
        break;
    }
    return false;
  }

  // 0: no reply, or one that is none of HTTP.
  uint16_t status() const {
    return part_ == Part::line_start || part_ == Part::line || part_ == Part::body ? status_ : 0;
  }
  // The header has ended.
  bool has_body() const { return part_ == Part::body; }
  uint32_t body_octets() const { return body_octets_; }

 private:
  enum class Part : uint8_t { version, status, line, line_start, body, malformed };

  Part part_ = Part::version;
  uint16_t status_ = 0;
  uint32_t body_octets_ = 0;
};

}  // namespace tcpip

#endif
