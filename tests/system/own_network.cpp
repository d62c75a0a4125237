#include "tests/system/own_network.hpp"

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

namespace avrlan::test {

bool enter_own_network() {
  if (::unshare(CLONE_NEWNET) != 0 && ::unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  const int s = ::socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request{};
  std::strncpy(request.ifr_name, "lo", sizeof request.ifr_name - 1);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  const bool up = ::ioctl(s, SIOCSIFFLAGS, &request) == 0;
  ::close(s);
  return up;
}

bool can_have_own_network() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(enter_own_network() ? 0 : 1);
  int status = 1;
  ::waitpid(child, &status, 0);
  return status == 0;
}

}  // namespace avrlan::test
