#include "firmware/images/common/conform.hpp"

int main() {
  using Driver = tcpip::Enc28j60<board::Spi>;
  return image::conform<tcpip::test_services::Config<tcpip::Full, Driver, image::Report>>(true);
}
