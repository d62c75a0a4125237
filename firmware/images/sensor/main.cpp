// A sensor: reads analog input A1 ten times a second and sends each reading to whoever is connected to TCP port 5001, with
// the Nagle algorithm, or 5002, without, as a line of 16 octets: its number in ten, a blank, the value in four, a newline.
// A reader that is more than three seconds behind is cut off.

#include "firmware/images/common/network.hpp"
#include "stack/app/text.hpp"

namespace {

// The last readings, since what is lost has to be sent again.
class Readings {
 public:
  void add(uint16_t value) { values_[count_++ % kept] = value; }
  uint32_t count() const { return count_; }
  bool has(uint32_t number) const { return count_ - number <= kept; }
  uint16_t operator[](uint32_t number) const { return values_[number % kept]; }

 private:
  static constexpr uint8_t kept = 32;
  uint32_t count_ = 0;
  uint16_t values_[kept] = {};
};

Readings readings;

template <uint16_t at_port, bool nagle>
class Sensor : public tcpip::TcpApplication {
 public:
  static constexpr uint16_t port = at_port;

  struct State {
    uint32_t first;  // the number of the reading that the stream begins with
  };

  // One reader at a time.
  void event(tcpip::WindowedConnection& connection, State& s, tcpip::TcpEvent event) {
    if (event == tcpip::TcpEvent::connected) {
      if (reader_) return connection.abort();
      reader_ = &connection;
      connection.no_delay(!nagle);
      s.first = readings.count();
    }
    if (event == tcpip::TcpEvent::peer_closed) connection.close();
    if (event >= tcpip::TcpEvent::closed && reader_ == &connection) reader_ = nullptr;
  }

  template <class Writer>
  void produce(tcpip::Connection& connection, State& s, uint32_t offset, Writer& writer) {
    if (&connection != reader_) return;
    if (!readings.has(s.first + connection.acknowledged() / line_size)) {
      reader_ = nullptr;
      return connection.abort();
    }
    uint32_t number = s.first + offset / line_size;
    tcpip::Text<Writer> out(&writer, offset % line_size);
    for (; number != readings.count() && !out.full(); ++number) {
      out.number_of_width(number, 10) << TCPIP_TEXT(" ");
      out.number_of_width(readings[number], 4) << TCPIP_TEXT("\n");
    }
  }

  void tell() {
    if (reader_) reader_->wake();
  }

 private:
  static constexpr uint8_t line_size = 16;
  tcpip::Connection* reader_ = nullptr;
};

using Gathered = Sensor<5001, true>;
using Prompt = Sensor<5002, false>;

struct Config : image::ProfileOf<tcpip::Full> {
  static constexpr uint8_t connections = 3;  // so that a second reader can be refused
  using TcpApplications = tcpip::List<Gathered, Prompt>;
};

tcpip::Stack<Config> stack;

// A1 against the supply; takes 0.2 ms.
uint16_t read_input() {
  ADMUX = 1 << REFS0 | 1;
  ADCSRA = 1 << ADEN | 1 << ADSC | 1 << ADPS2 | 1 << ADPS1 | 1 << ADPS0;  // F_CPU / 128
  while (ADCSRA & 1 << ADSC) {
  }
  return ADC;
}

}  // namespace

int main() {
  image::Network<decltype(stack)> network(stack);
  if (!network.start(PSTR("sensor"))) return board::finish(1);
  for (uint32_t at = board::Clock::milliseconds();;) {
    network.round();
    if (board::Clock::milliseconds() - at < 100) continue;
    at += 100;
    readings.add(read_input());
    stack.tcp_application<Gathered>().tell();
    stack.tcp_application<Prompt>().tell();
  }
}
